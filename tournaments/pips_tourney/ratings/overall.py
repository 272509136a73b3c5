"""One rating over several games: the weighted mean of a bot's Elos, with the interval that follows from theirs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from math import sqrt

from scipy.special import stdtr, stdtrit

from pips_tourney.ratings.rate import rounded
from pips_tourney.ratings.table import Bound, Ratings


@dataclass(frozen=True, slots=True)
class OverallRating:
    """One row, as `Rating`. A bot that misses a game, or cannot be placed in one, has no overall rating."""

    bot: str
    elo: float | None
    low: float | None
    high: float | None
    bound: Bound
    missing: tuple[str, ...]
    """The games it has no rating in."""
    better: float | None
    """The probability of being better than the next row's bot; None where either has no Elo or no interval."""


def overall(
    games: Mapping[str, Ratings], weights: Mapping[str, float] | None = None, confidence: float = 0.95
) -> tuple[OverallRating, ...]:
    """Best first. Games are independent: variances add, degrees of freedom are Welch and Satterthwaite's.

    Where a game has only a bound, the rest is counted at the same side's end. Raises ValueError for no games, or for
    weights that are not positive or not of these games.
    """
    if not games:
        raise ValueError("there are no games to put together")
    weight = dict.fromkeys(games, 1.0) if weights is None else dict(weights)
    if weight.keys() != games.keys() or min(weight.values()) <= 0:
        raise ValueError("every game has one weight above 0")
    share = {game: weight[game] / sum(weight.values()) for game in sorted(games)}
    bots = sorted({row.bot for ratings in games.values() for row in ratings.rows})
    rows = sorted((_row(bot, games, share, confidence) for bot in bots), key=_rank)
    chances = [_better(above.bot, below.bot, games, share) for above, below in pairwise(rows)]
    return tuple(replace(row, better=better) for row, better in zip(rows, [*chances, None], strict=True))


def _row(bot: str, games: Mapping[str, Ratings], share: Mapping[str, float], confidence: float) -> OverallRating:
    rows = {game: row for game, ratings in games.items() for row in ratings.rows if row.bot == bot}
    missing = tuple(game for game in share if game not in rows or rows[game].text == "?")
    sides = {row.bound for row in rows.values()} - {""}
    elo = low = high = None
    bound: Bound = ""
    if not missing and len(sides) == 1:
        bound = sides.pop()
        if bound == ">":
            low = _mean({game: row.low for game, row in rows.items()}, share)
        else:
            high = _mean({game: row.high for game, row in rows.items()}, share)
        bound = bound if (low, high) != (None, None) else ""
    elif not missing and not sides:
        elo = _mean({game: row.elo for game, row in rows.items()}, share)
        if elo is not None and all(row.low is not None for row in rows.values()):
            error, freedom = _combined([_error(games[game], bot, None, part) for game, part in share.items()])
            half = error * float(stdtrit(freedom, (1 + confidence) / 2))
            low, high = elo - half, elo + half
    elo, low, high = (None if end is None else rounded(end, 2) for end in (elo, low, high))
    return OverallRating(bot, elo, low, high, bound, missing, None)


def _better(a: str, b: str, games: Mapping[str, Ratings], share: Mapping[str, float]) -> float | None:
    """The chance that bot `a` is better over all; None unless every game has an interval of their difference."""
    try:
        differences = {game: ratings.difference(a, b) for game, ratings in games.items()}
    except KeyError:
        return None
    lead = _mean({game: difference.elo for game, difference in differences.items()}, share)
    if lead is None or any(difference.low is None for difference in differences.values()):
        return None
    error, freedom = _combined([_error(games[game], a, b, part) for game, part in share.items()])
    return rounded(float(stdtr(freedom, lead / error)), 4) if error > 0 else None


def _mean(values: Mapping[str, float | None], share: Mapping[str, float]) -> float | None:
    known = [part * value for game, part in share.items() if (value := values[game]) is not None]
    return sum(known) if len(known) == len(share) else None


def _error(ratings: Ratings, a: str, b: str | None, part: float) -> tuple[float, float]:
    """The weighted standard error of bot `a` less bot `b`, or less the reference, and its degrees of freedom."""
    estimate = ratings.estimate
    at = estimate.names.index(a), len(estimate.names) if b is None else estimate.names.index(b)
    return part * float(estimate.error[at]), float(estimate.freedom[at])


def _combined(errors: list[tuple[float, float]]) -> tuple[float, float]:
    variance = sum(error**2 for error, _ in errors)
    squares = sum(error**4 / freedom for error, freedom in errors)
    return sqrt(variance), variance**2 / squares if squares > 0 else 1.0


def _rank(row: OverallRating) -> tuple[int, float, str]:
    if row.elo is not None:
        return 1, -row.elo, row.bot
    if row.bound:
        return (0, -(row.low or 0.0), row.bot) if row.bound == ">" else (2, -(row.high or 0.0), row.bot)
    return 3, 0.0, row.bot
