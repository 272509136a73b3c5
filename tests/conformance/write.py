"""`python -m tests.conformance.write` writes the conformance kit's transcripts anew.

The answers are those of the Python conformance bot; that they are what docs/protocol.md
says, and legal, is tested.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

from google.protobuf.json_format import MessageToDict

from pips.v1 import player_pb2
from pips_referee.chance import Chance
from pips_referee.game import get_game
from pips_referee.match import FaultKind, Match
from pips_referee.wire import get_wire
from pips_sdk._runtime.table import BotTable
from tests.conformance import bot
from tests.conformance.kit import TRANSCRIPTS

BOTS = {made.game: made for made in (bot.Serpent, bot.Wichita, bot.Pippip, bot.Dominion)}
WELCOME = player_pb2.Welcome(protocol_version=1, process="conformance/0", session_key=b"to come back with")
Line = dict[str, Any]


class Seat:
    """The conformance bot's seat at one table: the messages it is sent, and its
    answers; others play at random.
    """

    def __init__(self, game: str, table: int, seed: int, seat: int = 0, seats: int = 2, **values: object) -> None:
        rules, self.wire = get_game(game), get_wire(game)
        self.options = rules.options(values)
        self.match = Match(rules, self.options, seats, Chance(seed.to_bytes(32, "big")))
        self.number, self.seat, self.seats, self.game = table, seat, seats, game
        self.rng_seed = bytes([table % 256]) * 32
        self.bot = BotTable(BOTS[game])
        self.bot.begin(seat, seats, self.options, self.rng_seed)
        self.rng = Random(seed)
        self.pass_on()

    def pass_on(self) -> None:
        """Let the others play until this seat is asked."""
        while self.match.to_ask not in (None, self.seat):
            self.match.answer(self.match.question().view.random_action(self.rng))

    @property
    def is_over(self) -> bool:
        return self.match.to_ask is None

    def start(self, *, again: bool = False) -> player_pb2.Start:
        """The match's beginning; `again` for a process that takes over in
        the middle.
        """
        start = player_pb2.Start(
            table=self.number, game=self.game, rules_version=get_game(self.game).rules_version, seats=self.seats,
            seat=self.seat, commitment=bytes(32), rng_seed=self.rng_seed,
        )  # fmt: skip
        self.wire.write_options(self.options, start.options)
        if again:
            for event in self.match.told(self.seat):
                self.wire.write_event(event, start.told.add())
        return start

    def ask(self) -> tuple[player_pb2.Question, player_pb2.Answer]:
        """The open question and its answer, after which the match has gone on."""
        asked = self.match.question()
        question, answer = player_pb2.Question(table=self.number, number=asked.number, time_left_ms=60_000), None
        self.wire.write_view(asked.view, question.view)
        for event in asked.events:
            self.wire.write_event(event, question.events.add())
        answer = player_pb2.Answer()
        self.bot.ask(question, answer)
        answer.ClearField("thought_us")
        if answer.failed:
            answer.failed = "any words"
            self.match.fault(self.seat, FaultKind.CRASH, "exception", "any words")
        else:
            assert self.match.answer(self.wire.read_action(answer.action)) is None
        self.pass_on()
        return question, answer

    def finish(self) -> player_pb2.Finish:
        outcome = self.match.outcome
        finish = player_pb2.Finish(table=self.number, places=outcome.places, scores=outcome.scores)
        for event in self.match.news(self.seat):
            self.wire.write_event(event, finish.events.add())
        if outcome.faults:
            finish = player_pb2.Finish(table=self.number, fault="the bot's code failed: any words")
        return finish


def sent(message: player_pb2.PlayResponse, **more: object) -> Line:
    return {"send": MessageToDict(message), **more}


def expected(answers: list[player_pb2.Answer], **more: object) -> Line:
    return {"expect": [MessageToDict(answer) for answer in answers], **more}


def whole_match(note: str, seat: Seat) -> Iterator[Line]:
    """One table from its start to its end."""
    yield {"note": note, "games": [seat.game]}
    yield sent(player_pb2.PlayResponse(welcome=WELCOME))
    yield sent(player_pb2.PlayResponse(starts=[seat.start()]))
    while not seat.is_over:
        question, answer = seat.ask()
        yield sent(player_pb2.PlayResponse(questions=[question]))
        yield expected([answer])
    yield sent(player_pb2.PlayResponse(finishes=[seat.finish()]))
    yield {"end": "OK", "status": 0}


def many_tables() -> Iterator[Line]:
    """Lists in one message, tables that begin with the welcome or in their middle,
    fields that nobody knows.
    """
    yield {"note": "many tables, some from their middle on", "games": ["serpent", "wichita"]}
    first, second = Seat("serpent", 4_000_000_000, 1), Seat("serpent", 3, 2, seat=1)
    late = Seat("wichita", 9, 3, seat=1, seats=3)
    for _ in range(5):
        late.ask()
    tables = [second, late, first]
    starts = [first.start(), late.start(again=True), second.start()]
    message = player_pb2.PlayResponse(welcome=WELCOME, starts=starts)
    while tables:
        turns = [table.ask() for table in tables if not table.is_over]
        message.questions.extend(question for question, _ in turns)
        yield sent(message, unknown=True)
        yield expected([answer for _, answer in turns])
        message = player_pb2.PlayResponse(finishes=[table.finish() for table in tables if table.is_over])
        tables = [table for table in tables if not table.is_over]
    yield sent(message)
    yield {"end": "OK", "status": 0}


def a_failure() -> Iterator[Line]:
    """It costs its match; the table beside it goes on."""
    yield {"note": "the bot's code fails at one table of two", "games": ["serpent"]}
    failing, other = Seat("serpent", 1, 4, max_tiebreaks=bot.FAILS), Seat("serpent", 2, 5)
    yield sent(player_pb2.PlayResponse(welcome=WELCOME, starts=[failing.start(), other.start()]))
    while not failing.is_over:
        turns = [failing.ask(), other.ask()]
        yield sent(player_pb2.PlayResponse(questions=[question for question, _ in turns]))
        yield expected([answer for _, answer in turns])
    question, answer = other.ask()
    yield sent(player_pb2.PlayResponse(questions=[question], finishes=[failing.finish()]))
    yield expected([answer])
    yield {"end": "OK", "status": 0}


def slow_answers() -> Iterator[Line]:
    """An answer that took long is sent before the next question is thought about."""
    yield {"note": "slow answers are sent one by one", "games": ["serpent"]}
    seats = [Seat("serpent", table, 10 + table, max_tiebreaks=bot.IS_SLOW) for table in range(1, 6)]
    for seat in seats:
        while not seat.is_over and seat.match.question().view.kind not in ("lead", "answer"):
            seat.ask()
    starts, turns = [seat.start(again=True) for seat in seats], [seat.ask() for seat in seats]
    yield sent(player_pb2.PlayResponse(welcome=WELCOME, starts=starts, questions=[question for question, _ in turns]))
    yield expected([answer for _, answer in turns], apart=True)
    yield {"end": "OK", "status": 0}


def a_later_one_first() -> Iterator[Line]:
    """A bot may have the answer to a later question first, but does not send it."""
    yield {"note": "a later question is answered first", "games": ["serpent"]}
    seats = [Seat("serpent", table, 20 + table, max_tiebreaks=bot.IS_LATE if table == 1 else 3) for table in (1, 2, 3)]
    for seat in seats:
        while not seat.is_over and seat.match.question().view.kind not in ("lead", "answer"):
            seat.ask()
    starts, turns = [seat.start(again=True) for seat in seats], [seat.ask() for seat in seats]
    yield sent(player_pb2.PlayResponse(welcome=WELCOME, starts=starts, questions=[question for question, _ in turns]))
    yield expected([answer for _, answer in turns])
    yield {"end": "OK", "status": 0}


def pings() -> Iterator[Line]:
    """A ping comes with the welcome, alone, and with a question that takes long: it is
    always answered first.
    """
    yield {"note": "pings are sent back at once", "games": ["serpent"]}
    seat = Seat("serpent", 1, 11, max_tiebreaks=bot.IS_SLOW)
    yield sent(player_pb2.PlayResponse(welcome=WELCOME, ping=b"one"))
    yield {"pong": b64encode(b"one").decode()}
    yield sent(player_pb2.PlayResponse(ping=b"two"))
    yield {"pong": b64encode(b"two").decode()}
    question, answer = seat.ask()
    yield sent(player_pb2.PlayResponse(starts=[seat.start()], questions=[question], ping=b"three"))
    yield {"pong": b64encode(b"three").decode()}
    yield expected([answer])
    yield {"end": "OK", "status": 0}


def refused(note: str, code: str) -> Iterator[Line]:
    yield {"note": note, "games": ["serpent"]}
    if code == "ABORTED":
        yield sent(player_pb2.PlayResponse(welcome=WELCOME))
    yield {"end": code, "status": 2}


def transcripts() -> Mapping[str, list[Line]]:
    """All of them, by name."""
    return {
        "serpent": list(whole_match("a match of Serpent", Seat("serpent", 1, 6))),
        "wichita": list(whole_match("a match of Wichita with three seats", Seat("wichita", 2, 7, seat=2, seats=3))),
        "pippip": list(whole_match("a match of Pip-Pip! with four seats", Seat("pippip", 3, 12, seat=1, seats=4))),
        "pippip-hervey": list(whole_match("Hervey's rules", Seat("pippip", 4, 12, seats=3, rules="hervey"))),
        "serpent-hands": list(whole_match("two hands", Seat("serpent", 9, 8, seat=1, hands=2))),
        "pippip-fosdick-windows": list(
            whole_match("Fosdick's windows", Seat("pippip", 10, 12, seats=3, windows="fosdick", hands=1))
        ),
        "pippip-hervey-windows": list(
            whole_match("Hervey's windows", Seat("pippip", 11, 12, seats=2, rules="hervey", windows="hervey"))
        ),
        "dominion": list(whole_match("a match of Dominion", Seat("dominion", 5, 22, seat=1, size=3, max_rounds=12))),
        "dominion-red": list(whole_match("a red king", Seat("dominion", 6, 21, seats=3, max_rounds=8))),
        "dominion-black": list(whole_match("a black king", Seat("dominion", 8, 20, seats=3, max_rounds=8))),
        "dominion-optional": list(
            whole_match(
                "an army declined, nobody resigns",
                Seat("dominion", 12, 21, seats=3, max_rounds=8, optional_army=True, resigning=False),
            )
        ),
        "stream-many-tables": list(many_tables()),
        "stream-failure": list(a_failure()),
        "stream-slow": list(slow_answers()),
        "stream-order": list(a_later_one_first()),
        "stream-ping": list(pings()),
        "stream-refused": list(refused("the referee does not let it in", "PERMISSION_DENIED")),
        "stream-aborted": list(refused("the referee ends the stream", "ABORTED")),
    }


def text_of(lines: list[Line]) -> str:
    return "".join(json.dumps(line, separators=(",", ":"), sort_keys=True) + "\n" for line in lines)


if __name__ == "__main__":
    for name, lines in transcripts().items():
        (TRANSCRIPTS / f"{name}.jsonl").write_text(text_of(lines), encoding="utf-8")
