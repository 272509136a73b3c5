"""A toy game for two to six seats: small enough to know every place by heart, with
secrets and luck all the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Self

from pips_referee.chance import Chance, Rng
from pips_referee.errors import IllegalAction
from pips_referee.game import Action, Event, Game, Options, Outcome, State, View, places_of

HIGHEST = 3


@dataclass(frozen=True, slots=True)
class ToyOptions(Options):
    """`turns`: the picks of every seat."""

    turns: int = 3


class Reason(StrEnum):
    TOO_HIGH = "too_high"


@dataclass(frozen=True, slots=True)
class Pick(Action):
    """A number of points to take, 0 to 3. After a 0 the seat picks again at once."""

    points: int


@dataclass(frozen=True, slots=True)
class Secret(Event):
    """Each seat gets a number that only it sees; the others see nothing at all."""

    chance: ClassVar[bool] = True
    seat: int
    number: int

    def seen_by(self, seat: int) -> Secret | None:
        return self if seat == self.seat else None


@dataclass(frozen=True, slots=True)
class Picked(Event):
    """What a seat took; only the seat itself sees how much."""

    seat: int
    points: int | None

    def seen_by(self, seat: int) -> Picked:
        return self if seat == self.seat else Picked(self.seat, None)


@dataclass(frozen=True, slots=True)
class ToyView(View):
    seat: int
    kind: str
    points: int

    def legal_actions(self) -> Iterator[Pick]:
        return iter([Pick(points) for points in range(HIGHEST + 1)] if self.kind else [])

    def random_action(self, rng: Rng) -> Pick:
        return Pick(rng.randrange(HIGHEST + 1))


class ToyState(State[ToyView, Pick, Secret | Picked]):
    __slots__ = ("kind", "points", "to_ask", "turns_left")

    def __init__(self, turns: int, seats: int) -> None:
        self.points = [0] * seats
        self.turns_left = turns * seats
        self.to_ask: int | None = 0
        self.kind = "pick"

    def view(self, seat: int) -> ToyView:
        return ToyView(seat, self.kind if seat == self.to_ask else "", self.points[seat])

    def legal_actions(self) -> Iterator[Pick]:
        assert self.to_ask is not None
        return self.view(self.to_ask).legal_actions()

    def sample_action(self, rng: Rng) -> Pick:
        return Pick(rng.randrange(HIGHEST + 1))

    def apply(self, action: Pick) -> list[Secret | Picked]:
        seat = self.to_ask
        assert seat is not None
        if action.points > HIGHEST:
            raise IllegalAction(Reason.TOO_HIGH, action, f"{action.points} is more than {HIGHEST}")
        self.points[seat] += action.points
        self.turns_left -= 1
        if action.points:
            self.to_ask = (seat + 1) % len(self.points)
        if not self.turns_left:
            self.to_ask, self.kind = None, ""
        return [Picked(seat, action.points)]

    def outcome(self) -> Outcome:
        return Outcome(places_of(self.points), tuple(self.points))

    def copy(self) -> Self:
        twin = copy(self)
        twin.points = [*self.points]
        return twin


class Toy(Game[ToyView, Pick, Secret | Picked]):
    name = "toy"
    title = "Toy"
    rules_version = 1
    options_type = ToyOptions
    kinds = ("pick",)

    def seats(self, options: Options) -> range:
        return range(2, 7)

    def start(self, options: Options, seats: int, chance: Chance) -> tuple[ToyState, list[Secret | Picked]]:
        assert isinstance(options, ToyOptions)
        secrets = [Secret(seat, chance.index(f"secret/{seat}", 100)) for seat in range(seats)]
        return ToyState(options.turns, seats), [*secrets]

    def longest(self, options: Options, seats: int) -> int:
        assert isinstance(options, ToyOptions)
        return options.turns * seats


TOY = Toy()
