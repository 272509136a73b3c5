"""How much stronger one bot is than another, from their own deals alone.

An author's commands have neither numpy nor scipy. So this module does for two bots what
`rate` does for a table: the mean score of a deal as Elo, with Student's interval over
deals. The standard error is at least a share of what one more result might move.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log, sqrt

from pips_tourney.ratings.result import ALPHA, FEWEST_DEALS, LEAST
from pips_tourney.ratings.student import t_probability, t_quantile
from pips_tourney.ratings.table import Difference


def rate_duel(a: str, b: str, deals: Sequence[Sequence[float]]) -> Difference:
    """The Elo of bot `a` less that of bot `b`.

    `deals` are the scores of `a` in each match of a deal: 1 above `b`, 1/2 level with
    it, else 0. ValueError if there are no deals.
    """
    if not deals:
        raise ValueError("there are no deals to rate")
    scores = [sum(matches) / len(matches) for matches in deals]
    mean = sum(scores) / len(scores)
    if mean == 1:
        return _won_everything(a, b, len(scores))
    if mean == 0:
        return _won_everything(b, a, len(scores)).reversed()
    odds, slope = log(mean / (1 - mean)), mean * (1 - mean)
    if len(scores) < FEWEST_DEALS:
        return Difference(a, b, _elo(odds), None, None, "", "too few deals", None, len(scores))
    error = sqrt(sum((score - mean) ** 2 for score in scores) / (len(scores) - 1) / len(scores)) / slope
    error = max(error, LEAST / sum(map(len, deals)) / slope)
    half = t_quantile(len(scores) - 1, 1 - ALPHA / 2) * error
    better = round(t_probability(len(scores) - 1, odds / error), 4)
    return Difference(a, b, _elo(odds), _elo(odds - half), _elo(odds + half), "", "", better, len(scores))


def _won_everything(a: str, b: str, deals: int) -> Difference:
    """The Elo bound at which winning all these deals has a chance of 5 %."""
    score = ALPHA ** (1 / deals)
    return Difference(a, b, None, _elo(log(score / (1 - score))), None, ">", "", round(1 - 0.5**deals, 4), deals)


def _elo(odds: float) -> float:
    """Log odds as Elo, without a negative zero."""
    return round(odds * 400 / log(10), 2) + 0.0
