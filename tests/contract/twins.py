"""Twin worlds: the same match with other luck where a seat cannot see it, for as long
as that seat sees no difference.

A first match is played with random answers. Then one piece of its luck is changed (two
cards of a shuffle change places, a roll falls otherwise) and the match is played again:
the seat answers as before, the others answer so that the seat sees what it saw before,
as long as they can. Up to the moment where the seat sees something else, everything
that it was sent must be the same, byte by byte.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from random import Random
from typing import NamedTuple, TypeVar

from pips.v1 import game_pb2
from pips_referee.chance import Chance
from pips_referee.errors import IllegalAction
from pips_referee.game import Action, AnyState, Event
from pips_referee.match import Match, Question
from pips_referee.wire import get_wire
from tests.contract.cases import Case

T = TypeVar("T")
ENOUGH = 100
"""Questions to the watching seat after which a twin world is left."""


class Change(NamedTuple):
    """One stream that gives something else: places of a shuffle that are swapped, or a
    number added to dice.
    """

    name: str
    one: int
    other: int


class TwinChance(Chance):
    """Luck with one change; notes the size of everything that is drawn by name."""

    def __init__(self, seed: bytes, change: Change | None = None) -> None:
        super().__init__(seed)
        self.change = change
        self.shuffles: dict[str, int] = {}
        self.rolls: dict[str, int] = {}

    def shuffled(self, name: str, items: Sequence[T], first: int | None = None) -> list[T]:
        self.shuffles[name] = len(items)
        whole = super().shuffled(name, items)
        if self.change and self.change.name == name:
            _, one, other = self.change
            whole[one], whole[other] = whole[other], whole[one]
        return whole[:first]

    def dice(self, name: str, count: int = 2) -> tuple[int, ...]:
        self.rolls[name] = count
        dice = list(super().dice(name, count))
        if self.change and self.change.name == name:
            dice[0] = (dice[0] - 1 + self.change.one) % 6 + 1
        return tuple(dice)


class Asked(NamedTuple):
    """A question as it was put: what had been seen by then, what was sent, and how it
    was answered.
    """

    seen: int
    sent: tuple[int, bytes, tuple[bytes, ...]]
    state: AnyState
    numbers: tuple[int, ...]
    """By seat, how many questions there had been."""
    action: Action


@dataclass(frozen=True)
class World:
    """A finished match as one seat lived it."""

    case: Case
    chance: TwinChance
    seat: int
    seen: list[Event]
    asked: list[Asked]
    actions: list[list[Action]]
    """By seat."""


class Compared(NamedTuple):
    """What a twin world showed: questions that came the same in different worlds."""

    questions: int
    silences: int
    """The questions by which another seat had been asked more often in one of two
    worlds.
    """


def sent(case: Case, question: Question) -> tuple[int, bytes, tuple[bytes, ...]]:
    """Number, view and news, as bytes on the wire."""
    wire, view = get_wire(case.game_name), game_pb2.GameView()
    wire.write_view(question.view, view)
    events = []
    for event in question.events:
        message = game_pb2.GameEvent()
        wire.write_event(event, message)
        events.append(message.SerializeToString(deterministic=True))
    return question.number, view.SerializeToString(deterministic=True), tuple(events)


def seen_by(seat: int, log: Sequence[Event]) -> list[Event]:
    return [seen for event in log if (seen := event.seen_by(seat)) is not None]


def first_world(case: Case, number: int, seat: int) -> World:
    """A match of random answers."""
    luck, rng = TwinChance(number.to_bytes(32, "big")), Random(number)
    match = Match(case.game, case.options, case.seats, luck)
    asked: list[Asked] = []
    actions: list[list[Action]] = [[] for _ in range(case.seats)]
    counts = [0] * case.seats
    seen: list[Event] = []
    told = 0
    while match.to_ask is not None:
        seen += seen_by(seat, match.log[told:])
        told = len(match.log)
        counts[match.to_ask] += 1
        action = match.state.sample_action(rng)
        if match.to_ask == seat:
            shown = sent(case, match.question())
            asked.append(Asked(len(seen), shown, match.state.copy(), tuple(counts), action))
        actions[match.to_ask].append(action)
        assert match.answer(action) is None
    return World(case, luck, seat, seen_by(seat, match.log), asked, actions)


def changes(world: World, rng: Random) -> Iterator[Change]:
    """Changes of the world's luck, without end."""
    shuffles, rolls = world.chance.shuffles, world.chance.rolls
    while True:
        if not rolls or rng.random() < 0.8:
            name = rng.choice(list(shuffles))
            one, other = rng.sample(range(shuffles[name]), 2)
            yield Change(name, one, other)
        else:
            yield Change(rng.choice(list(rolls)), rng.randrange(1, 6), 0)


class Follower:
    """Answers for all seats of a twin world, for as long as the watching seat sees what
    it saw in the first.
    """

    def __init__(self, world: World, enough: int = ENOUGH) -> None:
        self.world, self.enough = world, enough
        self.counts = [0] * world.case.seats
        """By seat, how many questions there were."""
        self._seen = self._told = 0

    @property
    def before(self) -> Asked:
        """The question in the first world that is now the watching seat's."""
        return self.world.asked[self.counts[self.world.seat] - 1]

    def answer(self, match: Match) -> Action | None:
        """The answer to the open question; None if there is no more to compare."""
        world, seat = self.world, self.world.seat
        news = seen_by(seat, match.log[self._told :])
        same = news == world.seen[self._seen : self._seen + len(news)]
        self._told, self._seen = len(match.log), self._seen + len(news)
        if not same or match.to_ask is None or self.counts[seat] == self.enough:
            return None
        asked = match.to_ask
        self.counts[asked] += 1
        if asked != seat:
            return _same_to_see(world, match, self._seen, self.counts[asked] - 1)
        if self.counts[seat] > len(world.asked) or self.before.seen != self._seen:
            return None  # in the first world something else came before this question
        return self.before.action


def compare(world: World, change: Change) -> Compared:
    """Play the twin world of that change for as long as the seat sees no difference."""
    case, seat = world.case, world.seat
    match = Match(case.game, case.options, case.seats, TwinChance(world.chance.seed, change))
    follower = Follower(world)
    questions = silences = 0
    while (action := follower.answer(match)) is not None:
        if match.to_ask == seat:
            before = follower.before
            assert sent(case, match.question()) == before.sent, f"{change} tells seat {seat} what it cannot see"
            if differ(match.state, before.state):
                questions += 1
                silences += tuple(follower.counts) != before.numbers
        assert match.answer(action) is None, "what was legal with the same view is legal"
    return Compared(questions, silences)


def differ(one: AnyState, other: AnyState) -> bool:
    """Whether the states differ in anything but the luck that is still to come."""
    slots: Sequence[str] = type(one).__slots__
    return any(getattr(one, slot) != getattr(other, slot) for slot in slots if slot != "chance")


def _same_to_see(world: World, match: Match, seen: int, number: int) -> Action | None:
    """An answer of the asked seat after which the watching seat goes on seeing what it
    saw; its old one if possible.
    """
    assert match.to_ask is not None
    old = world.actions[match.to_ask][number : number + 1]
    best, longest = None, -1
    for action in chain(old, islice(match.state.legal_actions(), 200)):
        try:
            events = seen_by(world.seat, match.state.copy().apply(action))
        except IllegalAction:
            continue  # the old answer, in a world where it cannot be given
        if events == world.seen[seen : seen + len(events)] and len(events) > longest:
            best, longest = action, len(events)
            if action in old and events:
                break
    return best
