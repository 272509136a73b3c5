"""Looking ahead in imagined worlds.

`budget.py` limits a search, by rounds or by time. `playouts.py` plays alternatives in
the same worlds and compares them. The package uses the games, but nothing of transport.

**Invariant**: alternatives are compared in the same worlds.
"""

from pips_referee.game import AnyState
from pips_sdk.search.budget import rounds
from pips_sdk.search.playouts import (
    Ahead,
    Alternatives,
    Cost,
    Imagined,
    Open,
    Policy,
    World,
    asked,
    compare,
    house,
    lead,
    play_on,
)

__all__ = [
    "Ahead", "Alternatives", "AnyState", "Cost", "Imagined", "Open", "Policy", "World", "asked", "compare", "house",
    "lead", "play_on", "rounds",
]  # fmt: skip
