"""Situations for tests of a bot, from a short text: `what: value | what: value`.

Each game's `position` (in `pips_sdk.serpent` and so on) says what may stand there. The
seat that looks is seat 0. Cards are written `QS 10H`; what is left out has a sensible
default, and what cannot be is a `PositionError`.
"""

from pips_sdk.positions.notation import PositionError

__all__ = ["PositionError"]
