"""Dominion for bot writers: the base class, the view, and the rule helpers."""

from __future__ import annotations

from typing import ClassVar, TypeGuard

from pips_referee.cards import Card, Suit
from pips_referee.games.dominion.battle import Odds, is_vertical, modifier, neighbours, odds, reach, room, strength
from pips_referee.games.dominion.values import (
    PASS,
    Advance,
    Advanced,
    Attack,
    CardTurned,
    Conquer,
    Conquered,
    Conquest,
    Declare,
    Deploy,
    Deployed,
    DeploymentRolled,
    DominionAction,
    DominionEvent,
    DominionOptions,
    Fought,
    Pass,
    PlayfieldDealt,
    Reinforce,
    Reinforced,
    Remove,
    Removed,
    Resign,
    Resigned,
    TurnBegan,
)
from pips_referee.games.dominion.view import DominionView
from pips_sdk.bot import Bot, wanted
from pips_sdk.positions.dominion import position

__all__ = [
    "Advance", "Advanced", "Attack", "Card", "CardTurned", "Conquer", "Conquered", "Conquest", "Declare", "Deploy",
    "Deployed", "DeploymentRolled", "DominionAction", "DominionBot", "DominionEvent", "DominionOptions",
    "DominionView", "Fought", "Odds", "Pass", "PlayfieldDealt", "Reinforce", "Reinforced", "Remove", "Removed",
    "Resign", "Resigned", "Suit", "TurnBegan", "is_vertical", "modifier", "neighbours", "odds", "position", "reach",
    "room", "strength",
]  # fmt: skip


class DominionBot(Bot):
    """One method per kind of question: override the ones that you care about.

    Each has a legal default. A cell is a number, counted row by row from the top left,
    from 0.

    >>> class Broad(DominionBot):
    ...     def deploy(self, view):
    ...         return max(view.deployments, key=lambda one: view.room(one.cell))
    >>> view = position(
    ...     "ask: deploy | dice: 3 4 | field: 7H+3 5C 2D-4 AS 9H 3C+1 4S 8D JC-1"
    ... )
    >>> Broad().deploy(view)
    Deploy(cell=3, count=4)
    """

    game: ClassVar[str] = "dominion"

    def resign(self, view: DominionView) -> bool:
        """You have no armies left: whether to leave the match."""
        return False

    def declare(self, view: DominionView) -> bool:
        """Whether to turn a card and attack at least once: see `view.attacks`."""
        return False

    def reinforce(self, view: DominionView) -> int | None:
        """For a red king: the cell of `view.cells` that gets an army.

        None declines the army, if `view.optional_army` is true.
        """
        return view.cells[0]

    def remove(self, view: DominionView) -> int:
        """For a black king: the cell of `view.cells` that loses an army."""
        return view.cells[0]

    def attack(self, view: DominionView) -> Attack | None:
        """One of `view.attacks`; None to stop, unless `view.must_attack` is true."""
        return view.attacks[0] if view.must_attack else None

    def conquer(self, view: DominionView) -> int:
        """How many armies move in after a conquest: 0 to `view.conquest.most`.

        You won `view.conquest.target` from `view.conquest.source`, perhaps in another
        seat's turn.
        """
        return 1

    def advance(self, view: DominionView) -> Advance | None:
        """One of `view.advances`, with its count or a smaller one; None to pass."""
        return None

    def deploy(self, view: DominionView) -> Deploy | None:
        """One of `view.deployments`, with its count or a smaller one; None to pass."""
        return view.deployments[0]

    def choose(self, view: DominionView) -> DominionAction:
        match view.kind:
            case "attack":
                return self._move("attack", Attack, "one of view.attacks", self.attack(view))
            case "advance":
                return self._move("advance", Advance, "one of view.advances", self.advance(view))
            case "deploy":
                return self._move("deploy", Deploy, "one of view.deployments", self.deploy(view))
            case "declare":
                return Declare() if self._yes("declare", self.declare(view)) else PASS
            case "conquer":
                return Conquer(self._whole("conquer", "a number from 0 to view.conquest.most", self.conquer(view)))
            case "reinforce":
                cell = self.reinforce(view)
                if cell is None and view.optional_army:
                    return PASS
                return Reinforce(self._whole("reinforce", "one of view.cells", cell))
            case "remove":
                return Remove(self._whole("remove", "one of view.cells", self.remove(view)))
            case _:
                return Resign() if self._yes("resign", self.resign(view)) else PASS

    def _move(self, method: str, kind: type[Attack | Advance | Deploy], expected: str, got: object) -> DominionAction:
        if got is None:
            return PASS
        if not isinstance(got, kind) or not all(_is_number(getattr(got, part)) for part in kind.__match_args__):
            raise wanted(self, method, f"{expected}, or None", got)
        return got

    def _yes(self, method: str, got: object) -> bool:
        if not isinstance(got, bool):
            raise wanted(self, method, "True or False", got)
        return got

    def _whole(self, method: str, expected: str, got: object) -> int:
        if not _is_number(got):
            raise wanted(self, method, expected, got)
        return got


def _is_number(got: object) -> TypeGuard[int]:
    """Whether `got` is a number that fits into an answer's message.

    The referee checks which cells and counts are legal.
    """
    return isinstance(got, int) and 0 <= got < 2**31
