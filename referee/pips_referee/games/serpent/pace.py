"""What a turn of Serpent is: giving, revealing, and every card that is played, also the
last one of its kind.
"""

from __future__ import annotations

from pips_referee.games.serpent.values import Given, Played, Revealed
from pips_referee.turns import CountedEvents


class Count(CountedEvents):
    KINDS = (Given, Revealed, Played)
