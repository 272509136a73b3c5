"""Twin worlds: the same match, with a difference that one seat cannot see.

A first match is played with random answers. Then one piece of its luck, or one answer
of another seat, is changed: two cards of a shuffle change places, or a roll is
different. The match is played again, and the watching seat answers as before. The other
seats answer so that it sees the same events as before, as long as they can. Until it
sees a different event, everything that it is shown must be the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from random import Random
from typing import Final, NamedTuple, TypeVar

from pips_referee.chance import SEED_BYTES, Chance, Stream
from pips_referee.errors import IllegalAction
from pips_referee.game import Action, AnyState, Event
from pips_referee.laws.case import BrokenLaw, Case, Probe
from pips_referee.laws.held import difference, unlike_inside
from pips_referee.match import Match, Question

T = TypeVar("T")
ENOUGH: Final = 100
"""A twin world ends after this many questions to the watching seat."""
WORLDS: Final = 12
"""How many twin worlds of a match are compared, for each of two seats."""
TRIED: Final = 200
"""How many answers are tried, at most, to find one that looks the same to the seat."""


class Change(NamedTuple):
    """The difference between a twin world and the first."""

    kind: str
    """The kind of draw from the stream `name`, or `answer`."""
    name: str
    one: int
    """The place to swap with `other`; what to add to a roll or index; or the seat."""
    other: int = 0
    """The number, from 0, of an answer among those of its seat."""

    def __str__(self) -> str:
        if self.kind == "answer":
            return f"seat {self.one} gave another answer to its question {self.other + 1}"
        swapped = f"its places {self.one} and {self.other} swapped" if self.kind == "shuffle" else "something else"
        return f"{self.name!r} drew {swapped}"


class TwinChance(Chance):
    """Luck with one change; it counts what is drawn from each stream."""

    def __init__(self, seed: bytes, change: Change | None = None) -> None:
        super().__init__(seed)
        self.change = change
        self.drawn: dict[str, tuple[str, int]] = {}
        """By the stream's name, the kind of draw and the number of things drawn."""

    def stream(self, name: str) -> Stream:
        self.drawn.setdefault(name, ("stream", 2))
        return super().stream(f"{name}'" if self._changes(name) == "stream" else name)

    def shuffled(self, name: str, items: Sequence[T], first: int | None = None) -> list[T]:
        self.drawn[name] = "shuffle", len(items)
        whole = super().shuffled(name, items)
        if self._changes(name) and self.change:
            _, _, one, other = self.change
            whole[one], whole[other] = whole[other], whole[one]
        return whole[:first]

    def dice(self, name: str, count: int = 2) -> tuple[int, ...]:
        self.drawn[name] = "dice", 6
        dice = list(super().dice(name, count))
        if self._changes(name) and self.change:
            dice[0] = (dice[0] - 1 + self.change.one) % 6 + 1
        return tuple(dice)

    def index(self, name: str, stop: int) -> int:
        self.drawn[name] = "index", stop
        index = super().index(name, stop)
        return (index + self.change.one) % stop if self._changes(name) and self.change else index

    def _changes(self, name: str) -> str:
        return self.change.kind if self.change and self.change.kind != "answer" and self.change.name == name else ""


class FirstQuestion(NamedTuple):
    """A question to the watching seat, what it had seen by then, and its answer."""

    seen: int
    question: Question
    state: AnyState
    numbers: tuple[int, ...]
    """By seat, the number of questions so far."""
    action: Action


class FirstEvents(NamedTuple):
    """The events that the watching seat saw after one answer."""

    events: list[Event]
    state: AnyState
    """The state after the events."""


@dataclass(frozen=True)
class FirstWorld:
    """A finished match as one seat experienced it."""

    case: Case
    number: int
    """The number whose bytes are the seed."""
    chance: TwinChance
    seat: int
    actions: list[list[Action]]
    """By seat, its answers."""
    seen: list[Event] = field(default_factory=list)
    asked: list[FirstQuestion] = field(default_factory=list)
    told: dict[int, FirstEvents] = field(default_factory=dict)
    """The events after an answer, by the number of events seen before."""


class Compared(NamedTuple):
    """How many questions could be compared: equal views of states that differ."""

    questions: int
    silences: int
    """How many of `questions` came after more, or fewer, questions to other seats."""


def seen_by(seat: int, log: Sequence[Event]) -> list[Event]:
    """The events as that seat sees them, without those that it does not see."""
    return [seen for event in log if (seen := event.seen_by(seat)) is not None]


def first_world(case: Case, number: int, seat: int) -> FirstWorld:
    """Play a match with random answers."""
    luck, rng = TwinChance(number.to_bytes(SEED_BYTES, "big")), Random(number)
    match = Match(case.game, case.options, case.seats, luck)
    probe, world = Probe(case), FirstWorld(case, number, luck, seat, [[] for _ in range(case.seats)])
    counts = [0] * case.seats
    told = 0
    while True:
        events = seen_by(seat, match.log[told:])
        if events:
            world.told[len(world.seen)] = FirstEvents(events, match.state.copy())
        world.seen.extend(events)
        told = len(match.log)
        if match.to_ask is None:
            return world
        probe.asked(number, len(match.history))
        counts[match.to_ask] += 1
        action = match.state.sample_action(rng)
        if match.to_ask == seat:
            asked = FirstQuestion(len(world.seen), match.question(), match.state.copy(), tuple(counts), action)
            world.asked.append(asked)
        world.actions[match.to_ask].append(action)
        if fault := match.answer(action):
            raise BrokenLaw(f"{case.id}, seed {number}: a random answer is illegal: {fault.detail}")


def changes(world: FirstWorld, rng: Random) -> Iterator[Change]:
    """Possible changes of the world, without end; none if nothing can be changed."""
    drawn = world.chance.drawn
    shuffles = [(name, size) for name, (kind, size) in drawn.items() if kind == "shuffle" and size > 1]
    others = [(name, kind, size) for name, (kind, size) in drawn.items() if kind != "shuffle" and size > 1]
    answers = [
        (seat, number)
        for seat, given in enumerate(world.actions)
        for number in range(min(ENOUGH, len(given)))
        if seat != world.seat
    ]
    while shuffles or others or answers:
        pick = rng.random()
        if shuffles and (pick < 0.6 or not (others or answers)):
            name, size = rng.choice(shuffles)
            one, other = rng.sample(range(size), 2)
            yield Change("shuffle", name, one, other)
        elif others and (pick < 0.8 or not answers):
            name, kind, size = rng.choice(others)
            yield Change(kind, name, rng.randrange(1, size))
        elif answers:
            yield Change("answer", "", *rng.choice(answers))


class TwinAnswers:
    """Answers for all seats of a twin world.

    They come until the watching seat sees something that it did not see in the first
    world.
    """

    def __init__(self, world: FirstWorld, enough: int = ENOUGH, change: Change | None = None) -> None:
        self.world, self.enough, self.change = world, enough, change
        self.counts = [0] * world.case.seats
        """By seat, the number of questions so far."""
        self.news: list[Event] = []
        """The last events that the watching seat saw, after the first `seen` ones."""
        self.seen = 0
        self._told = 0

    @property
    def before(self) -> FirstQuestion:
        """The watching seat's current question, as the first world asked it."""
        return self.world.asked[self.counts[self.world.seat] - 1]

    def answer(self, match: Match) -> Action | None:
        """The answer to the open question; None if there is nothing more to compare."""
        world, seat = self.world, self.world.seat
        self.seen += len(self.news)
        self.news = seen_by(seat, match.log[self._told :])
        self._told, seen = len(match.log), self.seen + len(self.news)
        if self.news != world.seen[self.seen : seen] or match.to_ask is None or self.counts[seat] == self.enough:
            return None
        asked = match.to_ask
        self.counts[asked] += 1
        if asked != seat:
            return self._same_to_see(match, seen, self.counts[asked] - 1)
        if self.counts[seat] > len(world.asked) or self.before.seen != seen:
            return None  # in the first world other events came before this question
        return self.before.action

    def _same_to_see(self, match: Match, seen: int, number: int) -> Action | None:
        """An answer after which the watching seat still sees the same events.

        It is the asked seat's old answer if possible. If that answer is the change, it
        is another one.
        """
        world, best, longest = self.world, None, -1
        assert match.to_ask is not None
        old = world.actions[match.to_ask][number : number + 1]
        refused = old if self.change == ("answer", "", match.to_ask, number) else []
        for action in chain(old, islice(match.state.legal_actions(), TRIED)):
            if action in refused:
                continue
            try:
                events = seen_by(world.seat, match.state.copy().apply(action))
            except IllegalAction:
                continue  # the old answer, which is illegal in this world
            if events == world.seen[seen : seen + len(events)] and len(events) > longest:
                best, longest = action, len(events)
                if action in old and events:
                    break
        return best


def compare(world: FirstWorld, change: Change) -> Compared:
    """Play the twin world of that change until the watching seat sees a difference.

    `BrokenLaw` if the seat is shown something that it cannot know.
    """
    case, seat = world.case, world.seat
    match = Match(case.game, case.options, case.seats, TwinChance(world.chance.seed, change))
    follower = TwinAnswers(world, change=change)
    questions = silences = 0
    while (action := follower.answer(match)) is not None:
        where = f"{case.id}, seed {world.number}, after {sum(follower.counts) - 1} decisions, where {change}"
        if match.to_ask == seat:
            before = follower.before
            if unlike := difference(match.question(), before.question):
                raise BrokenLaw(f"{where}: the question tells seat {seat} what no event has told it: {unlike}")
            if unlike_inside(match.state, before.state):
                questions += 1
                silences += tuple(follower.counts) != before.numbers
        if fault := match.answer(action):
            raise BrokenLaw(f"{where}: with an equal view, {action!r} is illegal: {fault.detail}")
    _parted(match, follower, f"{case.id}, seed {world.number}, after {sum(follower.counts)} decisions, where {change}")
    return Compared(questions, silences)


def _parted(match: Match, follower: TwinAnswers, where: str) -> None:
    """`BrokenLaw` if an event tells the watching seat what its view hides.

    That is so if it saw a different event, but of all views only those of others
    differ.
    """
    seat, told = follower.world.seat, follower.world.told.get(follower.seen)
    if told is None or told.state.to_ask is None or match.to_ask is None:
        return  # after the match everything may be shown
    pairs = [(one, other) for one, other in zip(follower.news, told.events, strict=False) if one != other]
    views = [(match.state.view(place), told.state.view(place)) for place in range(match.seats)]
    unlike = [one != other and one.kind == other.kind for one, other in views]
    if pairs and views[seat][0] == views[seat][1] and any(unlike):
        event, other = pairs[0]
        raise BrokenLaw(
            f"{where}: {event!r} tells seat {seat} what its view hides ({type(event).__name__}."
            f"{difference(event, other)}): hide it in `seen_by`, or let the view show it"
        )


def nothing_hidden_shows(probe: Probe) -> None:
    """Views, events and silences depend on nothing hidden: a seat learns by events."""
    for seat in {0, probe.case.seats - 1}:
        world = first_world(probe.case, 1, seat)
        for change in islice(changes(world, Random(2)), WORLDS):
            probe.compared += compare(world, change).questions
