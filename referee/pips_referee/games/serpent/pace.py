"""A turn of Serpent: to give, to reveal, and every card played, even without choice."""

from __future__ import annotations

from pips_referee.games.serpent.values import Given, Played, Revealed
from pips_referee.turns import CountedEvents


class Count(CountedEvents):
    KINDS = (Given, Revealed, Played)
