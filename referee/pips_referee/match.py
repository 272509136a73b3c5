"""One match: questions, answers, events, faults, the autopilot, and places.

The gRPC service, the in-process arena, replay, verify and the tests all drive this one
class. It has no I/O, no threads and no clock: times are passed in.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple

from pips_referee.chance import Chance
from pips_referee.errors import MOST_SENTENCE, IllegalAction
from pips_referee.game import Action, AnyGame, AnyState, Event, Options, Value, View

ABSENT: Final = "absent"
"""The reason of the fault of a bot that was absent when its match began."""


class FaultKind(StrEnum):
    """What a bot did wrong."""

    ILLEGAL = "illegal"
    MALFORMED = "malformed"
    TIMEOUT = "timeout"
    CRASH = "crash"
    DISCONNECT = "disconnect"
    FLOOD = "flood"
    WRONG_QUESTION = "wrong_question"


class Fault(Value, tag=False):
    """One seat's fault. `question` is the number of the seat's last question."""

    seat: int
    kind: FaultKind
    question: int
    reason: str = ""
    """A machine-readable reason, such as `must_follow`."""
    detail: str = ""
    """A sentence for people."""
    evidence: str = ""
    """The bot's last output."""


class Question(Value, tag=False):
    """The question to a seat.

    `number` counts this seat's questions from 1. `events` are those since it last
    answered, as it may see them.
    """

    number: int
    seat: int
    kind: str
    view: View
    events: tuple[Event, ...]


class Spent(NamedTuple):
    """The clock ledger of one answer, in microseconds."""

    used_us: int = 0
    """The bot's time that is charged."""
    credited_us: int = 0
    """Time that is not charged: the bot was waiting for the core or the referee."""
    shared_by: int = 1
    """The number of answers in one message, each charged an equal share of its time."""
    thought_us: int = 0
    """The bot's own measurement of its work on this answer; 0 if it sends none.

    No clock uses it.
    """
    wire_us: int = 0
    """The credited part of the travel time to another machine and back."""

    def thinking(self, thought_us: int) -> Spent:
        """A copy with the bot's own figure, capped at the time of its message."""
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
    """The log index at which the events of this reply begin."""


class MatchOutcome(Value):
    """How a match ended.

    Places are by seat; 1 is best, and equal places are shared. Scores are the game's
    own.
    """

    places: tuple[int, ...]
    scores: tuple[int, ...]
    faults: tuple[Fault, ...]
    questions: int
    """How many answers and faults there were, also of seats that were not asked."""


class Match:
    """A match in progress; over when `to_ask` is None.

    If one of two seats commits a fault, the match ends. With more seats the autopilot
    plays on for the seat at fault. Such a seat is placed below all others; the earlier
    its fault, the lower. When only one seat is left without a fault, the match ends.
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
        """All events, with nothing hidden."""
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
        """The number of the open question among those of the asked seat, from 1."""
        assert self.to_ask is not None, "the match is over"
        return self._numbers[self.to_ask]

    def question(self) -> Question:
        """The open question; reading it changes nothing."""
        seat = self.to_ask
        assert seat is not None, "the match is over"
        return Question(self._numbers[seat], seat, self.state.kind, self.state.view(seat), self.news(seat))

    def news(self, seat: int) -> tuple[Event, ...]:
        """The events since the seat last answered, as the seat may see them."""
        return self._seen(seat, self.log[self._told[seat] :])

    def told(self, seat: int) -> tuple[Event, ...]:
        """All events before the seat's news, as it saw them: for a restarted bot."""
        return self._seen(seat, self.log[: self._told[seat]])

    def knows_its_question(self, seat: int) -> None:
        """Record that a seat has its last question's events, and owes no answer."""
        self._told[seat] = self._asked_at

    def answer(self, action: Action, spent: Spent = NO_TIME) -> Fault | None:
        """Play the asked seat's action; an illegal one becomes a fault of the seat."""
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
        """Record a fault that is no illegal action, of the asked seat or another."""
        assert self.to_ask is not None and seat not in self.faulted
        fault = Fault(seat, kind, self._numbers[seat], reason, detail[:MOST_SENTENCE], evidence)
        self.history.append(Reply(seat, self._numbers[seat], None, fault, spent, False, len(self.log)))
        self._punish(fault)
        return fault

    @property
    def outcome(self) -> MatchOutcome:
        """Places, scores and faults now; final if the match is over."""
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
        self._numbers[self.to_ask or 0] -= 1  # the question stays open, for the seat or the autopilot
        self._proceed()

    def _proceed(self) -> None:
        """Let the autopilot play for seats at fault; then ask a seat or end."""
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
