"""Pig: roll on, or hold what the turn has brought."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, ClassVar

from msgspec import Meta

from pips_referee.chance import Chance
from pips_referee.game import Action, Event, Game, Options, Outcome, State, Value, View, check_whole, places_of

Seat = Annotated[int, Meta(ge=0, le=7)]
Points = Annotated[int, Meta(ge=0, le=1000)]
Die = Annotated[int, Meta(ge=1, le=6)]


@dataclass(frozen=True, slots=True)
class PigOptions(Options):
    goal: int = 100
    rounds: int = 50

    def __post_init__(self) -> None:
        check_whole(self, "goal", 2, 500)
        check_whole(self, "rounds", 1, 200)


class Roll(Value, Action):
    pass


class Hold(Value, Action):
    pass


class Threw(Value, Event):
    chance: ClassVar[bool] = True
    seat: Seat
    die: Die


class Held(Value, Event):
    seat: Seat
    points: Points


class PigView(Value, View):
    seat: Seat
    kind: str
    total: Points
    points: Annotated[tuple[Points, ...], Meta(max_length=8)]
    goal: Points

    def legal_actions(self) -> Iterator[Roll | Hold]:
        return iter([Roll(), Hold()] if self.kind else [])


class PigState(State[PigView, Roll | Hold, Threw | Held]):
    __slots__ = ("chance", "kind", "options", "points", "throws", "to_ask", "total", "turns")

    def __init__(self, options: PigOptions, seats: int, chance: Chance) -> None:
        self.options, self.chance, self.points = options, chance, [0] * seats
        self.to_ask: int | None = 0
        self.kind, self.total, self.throws, self.turns = "turn", 0, 0, 0

    def view(self, seat: int) -> PigView:
        kind = self.kind if seat == self.to_ask else ""
        return PigView(seat, kind, self.total, tuple(self.points), self.options.goal)

    def apply(self, action: Roll | Hold) -> list[Threw | Held]:
        assert self.to_ask is not None
        if isinstance(action, Roll):
            return self.throw()
        self.points[self.to_ask] += self.total
        return [Held(self.to_ask, self.points[self.to_ask]), *self.pass_on()]

    def throw(self) -> list[Threw | Held]:  # clauses 2, 3
        assert self.to_ask is not None
        die = 1 + self.chance.index(f"throw/{self.throws}", 6)
        self.throws, self.total, thrown = self.throws + 1, self.total + die, Threw(self.to_ask, die)
        return [thrown, *self.pass_on()] if die == 1 else [thrown]

    def pass_on(self) -> list[Threw | Held]:  # clauses 4 to 7
        assert self.to_ask is not None
        self.turns, self.total = self.turns + 1, 0
        if max(self.points) >= self.options.goal or self.turns == self.options.rounds * len(self.points):
            self.to_ask, self.kind = None, ""
            return []
        self.to_ask = self.turns % len(self.points)
        return self.throw()

    def outcome(self) -> Outcome:
        return Outcome(places_of(self.points), tuple(self.points))


class Pig(Game[PigView, Roll | Hold, Threw | Held]):
    name, title, rules_version = "pig", "Pig", 1
    options_type = PigOptions
    kinds = ("turn",)

    def seats(self, options: Options) -> range:
        return range(2, 9)

    def start(self, options: Options, seats: int, chance: Chance) -> tuple[PigState, list[Threw | Held]]:
        assert isinstance(options, PigOptions)
        state = PigState(options, seats, chance)
        return state, state.throw()

    def longest(self, options: Options, seats: int) -> int:
        assert isinstance(options, PigOptions)
        return options.rounds * seats * (options.goal // 2 + 2)


GAME = Pig()
