"""Hearts: tricks, and points that nobody wants. RULES.md has the rules by number."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from typing import Annotated, ClassVar, Self

from msgspec import Meta
from msgspec.structs import replace

from pips_referee.cards import CARDS, Card, Suit, parse_card
from pips_referee.chance import Chance
from pips_referee.errors import IllegalAction
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
    check_flag,
    check_whole,
    places_of,
)  # fmt: skip

TWO, QUEEN = parse_card("2C"), parse_card("QS")
TO: tuple[int, ...] = (1, 3, 2, 0)
"""By hand, how many seats further three cards are passed."""
Seat = Annotated[int, Meta(ge=0, le=3)]
Number = Annotated[int, Meta(ge=0, le=100)]
Points = Annotated[int, Meta(ge=0, le=2600)]
Some = Annotated[tuple[Card, ...], Meta(max_length=13)]
Four = tuple[Points, Points, Points, Points]


@dataclass(frozen=True, slots=True)
class HeartsOptions(Options):
    hands: int = 4
    passing: bool = True

    def __post_init__(self) -> None:
        check_whole(self, "hands", 1, 100)
        check_flag(self, "passing")


class Reason(StrEnum):
    NOT_LEGAL = "not_legal"


class Pass(Value, Action):
    cards: tuple[Card, Card, Card]


class Play(Value, Action):
    card: Card


class Dealt(Value, Event):
    chance: ClassVar[bool] = True
    seat: Seat
    cards: Some | None

    def seen_by(self, seat: int) -> Self:
        return self if seat == self.seat else replace(self, cards=None)


class Passed(Value, Event):
    seat: Seat
    cards: Some | None
    seen_by = Dealt.seen_by


class Received(Value, Event):
    seat: Seat
    cards: Some | None
    seen_by = Dealt.seen_by


class Played(Value, Event):
    seat: Seat
    card: Card


class Took(Value, Event):
    seat: Seat
    points: Points


class Scored(Value, Event):
    points: Four


HeartsEvent = Dealt | Passed | Received | Played | Took | Scored


def points_of(card: Card) -> int:
    """What a card counts (clause 8)."""
    return 13 if card == QUEEN else int(card.suit == Suit.HEARTS)


def height(card: Card) -> int:
    """Its rank, the ace high."""
    return card.rank if card.rank > 1 else 14


def playable(hand: Sequence[Card], played: Sequence[Card]) -> list[Card]:
    """The cards of a hand that may be played after these (clauses 3 to 6)."""
    if not played:
        return [card for card in hand if card == TWO]
    if led := played[len(played) // 4 * 4 :]:
        follow = [card for card in hand if card.suit == led[0].suit]
        harmless = [card for card in hand if len(played) < 4 and not points_of(card)]
        return follow or harmless or [*hand]
    broken = any(map(points_of, played))
    return [card for card in hand if broken or card.suit != Suit.HEARTS] or [*hand]


class HeartsView(Value, View):
    """`leaders` are by trick, and four cards are `played` a trick, from its leader on.
    Points are by seat: those `taken` in this hand, and `points` of the hands before.
    """

    seat: Seat
    kind: str
    number: Number
    hand: Some
    to: Seat
    passed: Some
    received: Some
    leaders: Annotated[tuple[Seat, ...], Meta(max_length=13)]
    played: Annotated[tuple[Card, ...], Meta(max_length=52)]
    taken: Four
    points: Four
    hands: Number
    passing: bool

    def legal_actions(self) -> Iterator[Pass | Play]:
        if self.kind == "give":
            return (Pass(three) for three in combinations(self.hand, 3))
        return iter([Play(card) for card in playable(self.hand, self.played)] if self.kind else [])


class HeartsState(
    State[HeartsView, Pass | Play, HeartsEvent], lists="passed received leaders played taken points", nested="hold"
):
    __slots__ = (
        "chance", "hands", "hold", "kind", "leaders", "number", "passed", "passing", "played", "points", "received",
        "taken", "to_ask",
    )  # fmt: skip

    def __init__(self, hands: int, passing: bool, chance: Chance) -> None:
        self.hands, self.passing, self.chance, self.number = hands, passing, chance, -1
        self.hold: list[list[Card]] = [[], [], [], []]
        self.passed: list[tuple[Card, ...]] = [(), (), (), ()]
        self.received = [*self.passed]
        self.leaders, self.played = list[int](), list[Card]()
        self.taken, self.points = [0] * 4, [0] * 4
        self.to_ask: int | None = None
        self.kind = ""

    @property
    def to(self) -> int:
        return TO[self.number % 4] if self.passing else 0

    def view(self, seat: int) -> HeartsView:
        (a, b, c, d), (e, f, g, h) = self.taken, self.points
        return HeartsView(
            seat, self.kind if seat == self.to_ask else "", self.number, tuple(self.hold[seat]), self.to,
            self.passed[seat], self.received[seat], tuple(self.leaders), tuple(self.played), (a, b, c, d),
            (e, f, g, h), self.hands, self.passing,
        )  # fmt: skip

    def deal(self) -> list[HeartsEvent]:  # clause 1
        self.number += 1
        if self.number == self.hands:
            self.number, self.to_ask, self.kind = self.number - 1, None, ""
            return []
        pack = self.chance.shuffled(f"deal/{self.number}", CARDS)
        self.hold = [sorted(pack[13 * seat : 13 * seat + 13]) for seat in range(4)]
        self.passed, self.received, self.taken = [(), (), (), ()], [(), (), (), ()], [0] * 4
        self.leaders, self.played = [], []
        self.to_ask, self.kind = 0, "give"
        dealt: list[HeartsEvent] = [Dealt(seat, tuple(hand)) for seat, hand in enumerate(self.hold)]
        return dealt if self.to else [*dealt, *self.begin()]

    def begin(self) -> list[HeartsEvent]:  # clause 3
        leader = next(seat for seat in range(4) if TWO in self.hold[seat])
        self.to_ask, self.kind = leader, "play"
        self.leaders.append(leader)
        return self.play_on()

    def apply(self, action: Pass | Play) -> list[HeartsEvent]:
        seat = self.to_ask
        assert seat is not None
        if isinstance(action, Play):
            if self.kind != "play" or action.card not in playable(self.hold[seat], self.played):
                raise IllegalAction(Reason.NOT_LEGAL, action, f"{action.card} cannot be played now")
            return [*self.play(seat, action.card), *self.play_on()]
        if self.kind != "give" or len({*action.cards} & {*self.hold[seat]}) != 3:
            raise IllegalAction(Reason.NOT_LEGAL, action, "only three cards of the hand are passed, before the play")
        self.passed[seat] = action.cards
        return [Passed(seat, action.cards), *self.pass_on(seat)]

    def pass_on(self, seat: int) -> list[HeartsEvent]:  # clause 2
        self.to_ask = seat + 1
        if seat < 3:
            return []
        events: list[HeartsEvent] = []
        for giver, cards in enumerate(self.passed):
            self.received[(giver + self.to) % 4] = cards
            events.append(Received((giver + self.to) % 4, cards))
        for place, hand in enumerate(self.hold):
            self.hold[place] = sorted({*hand} - {*self.passed[place]} | {*self.received[place]})
        return [*events, *self.begin()]

    def play_on(self) -> list[HeartsEvent]:
        events: list[HeartsEvent] = []
        while self.kind == "play" and self.to_ask is not None:
            cards = playable(self.hold[self.to_ask], self.played)
            if len(cards) > 1:
                break
            events += self.play(self.to_ask, cards[0])
        return events

    def play(self, seat: int, card: Card) -> list[HeartsEvent]:
        self.hold[seat].remove(card)
        self.played.append(card)
        self.to_ask = (seat + 1) % 4
        if len(self.played) % 4:
            return [Played(seat, card)]
        trick, leader = self.played[-4:], self.leaders[-1]
        best = max(range(4), key=lambda place: (trick[place].suit == trick[0].suit, height(trick[place])))  # clause 7
        taker, points = (leader + best) % 4, sum(map(points_of, trick))
        self.taken[taker] += points
        self.to_ask = taker
        if len(self.played) < 52:
            self.leaders.append(taker)
            return [Played(seat, card), Took(taker, points)]
        one, two, three, four = (26 - taken if 26 in self.taken else taken for taken in self.taken)  # clause 8
        scored = one, two, three, four
        self.points = [points + more for points, more in zip(self.points, scored, strict=True)]
        return [Played(seat, card), Took(taker, points), Scored(scored), *self.deal()]

    def outcome(self) -> Outcome:
        scores = tuple([-points for points in self.points])
        return Outcome(places_of(scores), scores)


class Hearts(Game[HeartsView, Pass | Play, HeartsEvent]):
    name, title, rules_version = "hearts", "Hearts", 1
    options_type, kinds, margin = HeartsOptions, ("give", "play"), MarginScale(20.0, 3.0)

    def seats(self, options: Options) -> range:
        return range(4, 5)

    def start(self, options: Options, seats: int, chance: Chance) -> tuple[HeartsState, list[HeartsEvent]]:
        assert isinstance(options, HeartsOptions)
        state = HeartsState(options.hands, options.passing, chance)
        return state, state.deal()

    def longest(self, options: Options, seats: int) -> int:
        assert isinstance(options, HeartsOptions)
        return 52 * options.hands


GAME = Hearts()
