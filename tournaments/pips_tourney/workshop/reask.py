"""Ask a bot in any language a question of a match again.

Its process gets all questions of its seat, up to the chosen one. View, events and luck
are the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import grpc

from pips.v1 import player_pb2
from pips_referee.errors import MalformedMessage
from pips_referee.match import Match, Question
from pips_referee.records.record import Record, play_answer
from pips_referee.records.replay import fault_text, get_text
from pips_tourney.bots.executable import Executable
from pips_tourney.bots.found import BotProblem
from pips_tourney.workshop.problems import last_lines
from pips_tourney.workshop.program_stream import Requests, run_at

TABLE = 1
PATIENCE_S = 60.0


def question_of(record: Record, seat: int, number: int | None) -> Question:
    """Return question `number` of a seat in a match, by default its last.

    `BotProblem` if the seat had fewer questions.
    """
    questions = list(_questions(record, seat))
    if not questions or not 1 <= (number or 1) <= questions[-1].number:
        raise BotProblem(f"seat {seat} was asked {questions[-1].number if questions else 0} questions in this match")
    return questions[-1] if number is None else next(each for each in questions if each.number == number)


def _questions(record: Record, seat: int) -> Iterator[Question]:
    match = record.header.new_match()
    for index in range(len(record.answers)):
        if match.to_ask == seat:
            yield match.question()
        play_answer(match, record, index)


@dataclass(eq=False)
class _SeatReplay:
    """The referee's side of the stream: one table, one seat of a record."""

    record: Record
    seat: int
    last: int
    rng_seed: bytes
    said: list[str] = field(default_factory=list)

    def play(self, requests: Requests, context: grpc.ServicerContext) -> Iterator[bytes]:
        """Send the start and every question; note the answer to the last."""
        try:
            next(requests)
            yield player_pb2.PlayResponse(
                welcome=player_pb2.Welcome(process="ask/0", protocol_version=1), starts=[self._start()]
            ).SerializeToString()
            match = self.record.header.new_match()
            for index in range(len(self.record.answers)):
                if match.to_ask == self.seat:
                    question = match.question()
                    yield player_pb2.PlayResponse(questions=[self._message(question)]).SerializeToString()
                    answer = next(requests).answers[0]
                    if question.number == self.last or answer.failed:
                        self.said += self._told(match, question, answer)
                        return
                play_answer(match, self.record, index)
        except (StopIteration, IndexError, grpc.RpcError):
            self.said.append("Its stream ended, or it sent something else, where an answer was expected.")

    def _start(self) -> player_pb2.Start:
        header = self.record.header
        start = player_pb2.Start(
            table=TABLE, game=header.game.name, rules_version=header.game.rules_version, seats=len(header.names),
            seat=self.seat, rng_seed=self.rng_seed, commitment=bytes(32),
        )  # fmt: skip
        header.wire.write_options(header.options, start.options)
        return start

    def _message(self, question: Question) -> player_pb2.Question:
        message = player_pb2.Question(table=TABLE, number=question.number, time_left_ms=60_000)
        self.record.header.wire.write_view(question.view, message.view)
        for event in question.events:
            self.record.header.wire.write_event(event, message.events.add())
        return message

    def _told(self, match: Match, question: Question, answer: player_pb2.Answer) -> Iterator[str]:
        if question.number < self.last:
            yield f"At its question {question.number} already:"
        if answer.failed:
            yield f"It failed: {answer.failed}"
            return
        try:
            action = self.record.header.wire.read_action(answer.action)
        except MalformedMessage as error:
            yield f"Its answer cannot be read: {error}"
            return
        fault, text = match.answer(action), get_text(self.record.header.game.name)
        yield f"It answers: {text.action_text(action)}, " + ("which is legal" if fault is None else fault_text(fault))


def answered(record: Record, question: Question, program: Executable, rng_seed: bytes) -> Iterator[str]:
    """Yield a program's answer to a question, and its output, as lines."""
    asker = _SeatReplay(record, question.seat, question.number, rng_seed)
    _, output = run_at(asker, program, b"ask", PATIENCE_S)
    yield from asker.said or ["It ended, or was stopped, before it answered."]
    if said := last_lines(output):
        yield "It printed:"
        yield from (f"| {line}" for line in said)
