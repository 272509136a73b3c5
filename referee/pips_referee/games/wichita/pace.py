"""What a turn of Wichita is: one for the roll with its draws, one for what is laid, be
it nothing.
"""

from __future__ import annotations

from pips_referee.games.wichita.values import Laid, Rolled
from pips_referee.turns import CountedEvents


class Count(CountedEvents):
    KINDS = (Rolled, Laid)
