"""Pip-Pip! for bot writers: the base class, the view, and the rule helpers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from pips_referee.cards import CARDS, Card, Suit
from pips_referee.games.pippip.tricks import (
    HEIGHT,
    PAIR_CARDS,
    RANKS,
    card_points,
    following,
    pairs,
    winner,
    would_win,
)
from pips_referee.games.pippip.values import (
    Call,
    Called,
    Cut,
    Dealt,
    DrawnForDeal,
    Drew,
    HandEnded,
    PippipAction,
    PippipEvent,
    PippipOptions,
    PippipView,
    Play,
    Played,
    StockTurned,
    TrickWon,
    TrumpsChanged,
)
from pips_sdk.bot import Bot, one_card, wanted
from pips_sdk.positions.pippip import position

__all__ = [
    "CARDS", "HEIGHT", "PAIR_CARDS", "RANKS", "Call", "Called", "Card", "Cut", "Dealt", "DrawnForDeal", "Drew",
    "HandEnded", "PippipAction", "PippipBot", "PippipEvent", "PippipOptions", "PippipView", "Play", "Played",
    "StockTurned", "Suit", "TrickWon", "TrumpsChanged", "card_points", "following", "pairs", "position", "winner",
    "would_win",
]  # fmt: skip


class PippipBot(Bot):
    """One method per kind of question: override the ones that you care about.

    Each has a legal default.

    >>> class Rich(PippipBot):
    ...     def play(self, view):
    ...         return max(view.playable, key=card_points)
    >>> view = position("trumps: spades | trick: 2H 5H | hand: AH KS 3C QD 4D 9C 10H")
    >>> Rich().play(view)
    A♥
    """

    game: ClassVar[str] = "pippip"
    options: PippipOptions

    def call(self, view: PippipView) -> Sequence[Suit]:
        """The suits of the pairs to call now, in order; `()` for none.

        They are some or all of `view.callable`.
        """
        return view.callable

    def play(self, view: PippipView) -> Card | Play:
        """The card to lead or follow with: one of `view.playable`.

        If a hidden card and one face up are identical, the one face up is played.
        `Play(card, face_up=False)` plays the hidden one.
        """
        return view.playable[0]

    def choose(self, view: PippipView) -> PippipAction:
        match view.kind:
            case "call":
                return self._call(self.call(view))
            case _:
                return self._play(view, self.play(view))

    def _call(self, got: object) -> Call:
        if not isinstance(got, (tuple, list)) or not all(isinstance(suit, Suit) for suit in got):
            raise wanted(self, "call", "Suits in a tuple or list, such as view.callable or ()", got)
        return Call(tuple(got))

    def _play(self, view: PippipView, got: object) -> Play:
        if isinstance(got, Play):
            return got
        card = one_card(self, "play", got)
        return Play(card, card in view.face_up[view.seat])
