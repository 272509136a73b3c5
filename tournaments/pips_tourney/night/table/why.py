"""Why a bot is better than the next one, with that probability, in two sentences."""

from __future__ import annotations

import numpy as np

from pips_tourney.night.table.tables import ContestTable
from pips_tourney.ratings.table import Difference, Ratings

NEAR = 0.01
"""Probabilities within this distance are reported as equal."""


def why_better(table: ContestTable, place: int) -> str | None:
    """Two sentences on a bot and the next one: first deals and luck, then the field.

    None if no probability is printed.
    """
    chance, of = table.better_chance(place), table.better_than_next(place)
    if chance is None or of is None or not isinstance(table.ratings, Ratings):
        return None
    by_points = table.ordered_by == "points" and table.margins is not None
    alone = (table.margins if by_points and table.margins is not None else table.ratings).level(of.a, of.b)
    return f"{_lead(table, of, by_points=by_points)} {_field(table.ratings, None if by_points else of, alone, chance)}"


def _lead(table: ContestTable, of: Difference, *, by_points: bool) -> str:
    """The first sentence. A bot with only a bound has no lead in Elo."""
    own = table.ratings[of.a].deals if table.ratings else 0
    put = f"Its {own} deals, {of.deals} of them against each other, put {of.a}"
    if by_points:
        one, other = table.margin(of.a), table.margin(of.b)
        assert one is not None and other is not None and one.low is not None and one.high is not None
        lead, half = one.mean - other.mean, (one.high - one.low) / 2
        return f"{put} {lead:+z.1f} points a match above {of.b}, and luck alone moves its margin by {half:.1f}."
    if of.elo is None or of.low is None or of.high is None:
        return f"{put} above {of.b}, but give no number of Elo."
    half = (of.high - of.low) / 2
    return f"{put} {of.elo:+z.0f} Elo above {of.b}, and their luck alone moves that by up to {half:.0f}."


def _field(ratings: Ratings, of: Difference | None, alone: float, chance: float) -> str:
    """The second sentence: what the deals say on their own, and what the field adds."""
    if abs(alone - chance) < NEAR:
        return f"By themselves they say {alone:.0%}, and the field of bots changes nothing."
    spread = None if of is None else _spread(ratings)
    half = None if of is None or of.high is None or of.low is None else (of.high - of.low) / 2
    if spread is not None and half is not None and spread > half and chance < alone:
        told = "two bots may do worse or better against each other than their Elos say"
        return f"By themselves they say {alone:.0%}; {told}: {chance:.0%}."
    among = "bots like these" if spread is None else f"bots that are truly some {spread:.0f} Elo apart"
    told = "such leads are often luck" if chance < alone else "such leads are seldom luck"
    return f"By themselves they say {alone:.0%}; among {among} {told}: {chance:.0%}."


def _spread(ratings: Ratings) -> float | None:
    """The standard deviation of strengths, after subtracting that of luck."""
    elo, error = ratings.sums.elo, ratings.sums.standard_error * ratings.sums.unit
    known = np.flatnonzero(~np.isnan(elo))
    if len(known) < 3:
        return None
    luck = (error[np.ix_(known, known)] ** 2).sum() / 2 / len(known) / (len(known) - 1)
    return float(np.sqrt(max(float(np.var(elo[known], ddof=1)) - float(luck), 0.0)))
