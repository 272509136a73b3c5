"""A question of a night put to a bot again.

View, events and luck are the same.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterator

from pips_referee.match import Match, Question
from pips_referee.record import Record, play_answer
from pips_referee.replay import GameText, fault_text, get_text
from pips_referee.wire import AnyWire
from pips_sdk import Bot
from pips_sdk.table import FAILURES, as_sent
from pips_tourney.bots.found import BotProblem


def situation(record: Record, seat: int, number: int | None, bot: type[Bot], rng_seed: bytes) -> Iterator[str]:
    """Ask the bot all that its seat was asked up to question `number`; its last answer.

    By default `number` is the last. `rng_seed` is the seat's of the night.

    Raises `BotProblem` when the seat was never asked so often.
    """
    text = get_text(record.header.game.name)
    last = _last(record, seat, number)
    try:
        player = bot()
        player.begin(seat, len(record.header.names), record.header.options, rng_seed)
    except FAILURES:
        yield "Before its first question already:"
        yield traceback.format_exc().rstrip()
        return
    match = record.header.new_match()
    for index in range(len(record.answers)):
        if match.to_ask == seat:
            question = match.question()
            if question.number == last:
                yield from _asked(player, match, question, text, record.header.wire)
                return
            try:
                player.ask(question.number, question.view, question.events)
            except FAILURES:
                yield f"At its question {question.number} already:"
                yield traceback.format_exc().rstrip()
                return
        play_answer(match, record, index)


def question_of(record: Record, seat: int, number: int | None) -> Question:
    """Question `number` of a seat in a match, by default its last.

    `BotProblem` when the seat was never asked so often.
    """
    last, match = _last(record, seat, number), record.header.new_match()
    for index in range(len(record.answers)):
        if match.to_ask == seat and match.number == last:
            return match.question()
        play_answer(match, record, index)
    raise BotProblem(f"seat {seat} was asked nothing in this match")


def _last(record: Record, seat: int, number: int | None) -> int:
    """The number of the question that is meant."""
    match, asked = record.header.new_match(), 0
    for index in range(len(record.answers)):
        if match.to_ask == seat:
            asked = match.number
        play_answer(match, record, index)
    if not 1 <= (number or asked) <= asked:
        raise BotProblem(f"seat {seat} was asked {asked} questions in this match")
    return number or asked


def _asked(player: Bot, match: Match, question: Question, text: GameText, wire: AnyWire) -> Iterator[str]:
    yield f"seat {question.seat}, question {question.number}:"
    yield text.view_text(question.view)
    try:
        action = as_sent(player, wire, player.ask(question.number, question.view, question.events))
    except FAILURES:
        yield "It answers with an exception:"
        yield traceback.format_exc().rstrip()
        return
    fault = match.answer(action)
    yield f"It answers: {text.action_text(action)}, " + ("which is legal" if fault is None else fault_text(fault))
