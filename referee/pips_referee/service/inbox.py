"""Messages from bots: answers go to their tables, and bots that flood are cut off."""

from __future__ import annotations

from typing import Final

from pips.v1 import player_pb2
from pips_referee.match import FaultKind, Spent
from pips_referee.service.asked import QuestionName
from pips_referee.service.session import Session
from pips_referee.service.stopwatch import LateS

MOST_EMPTY_MESSAGES: Final = 64
"""A bot that sends more messages than this without an answer among them is flooding."""
MOST_EMPTY_BYTES: Final = 1 << 20
MOST_ACTION_BYTES: Final = 4096
"""The longest answer that is parsed, in bytes: longer ones would delay all others."""


def take(session: Session, message: player_pb2.PlayRequest, size: int, now: float, late_s: LateS) -> None:
    """Take the answers in a bot's message, in the order of the questions.

    Each is charged an equal share of the time. `size` is the message's size in bytes;
    `late_s` returns for how long the referee may have left it unread.
    """
    answers = list(message.answers)
    if message.pong and session.way is not None and session.way.pong(message.pong, now) and not answers:
        return
    if len(answers) > len(session.queue) + len(session.withdrawn) + MOST_EMPTY_MESSAGES:
        close(session, FaultKind.FLOOD, f"{len(answers)} answers in a message, to {len(session.queue)} questions")
        return
    names = [(answer.table, answer.number) for answer in answers]
    if awaited := session.awaited(names):
        session.empty_messages = session.empty_bytes = 0
    else:
        session.empty_messages += 1
        session.empty_bytes += size
        if session.empty_messages > MOST_EMPTY_MESSAGES or session.empty_bytes > MOST_EMPTY_BYTES:
            close(session, FaultKind.FLOOD, f"{session.empty_messages} messages without an answer")
            return
    if answers:
        spent = session.spent(now, late_s, max(1, awaited))
        for name, answer in zip(names, answers, strict=True):
            is_long = size > MOST_ACTION_BYTES and answer.action.ByteSize() > MOST_ACTION_BYTES
            _take_answer(session, name, answer, spent, is_long)
        session.stopwatch.restart(now)
        session.rest()
        session.outbox.stir()


def _take_answer(
    session: Session, name: QuestionName, answer: player_pb2.Answer, spent: Spent, is_long: bool, /
) -> None:
    queue = session.queue
    if queue and queue[0].sent and queue[0].name == name:
        asked = queue.popleft()
        session.passed(asked.order)
        if asked.withdrawn:
            return
        if is_long:
            detail = f"an answer of {answer.action.ByteSize()} bytes; none needs more than {MOST_ACTION_BYTES}"
            asked.table.fault(asked.seat, FaultKind.MALFORMED, "too_long", detail, spent=spent)
        else:
            asked.table.answered(asked, answer, spent.thinking(answer.thought_us))
    elif (order := session.withdrawn.get(name)) is not None:
        session.passed(order)
    else:
        _wrong_question(session, name)


def _wrong_question(session: Session, name: QuestionName) -> None:
    """Fault an answer to a question that was not asked.

    The fault goes to the table that the answer names, or else to the table of an open
    question, if any.
    """
    table_number, number = name
    what = f"an answer to question {number} of table {table_number}"
    if table_number in session.seats:
        table, seat = session.seats[table_number]
    elif due := [asked for asked in session.queue if not asked.withdrawn]:
        table, seat = due[0].table, due[0].seat
    else:
        return
    table.fault(seat, FaultKind.WRONG_QUESTION, "not_asked", f"{what}, which was not the open one")


def close(session: Session, kind: FaultKind, detail: str) -> None:
    """End a bot's stream as a penalty.

    That is a fault at the question the bot was working on, or else in one open match of
    its own.
    """
    session.send_away(f"{kind.value}: {detail}")
    if not session.lose(kind, detail):
        for table, seat in session.seats.values():
            if table.is_open:
                table.fault(seat, kind, detail=detail)
                return
