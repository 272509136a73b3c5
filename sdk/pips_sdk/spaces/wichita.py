"""Wichita's numbers: a layout is encoded card by card."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pips_referee.cards import KING
from pips_referee.game import Action, Options
from pips_referee.games.wichita.bags import ONE, bag_of, ranks_of
from pips_referee.games.wichita.stacks import name_cards
from pips_referee.games.wichita.values import SUITS
from pips_sdk.learning.fields import ObservedField
from pips_sdk.learning.space import Numbers, Space, seats_from, write_row
from pips_sdk.spaces.wichita_parts import Ranks, parts_of
from pips_sdk.wichita import DrawOn, Lay, WichitaView, best_layout

MOST_CARDS = 20
"""The divisor for sizes of hands and stocks."""


class WichitaSpace(Space[WichitaView]):
    """0: draw no more. 1: draw on. 2: lay the best layout. 3: end. 4 to 16: a card.

    A layout other than the best is encoded card by card, aces to kings as 4 to 16. Each
    stack begins with its kings and goes on downwards. 3 ends a stack or, if no stack is
    begun, the layout.

    An observation has, by rank: the cards in hand, laid and unseen. Then the kind of
    question; the dice; stock and packs. By seat: hand size, points, whether it is its
    turn. Then by rank: the cards of the unfinished stack, and of the stacks before it.
    """

    BEST, END, CARD = 2, 3, 3
    action_count = 4 + KING

    def __init__(self, seats: int) -> None:
        self.fields = (
            ObservedField("hand", KING, 4),
            ObservedField("laid", KING, 8),
            ObservedField("unseen", KING, 8),
            ObservedField("kind", 2),
            ObservedField("dice", 2, 6),
            ObservedField("stock_size", 1, 52),
            ObservedField("decks", 1, 12),
            ObservedField("hand_sizes", seats, MOST_CARDS),
            ObservedField("points", seats, MOST_CARDS),
            ObservedField("turn", seats),
            ObservedField("stack", KING, 4),
            ObservedField("stacks", KING, 4),
        )

    def numbers(self, view: WichitaView, said: Sequence[int] = ()) -> Sequence[int]:
        if view.kind == "draw":
            return (0, 1)
        before, begun = _split(said)
        left = parts_of(bag_of(view.hand) - sum([ONE[rank] for stack in before for rank in stack]), view.target)
        ranks, is_stack = left.after(begun) if begun else (left.first, True)
        return [
            *([] if said else [self.BEST]),
            *([self.END] if is_stack else []),
            *[self.CARD + rank for rank in ranks],
        ]

    def action(self, view: WichitaView, said: Sequence[int]) -> Action | None:
        if view.kind == "draw":
            return DrawOn(said[0] == 1)
        if said[0] == self.BEST:
            return Lay(best_layout(view.hand, view.dice, bonus=view.stock_size > 0).stacks)
        if said[-1] != self.END or (len(said) > 1 and said[-2] != self.END):
            return None
        stacks, _ = _split(said[:-1])
        return Lay(name_cards(view.hand, map(list, stacks)))

    def spell(self, view: WichitaView, action: Action) -> tuple[int, ...]:
        if isinstance(action, DrawOn):
            return (int(action.more),)
        assert isinstance(action, Lay)
        bags = [bag_of(stack) for stack in action.stacks]
        stacks = [ranks_of(bag) for bag in bags]
        spelt = (
            *[number for stack in stacks for number in (*[self.CARD + rank for rank in stack], self.END)],
            self.END,
        )
        if parts_of(bag_of(view.hand) - sum(bags), view.target).first:
            return spelt  # not the best, as one more stack makes more points; quick to check
        best = best_layout(view.hand, view.dice, bonus=view.stock_size > 0)
        if sorted(stacks) == sorted(ranks_of(bag_of(stack)) for stack in best.stacks):
            return (self.BEST,)
        return spelt

    def write(self, view: WichitaView, said: Sequence[int], into: Numbers, at: int) -> None:
        held, seat = _by_rank([card.rank for card in view.hand]), view.seat
        most = SUITS * view.decks
        turn = [0] * len(view.points)
        turn[view.player - seat] = 1
        numbers = [
            *held,
            *view.laid,
            *[most - laid - mine for laid, mine in zip(view.laid, held, strict=True)],  # as `view.unseen`
            view.kind == "draw",
            view.kind == "lay",
            *view.dice,
            view.stock_size,
            view.decks,
            *seats_from(seat, view.hand_sizes),
            *seats_from(seat, view.points),
            *turn,
        ]
        write_row(numbers, into, at)
        if said:
            self._write_said(said, into, at)

    def _write_said(self, said: Sequence[int], into: Numbers, at: int) -> None:
        at += self.observation_size - 2 * KING
        first = at + KING  # of the earlier stacks
        stack = 0
        for end, number in enumerate(said):
            if number == self.END:
                for card in said[stack:end]:
                    into[first + card - self.CARD - 1] += 1
                stack = end + 1
        for card in said[stack:]:
            into[at + card - self.CARD - 1] += 1


def _split(said: Sequence[int]) -> tuple[list[Ranks], Ranks]:
    """The finished stacks in these numbers, and the unfinished one, as ranks."""
    stacks: list[Ranks] = []
    begun: list[int] = []
    for number in said:
        if number == WichitaSpace.END:
            stacks.append(tuple(begun))
            begun = []
        else:
            begun.append(number - WichitaSpace.CARD)
    return stacks, tuple(begun)


def _by_rank(ranks: Sequence[int]) -> list[int]:
    found = [0] * KING
    for rank in ranks:
        found[rank - 1] += 1
    return found


def space(_: Options, seats: int) -> Space[Any]:
    """The space of a table with that many seats."""
    return WichitaSpace(seats)
