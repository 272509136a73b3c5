"""GAME_TITLE: play safe, or dare. RULES.md has the rules by number."""

from collections.abc import Iterator
from typing import Annotated

from msgspec import Meta

from pips_referee.chance import Chance
from pips_referee.game import Action, Event, Game, Options, Outcome, State, Value, View, places_of

TURNS = 5
Whole = Annotated[int, Meta(ge=0, le=100)]


class Safe(Value, Action): ...


class Dare(Value, Action): ...


class Scored(Value, Event):
    seat: Whole
    points: Whole


class MyGameView(Value, View):
    seat: Whole
    kind: str
    points: tuple[Whole, ...]

    def legal_actions(self) -> Iterator[Safe | Dare]:
        return iter([Safe(), Dare()] if self.kind else [])


class MyGameState(State[MyGameView, Safe | Dare, Scored]):
    def __init__(self, seats: int, chance: Chance) -> None:
        self.chance, self.points, self.turns = chance, [0] * seats, 0
        self.to_ask: int | None = 0
        self.kind = "turn"

    def view(self, seat: int) -> MyGameView:
        return MyGameView(seat, self.kind if seat == self.to_ask else "", tuple(self.points))

    def apply(self, action: Safe | Dare) -> list[Scored]:
        seat, seats = self.turns % len(self.points), len(self.points)
        dared = 5 * self.chance.index(f"dare/{self.turns}", 2)
        gained = 2 if isinstance(action, Safe) else dared
        self.points[seat] += gained
        self.turns += 1
        self.to_ask, self.kind = (None, "") if self.turns == TURNS * seats else (self.turns % seats, "turn")
        return [Scored(seat, gained)]

    def outcome(self) -> Outcome:
        return Outcome(places_of(self.points), tuple(self.points))


class MyGame(Game[MyGameView, Safe | Dare, Scored]):
    name, title, rules_version = "my_game", "GAME_TITLE", 1
    kinds = ("turn",)

    def seats(self, options: Options) -> range:
        return range(2, 9)

    def start(self, options: Options, seats: int, chance: Chance) -> tuple[MyGameState, list[Scored]]:
        return MyGameState(seats, chance), []

    def longest(self, options: Options, seats: int) -> int:
        return TURNS * seats


GAME = MyGame()
