"""Kuhn poker: three cards, one bet. RULES.md has the rules by number."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, ClassVar

from msgspec import Meta

from pips_referee.cards import Card, parse_cards
from pips_referee.chance import Chance
from pips_referee.game import (
    Action,
    Event,
    Game,
    MarginScale,
    Options,
    Outcome,
    State,
    Value,
    View,
    check_whole,
    places_of,
)  # fmt: skip

PACK = parse_cards("JS QS KS")
Seat = Annotated[int, Meta(ge=0, le=1)]
Hand = Annotated[int, Meta(ge=0, le=10_000)]
Chips = Annotated[int, Meta(ge=-20_000, le=20_000)]
Acts = Annotated[tuple[bool, ...], Meta(max_length=3)]


@dataclass(frozen=True, slots=True)
class KuhnOptions(Options):
    hands: int = 20

    def __post_init__(self) -> None:
        check_whole(self, "hands", 1, 10_000)


class Pass(Value, Action): ...


class Bet(Value, Action): ...


class Dealt(Value, Event):
    chance: ClassVar[bool] = True
    seat: Seat
    card: Card | None

    def seen_by(self, seat: int) -> "Dealt":
        return self if seat == self.seat else Dealt(self.seat, None)


class Acted(Value, Event):
    seat: Seat
    bet: bool


class Shown(Value, Event):
    cards: tuple[Card, Card]


class Won(Value, Event):
    seat: Seat
    chips: Chips


KuhnEvent = Dealt | Acted | Shown | Won


class KuhnView(Value, View):
    seat: Seat
    kind: str
    card: Card
    hand: Hand
    hands: Hand
    bets: Acts
    chips: tuple[Chips, Chips]

    def legal_actions(self) -> Iterator[Pass | Bet]:
        return iter([Pass(), Bet()] if self.kind else [])


class KuhnState(State[KuhnView, Pass | Bet, KuhnEvent], lists="cards chips bets"):
    __slots__ = ("bets", "cards", "chance", "chips", "hand", "hands", "kind", "to_ask")

    def __init__(self, hands: int, chance: Chance) -> None:
        self.hands, self.chance, self.hand, self.chips = hands, chance, -1, [0, 0]
        self.to_ask: int | None = None
        self.kind, self.cards, self.bets = "", list[Card](), list[bool]()

    def deal(self) -> list[KuhnEvent]:  # clauses 1, 2
        self.hand, self.bets = self.hand + 1, []
        if self.hand == self.hands:
            self.to_ask, self.kind = None, ""
            return []
        self.cards = self.chance.shuffled(f"deal/{self.hand}", PACK, 2)
        self.to_ask, self.kind = self.hand % 2, "turn"
        return [Dealt(seat, card) for seat, card in enumerate(self.cards)]

    def view(self, seat: int) -> KuhnView:
        kind, (one, other) = self.kind if seat == self.to_ask else "", self.chips
        return KuhnView(seat, kind, self.cards[seat], self.hand, self.hands, tuple(self.bets), (one, other))

    def apply(self, action: Pass | Bet) -> list[KuhnEvent]:
        assert self.to_ask is not None
        seat, bet = self.to_ask, isinstance(action, Bet)
        self.bets.append(bet)
        called = self.bets[-2:-1] == [bet]  # both have passed, or both have bet
        if not called and (bet or len(self.bets) == 1):  # clauses 3, 6
            self.to_ask = 1 - seat
            return [Acted(seat, bet)]
        one, other = self.cards
        winner = int(other.rank > one.rank) if called else 1 - seat  # clauses 4, 5
        won = 2 if called and bet else 1
        self.chips[winner] += won
        self.chips[1 - winner] -= won
        shown = [Shown((one, other))] if called else []  # clause 7
        return [Acted(seat, bet), *shown, Won(winner, won), *self.deal()]

    def outcome(self) -> Outcome:
        return Outcome(places_of(self.chips), tuple(self.chips))


class Kuhn(Game[KuhnView, Pass | Bet, KuhnEvent]):
    name, title, rules_version = "kuhn", "Kuhn poker", 1
    options_type, kinds, margin = KuhnOptions, ("turn",), MarginScale(6.0, 3.0)

    def seats(self, options: Options) -> range:
        return range(2, 3)

    def start(self, options: Options, seats: int, chance: Chance) -> tuple[KuhnState, list[KuhnEvent]]:
        assert isinstance(options, KuhnOptions)
        state = KuhnState(options.hands, chance)
        return state, state.deal()

    def longest(self, options: Options, seats: int) -> int:
        assert isinstance(options, KuhnOptions)
        return 3 * options.hands


GAME = Kuhn()
