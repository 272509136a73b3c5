"""A turn of Serpent: giving, revealing, and each card played, even without a choice."""

from __future__ import annotations

from pips_referee.games.serpent.values import Given, Played, Revealed
from pips_referee.turns import CountedEvents


class Count(CountedEvents):
    KINDS = (Given, Revealed, Played)
