"""A turn of Dominion: each event that moves an army or turns a card.

Nothing is hidden: everybody knows who has a choice.
"""

from __future__ import annotations

from pips_referee.games.dominion.values import (
    Advanced,
    CardTurned,
    Conquered,
    Deployed,
    DeploymentRolled,
    Fought,
    Reinforced,
    Removed,
    Resigned,
    TurnBegan,
)  # fmt: skip
from pips_referee.turns import CountedEvents


class Count(CountedEvents):
    KINDS = (
        TurnBegan, Resigned, CardTurned, Reinforced, Removed, Fought, Conquered, Advanced, DeploymentRolled, Deployed,
    )  # fmt: skip
