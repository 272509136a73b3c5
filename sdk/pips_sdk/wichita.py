"""Wichita for bot writers: the base class, the view, and the rule helpers."""

from __future__ import annotations

from collections.abc import Collection
from typing import ClassVar

from pips_referee.cards import Card, Suit
from pips_referee.games.wichita.best import Layout, best_layout, empties
from pips_referee.games.wichita.priced import priced_layout
from pips_referee.games.wichita.stacks import (
    has_stack,
    layouts,
    legal_stacks,
    random_layout,
    stack_worth,
)
from pips_referee.games.wichita.values import (
    DrawOn,
    Drew,
    Laid,
    Lay,
    Rolled,
    RolledForFirst,
    Stack,
    TurnedUp,
    WichitaAction,
    WichitaEvent,
    WichitaOptions,
    WichitaView,
)
from pips_sdk.bot import Bot, wanted
from pips_sdk.positions.wichita import position

__all__ = [
    "Card", "DrawOn", "Drew", "Laid", "Lay", "Layout", "Rolled", "RolledForFirst", "Stack", "Suit", "TurnedUp",
    "WichitaAction", "WichitaBot", "WichitaEvent", "WichitaOptions", "WichitaView", "best_layout", "empties",
    "has_stack", "layouts", "legal_stacks", "position", "priced_layout", "random_layout", "stack_worth",
]  # fmt: skip


class WichitaBot(Bot):
    """One method per kind of question: override the ones that you care about.

    Each has a legal default.

    >>> class Best(WichitaBot):
    ...     def lay(self, view):
    ...         return best_layout(view.hand, view.dice)
    >>> Best().lay(position("dice: 3 5 | hand: 8C 5D 3H KS")).stacks
    ((8♣,), (5♦, 3♥))
    """

    game: ClassVar[str] = "wichita"

    def draw(self, view: WichitaView) -> bool:
        """Whether to draw `view.more_cards` more cards, up to the higher die."""
        return False

    def lay(self, view: WichitaView) -> Collection[Collection[Card]] | Layout:
        """The stacks to lay down, each made of cards of `view.hand`; `()` for none.

        `view.legal_stacks()` has at least one. `best_layout` computes the most valuable
        set of them, a `Layout` that may be returned as it is.
        """
        return (next(view.legal_stacks()),)

    def choose(self, view: WichitaView) -> WichitaAction:
        match view.kind:
            case "draw":
                more = self.draw(view)
                if not isinstance(more, bool):
                    raise wanted(self, "draw", "True or False", more)
                return DrawOn(more)
            case _:
                return Lay(self._stacks(self.lay(view)))

    def _stacks(self, got: object) -> tuple[Stack, ...]:
        stacks = got.stacks if isinstance(got, Layout) else got
        if not isinstance(stacks, _COLLECTIONS) or not all(_is_stack(stack) for stack in stacks):
            raise wanted(self, "lay", "a tuple or list of stacks, each a tuple or list of Cards, or () for none", got)
        return tuple([tuple(stack) for stack in stacks])


_COLLECTIONS = (tuple, list, set, frozenset)


def _is_stack(stack: object) -> bool:
    return isinstance(stack, _COLLECTIONS) and all(isinstance(card, Card) for card in stack)
