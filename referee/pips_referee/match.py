"""One match: question, answer, events; faults, the autopilot, and places. No I/O, no threads, no clock of its own.

The gRPC service, the in-process arena, replay, verify and the tests all drive this one class. Times are passed in.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from pips_referee.chance import Chance
from pips_referee.errors import IllegalAction
from pips_referee.game import Action, AnyGame, AnyState, Event, Options, View
from pips_referee.value import value

MOST_SENTENCE: Final = 1000
"""So many characters of what is said of an answer, or by a bot, are kept."""


class FaultKind(StrEnum):
    """What a bot did wrong."""

    ILLEGAL = "illegal"
    MALFORMED = "malformed"
    TIMEOUT = "timeout"
    CRASH = "crash"
    DISCONNECT = "disconnect"
    FLOOD = "flood"
    WRONG_QUESTION = "wrong_question"


@dataclass(frozen=True, slots=True)
class Fault:
    """One seat's fault. `question` is the seat's number of the question it was (or was last) asked."""

    seat: int
    kind: FaultKind
    question: int
    reason: str = ""
    """Machine-readable, such as `must_follow`."""
    detail: str = ""
    """A sentence."""
    evidence: str = ""
    """The bot's last output."""


@value
class Question:
    """What the asked seat is sent. `number` counts this seat's questions from 1; `events`: what it may see since."""

    number: int
    seat: int
    kind: str
    view: View
    events: tuple[Event, ...]


class Spent(NamedTuple):
    """The clock ledger of one answer, in microseconds."""

    used_us: int = 0
    """The bot's time, as charged."""
    credited_us: int = 0
    """Passed, but not the bot's: it waited for the core, or the referee was late."""
    shared_by: int = 1
    """How many answers came in one message and shared its time equally."""
    thought_us: int = 0
    """What the bot says it was at work on this one, 0 when it says nothing: no clock goes by it."""
    wire_us: int = 0
    """Passed, but on the way to a bot on another machine and back, as far as that is credited."""

    def thinking(self, thought_us: int) -> Spent:
        """The same of a bot that says so; it cannot have thought for longer than passed for all that came with it."""
        if not thought_us:
            return self
        used_us, credited_us, shared_by, _, wire_us = self
        passed_us = (used_us + credited_us + wire_us) * shared_by
        return Spent(used_us, credited_us, shared_by, min(passed_us, thought_us), wire_us)


NO_TIME: Final = Spent()


class Reply(NamedTuple):
    """One entry of a match's history: an action, or a fault in place of one."""

    seat: int
    number: int
    action: Action | None
    fault: Fault | None
    spent: Spent
    by_autopilot: bool
    log_start: int
    """Where in the log the events of this reply begin."""


@dataclass(frozen=True, slots=True)
class MatchOutcome:
    """How a match ended. Places are by seat, 1 is best, equal places are shared; scores are the game's own."""

    places: tuple[int, ...]
    scores: tuple[int, ...]
    faults: tuple[Fault, ...]
    questions: int
    """Answers and faults, also those of a seat that was not asked: the entries of the record."""


class Match:
    """A match in progress; over when `to_ask` is None.

    A fault of one of two seats ends the match. With more seats the autopilot plays on for the seat, which is placed
    below all that did not fault, the earlier fault lower; when one seat is left without a fault the match ends.
    """

    __slots__ = (
        "_asked_at", "_numbers", "_told", "chance", "faulted", "faults", "game", "history", "log", "options", "seats",
        "state", "to_ask",
    )  # fmt: skip

    def __init__(self, game: AnyGame, options: Options, seats: int, chance: Chance) -> None:
        self.game = game
        self.options = options
        self.seats = seats
        self.chance = chance
        self.state: AnyState
        self.log: list[Event]
        """Everything that happened, with the full truth."""
        self.state, self.log = game.start(options, seats, chance)
        self.history: list[Reply] = []
        self.faults: list[Fault] = []
        self.faulted: set[int] = set()
        self._numbers = [0] * seats
        self._told = [0] * seats
        self._asked_at = 0
        self.to_ask: int | None = None
        self._proceed()

    @property
    def is_over(self) -> bool:
        return self.to_ask is None

    @property
    def number(self) -> int:
        """The number of the open question, counted for the asked seat from 1."""
        assert self.to_ask is not None, "the match is over"
        return self._numbers[self.to_ask]

    def question(self) -> Question:
        """The open question; reading it changes nothing."""
        seat = self.to_ask
        assert seat is not None, "the match is over"
        return Question(self._numbers[seat], seat, self.state.kind, self.state.view(seat), self.news(seat))

    def news(self, seat: int) -> tuple[Event, ...]:
        """What the seat may see of the events since it last answered."""
        return self._seen(seat, self.log[self._told[seat] :])

    def told(self, seat: int) -> tuple[Event, ...]:
        """What the seat may see of all events before its open (or next) news: what a restarted bot must be told."""
        return self._seen(seat, self.log[: self._told[seat]])

    def news_start(self, seat: int) -> int:
        """Where in the log the seat's news begins."""
        return self._told[seat]

    def answer(self, action: Action, spent: Spent = NO_TIME) -> Fault | None:
        """The asked seat's action: played, or turned into its fault when illegal."""
        seat = self.to_ask
        assert seat is not None, "the match is over"
        start = len(self.log)
        try:
            events = self.state.apply(action)
        except IllegalAction as error:
            fault = Fault(
                seat, FaultKind.ILLEGAL, self._numbers[seat], error.reason.value, error.sentence[:MOST_SENTENCE]
            )
            self.history.append(Reply(seat, self._numbers[seat], action, fault, spent, False, start))
            self._punish(fault)
            return fault
        self.history.append(Reply(seat, self._numbers[seat], action, None, spent, False, start))
        self._told[seat] = self._asked_at
        self.log += events
        self._proceed()
        return None

    def fault(
        self,
        seat: int,
        kind: FaultKind,
        reason: str = "",
        detail: str = "",
        evidence: str = "",
        spent: Spent = NO_TIME,
    ) -> Fault:
        """A fault that is no action: of the asked seat in place of its answer, or of another one."""
        assert self.to_ask is not None and seat not in self.faulted
        fault = Fault(seat, kind, self._numbers[seat], reason, detail, evidence)
        self.history.append(Reply(seat, self._numbers[seat], None, fault, spent, False, len(self.log)))
        self._punish(fault)
        return fault

    @property
    def outcome(self) -> MatchOutcome:
        """Places, scores and faults as they stand; final when the match is over."""
        ruled = self.state.outcome()
        clean = [seat for seat in range(self.seats) if seat not in self.faulted]
        places = [1 + sum(ruled.places[other] < ruled.places[seat] for other in clean) for seat in range(self.seats)]
        for late, fault in enumerate(self.faults):
            places[fault.seat] = self.seats - late
        return MatchOutcome(
            tuple(places), ruled.scores, tuple(self.faults), sum(not r.by_autopilot for r in self.history)
        )

    @staticmethod
    def _seen(seat: int, events: list[Event]) -> tuple[Event, ...]:
        return tuple([seen for event in events if (seen := event.seen_by(seat)) is not None])

    def _punish(self, fault: Fault) -> None:
        self.faults.append(fault)
        self.faulted.add(fault.seat)
        self._numbers[self.to_ask or 0] -= 1  # the question stays open: put again, or played by the autopilot
        self._proceed()

    def _proceed(self) -> None:
        """Let the autopilot play while it is its turn; then put the next question or end the match."""
        state = self.state
        while (seat := state.to_ask) is not None and len(self.faulted) < self.seats - 1:
            self._numbers[seat] += 1
            if seat not in self.faulted:
                self.to_ask = seat
                self._asked_at = len(self.log)
                return
            number = self._numbers[seat]
            action = state.sample_action(self.chance.stream(f"autopilot/{seat}/{number}"))
            self.history.append(Reply(seat, number, action, None, NO_TIME, True, len(self.log)))
            self.log += state.apply(action)
        self.to_ask = None
