"""Wichita's values: options, actions, full events, and the view of one seat."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import ClassVar, Final

from pips_referee.cards import CARDS, Card
from pips_referee.chance import Rng
from pips_referee.game import Action, Event, Options, Value, View, check_whole
from pips_referee.games.wichita.stacks import layouts, legal_stacks, random_layout

MAX_DECKS: Final = 12
SUITS: Final = 4
PACK: Final = len(CARDS)

DRAW, LAY = "draw", "lay"

Dice = tuple[int, int]
Stack = tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class WichitaOptions(Options):
    """`decks`: the number of packs, 1 to 12; 0 means one for every two seats (W1)."""

    decks: int = 0

    def __post_init__(self) -> None:
        check_whole(self, "decks", 0, MAX_DECKS)

    def decks_for(self, seats: int) -> int:
        """The number of packs for this number of seats."""
        return self.decks or (seats + 1) // 2


class DrawOn(Action, Value):
    """Whether to draw on, up to the higher die (W3)."""

    more: bool


class Lay(Action, Value):
    """The stacks to lay down, maybe none (W4).

    The cards of a stack may be in any order.
    """

    stacks: tuple[Stack, ...]


WichitaAction = DrawOn | Lay


class RolledForFirst(Event, Value):
    """A seat rolled to decide who begins (W2)."""

    chance: ClassVar[bool] = True
    seat: int
    dice: Dice


class Rolled(Event, Value):
    """A turn began with this roll (W3)."""

    chance: ClassVar[bool] = True
    seat: int
    dice: Dice


class Drew(Event, Value):
    """`count` cards were drawn (W3).

    `cards` is None if the viewing seat may not see them (W9).
    """

    chance: ClassVar[bool] = True
    seat: int
    count: int
    cards: tuple[Card, ...] | None

    def seen_by(self, seat: int) -> Drew:
        return self if seat == self.seat else _drew_unseen(self.seat, self.count)


class Laid(Event, Value):
    """The stacks were laid down, maybe none, with their points (W4, W5)."""

    seat: int
    stacks: tuple[Stack, ...]
    points: int


class TurnedUp(Event, Value):
    """The hand was emptied, so the stock's next card became one more stack (W6)."""

    chance: ClassVar[bool] = True
    seat: int
    card: Card


WichitaEvent = RolledForFirst | Rolled | Drew | Laid | TurnedUp


class WichitaView(View, Value):
    """What one seat knows: its own hand, and all that lies on the table (W9)."""

    seat: int
    kind: str
    player: int
    """The seat whose turn it is."""
    dice: Dice
    """The roll of this turn."""
    hand: tuple[Card, ...]
    """Your cards, by rank and then by suit."""
    hand_sizes: tuple[int, ...]
    """By seat, the number of cards in hand."""
    points: tuple[int, ...]
    """By seat, the points of stacks; cards in hand are deducted at the end (W8)."""
    stock_size: int
    laid: tuple[int, ...]
    """By rank, ace to king, how many cards are in the stacks of all seats."""
    decks: int
    """How many packs are in play."""

    @property
    def target(self) -> int:
        """The sum of the dice, which a stack must make."""
        return self.dice[0] + self.dice[1]

    @property
    def more_cards(self) -> int:
        """For "draw": how many cards drawing on would bring."""
        return min(abs(self.dice[0] - self.dice[1]), self.stock_size)

    @property
    def scores(self) -> tuple[int, ...]:
        """By seat, the score if the match ended now (W8)."""
        return tuple([points - size for points, size in zip(self.points, self.hand_sizes, strict=True)])

    @property
    def unseen(self) -> tuple[int, ...]:
        """By rank, ace to king, how many cards are in the stock or in other hands."""
        ranks = [card.rank for card in self.hand]
        return tuple([SUITS * self.decks - laid - ranks.count(rank) for rank, laid in enumerate(self.laid, 1)])

    def legal_stacks(self) -> Iterator[Stack]:
        """Every distinct stack of your hand for this roll, ignoring suits; lazy."""
        return legal_stacks(self.hand, self.target)

    def legal_actions(self) -> Iterator[WichitaAction]:
        """The legal answers, ignoring suits and the order of stacks and cards; lazy."""
        return answers(self.kind, self.hand, self.dice)

    def random_action(self, rng: Rng) -> WichitaAction:
        return random_answer(self.kind, self.hand, self.dice, rng)


DRAWS: Final = (DrawOn(more=False), DrawOn(more=True))
BY_RANK: Final = tuple(SUITS * card.rank + card.suit for card in CARDS)
by_rank: Final = BY_RANK.__getitem__
"""The sort key of hands."""


@cache
def _drew_unseen(seat: int, count: int) -> Drew:
    """One event object for all other seats; a match has few different ones."""
    return Drew(seat, count, None)


def answers(kind: str, hand: Sequence[Card], dice: Dice) -> Iterator[WichitaAction]:
    match kind:
        case "draw":
            return iter(DRAWS)
        case "lay":
            return map(Lay, layouts(hand, dice[0] + dice[1]))
        case _:
            return iter(())


def random_answer(kind: str, hand: Sequence[Card], dice: Dice, rng: Rng) -> WichitaAction:
    match kind:
        case "draw":
            return rng.choice(DRAWS)
        case "lay":
            return Lay(random_layout(hand, dice[0] + dice[1], rng))
        case _:
            raise LookupError("nobody is asked, so there is no action")
