"""Serpent for bot writers: the base class, the view, and the rule helpers."""

from __future__ import annotations

from collections.abc import Collection
from typing import ClassVar

from pips_referee.cards import Card, Suit
from pips_referee.games.serpent.scoring import points, score_hand
from pips_referee.games.serpent.values import (
    Answer,
    Dealt,
    Give,
    Given,
    HandScored,
    Lead,
    Played,
    Reveal,
    Revealed,
    SerpentAction,
    SerpentEvent,
    SerpentOptions,
    SerpentView,
)
from pips_sdk.bot import Bot, one_card, some_cards
from pips_sdk.positions.serpent import position

__all__ = [
    "Answer", "Card", "Dealt", "Give", "Given", "HandScored", "Lead", "Played", "Reveal", "Revealed", "SerpentAction",
    "SerpentBot", "SerpentEvent", "SerpentOptions", "SerpentView", "Suit", "points", "position", "score_hand",
]  # fmt: skip


class SerpentBot(Bot):
    """One method per kind of question: override the ones that you care about.

    Each has a legal default.

    >>> class High(SerpentBot):
    ...     def lead(self, view):
    ...         return max(view.playable, key=lambda card: card.rank)
    >>> High().lead(position("hidden: 2C 3D KS | open: 7H 4D 9C"))
    K♠
    """

    game: ClassVar[str] = "serpent"

    def give(self, view: SerpentView) -> Collection[Card]:
        """As director: three cards of `view.playable` for the defender, face up."""
        return view.playable[:3]

    def reveal(self, view: SerpentView) -> Collection[Card]:
        """As director: three cards of `view.playable` to turn face up."""
        return view.playable[:3]

    def lead(self, view: SerpentView) -> Card:
        """The first card of a column: one of `view.playable`."""
        return view.playable[0]

    def answer(self, view: SerpentView) -> Card:
        """The answer to `view.lead`: one of `view.playable`."""
        return view.playable[0]

    def choose(self, view: SerpentView) -> SerpentAction:
        match view.kind:
            case "lead":
                return Lead(one_card(self, "lead", self.lead(view)))
            case "answer":
                return Answer(one_card(self, "answer", self.answer(view)))
            case "give":
                return Give(some_cards(self, "give", 3, self.give(view)))
            case _:
                return Reveal(some_cards(self, "reveal", 3, self.reveal(view)))
