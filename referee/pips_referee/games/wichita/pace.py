"""A turn of Wichita: the roll with its draws, then the lay-down, even an empty one."""

from __future__ import annotations

from pips_referee.games.wichita.values import Laid, Rolled
from pips_referee.turns import CountedEvents


class Count(CountedEvents):
    KINDS = (Rolled, Laid)
