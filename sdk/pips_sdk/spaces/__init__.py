"""What the numbers of `pips_sdk.env` mean: each game's actions and observations.

`fields` names the numbers of an observation in order, with the divisor that scales each
to 0 to 1. Seats are counted from the viewing seat: it is 0, the seat on its left 1. A
card is its byte plus 1, and 0 is no card. A game's module `space` has a function
`space` for the numbers of a table. Without the module they are derived.

**Invariant**: an observation contains no more than the view it is made from.
"""

from __future__ import annotations

from typing import Any

from pips_referee.errors import GameProblem
from pips_referee.game import Options, get_game
from pips_sdk.learning.fields import scales
from pips_sdk.learning.space import Space
from pips_sdk.spaces.derived import DerivedSpace

__all__ = ["scales", "space_of"]


def space_of(game: str, options: Options, seats: int) -> Space[Any]:
    """The space of a game with these options and seats; may raise `GameProblem`."""
    if (module := get_game(game).part("space")) is None:
        try:
            return DerivedSpace(get_game(game))
        except GameProblem as error:
            raise GameProblem(f"{game} has no numbers for learners, and no module `space`: {error}") from None
    space: Space[Any] = module.space(options, seats)
    return space
