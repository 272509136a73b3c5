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
    """`decks`: how many packs there are, 1 to 12; 0 is one for every two seats (W1)."""

    decks: int = 0

    def __post_init__(self) -> None:
        check_whole(self, "decks", 0, MAX_DECKS)

    def decks_for(self, seats: int) -> int:
        """The packs that this number of seats plays with."""
        return self.decks or (seats + 1) // 2


class DrawOn(Action, Value):
    """Whether the player draws on, up to the higher die (W3)."""

    more: bool


class Lay(Action, Value):
    """The stacks a player lays down, maybe none (W4).

    The cards of a stack may stand in any order.
    """

    stacks: tuple[Stack, ...]


WichitaAction = DrawOn | Lay


class RolledForFirst(Event, Value):
    """A seat rolled for the first turn (W2)."""

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

    `cards` is None where the seat that looks may not see them (W9).
    """

    chance: ClassVar[bool] = True
    seat: int
    count: int
    cards: tuple[Card, ...] | None

    def seen_by(self, seat: int) -> Drew:
        return self if seat == self.seat else _drew_unseen(self.seat, self.count)


class Laid(Event, Value):
    """The stacks laid down, maybe none, and their points (W4, W5)."""

    seat: int
    stacks: tuple[Stack, ...]
    points: int


class TurnedUp(Event, Value):
    """The hand was empty: the next card of the stock became one more stack (W6)."""

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
    """By seat."""
    points: tuple[int, ...]
    """By seat, of the stacks; the cards left in hand are taken off at the end (W8)."""
    stock_size: int
    laid: tuple[int, ...]
    """By rank, ace to king, the cards in the stacks of all seats."""
    decks: int
    """How many packs are in play."""

    @property
    def target(self) -> int:
        """The sum of the dice, which a stack has to make."""
        return self.dice[0] + self.dice[1]

    @property
    def more_cards(self) -> int:
        """draw: how many cards drawing on would bring."""
        return min(abs(self.dice[0] - self.dice[1]), self.stock_size)

    @property
    def scores(self) -> tuple[int, ...]:
        """By seat, as if the match ended now (W8)."""
        return tuple([points - size for points, size in zip(self.points, self.hand_sizes, strict=True)])

    @property
    def unseen(self) -> tuple[int, ...]:
        """By rank, ace to king, the cards in the stock or in other hands."""
        ranks = [card.rank for card in self.hand]
        return tuple([SUITS * self.decks - laid - ranks.count(rank) for rank, laid in enumerate(self.laid, 1)])

    def legal_stacks(self) -> Iterator[Stack]:
        """Every different stack of your hand for this roll, suits aside; lazy."""
        return legal_stacks(self.hand, self.target)

    def legal_actions(self) -> Iterator[WichitaAction]:
        """Lazy, and complete but for suits and the order of stacks and cards."""
        return answers(self.kind, self.hand, self.dice)

    def random_action(self, rng: Rng) -> WichitaAction:
        return random_answer(self.kind, self.hand, self.dice, rng)


DRAWS: Final = (DrawOn(more=False), DrawOn(more=True))
BY_RANK: Final = tuple(SUITS * card.rank + card.suit for card in CARDS)
by_rank: Final = BY_RANK.__getitem__
"""The key that hands are sorted by."""


@cache
def _drew_unseen(seat: int, count: int) -> Drew:
    """One event for all other seats: a table has few different ones."""
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
