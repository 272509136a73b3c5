"""Situations for tests of a bot, from a short text: `what: value | what: value`.

Each game's `position` (in `pips_sdk.serpent` and so on) documents its parts. The seat
that looks is seat 0. Cards are written `QS 10H`. Parts left out have a sensible
default. An impossible position is a `PositionError`.

**Invariant**: a situation that cannot occur is refused.
"""

from pips_sdk.positions.notation import PositionError

__all__ = ["PositionError"]
