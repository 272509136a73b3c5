"""Forecasts and their comparison with results, as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from pips_referee.printable import plain
from pips_tourney.night.table.forecast import ContestForecast
from pips_tourney.night.table.improvement import Improvement, improvements
from pips_tourney.night.table.season import Season
from pips_tourney.ratings.reckoning import Reckoning
from pips_tourney.ratings.table import Difference
from pips_tourney.reports.details import chance

MOST_PAIRS = 30
"""With more pairs, only neighbours are shown; `--json` has all pairs."""


def forecast_lines(found: Sequence[ContestForecast]) -> Iterator[str]:
    """The forecast of each contest: first place, all places, results of pairs."""
    for each in found:
        yield f"{each.label}: the forecast, {each.left} matches to come"
        if each.tells is not None:
            yield (
                f"  it tells two bots {each.tells:.0f} Elo apart, in four of five nights; "
                f"20 Elo take {each.deals_for_20} deals of every combination"
            )
        yield from _of_bots(each)
        yield from _of_pairs(each)


def _of_bots(each: ContestForecast) -> Iterator[str]:
    of, ends = each.of, np.cumsum(each.of.places, axis=1)
    width = max(map(len, of.bots))
    for at in _order(each):
        low, high = int((ends[at] <= 0.05).sum()) + 1, int((ends[at] < 0.95 - 1e-9).sum()) + 1
        place = f"place {low}" if low == high else f"place {low} to {high}"
        yield plain(f"  {of.bots[at]:{width}}  first {chance(float(of.places[at, 0]))}, {place} with 90 %")


def _of_pairs(each: ContestForecast) -> Iterator[str]:
    of, order = each.of, _order(each)
    pairs = [(a, b) for x, a in enumerate(order) for b in order[x + 1 :] if not np.isnan(of.score[a, b])]
    if len(pairs) > MOST_PAIRS:
        pairs = [(a, b) for a, b in pairs if order.index(b) == order.index(a) + 1]
    for a, b in pairs:
        score, low, high = (100 * float(part[a, b]) for part in (of.score, of.low, of.high))
        between = f"{score:.0f} % of the points, {low:.0f} to {high:.0f} with 90 %"
        yield plain(f"  {of.bots[a]} against {of.bots[b]}: {between}; ahead {chance(float(of.ahead[a, b]))}")


def _order(each: ContestForecast) -> list[int]:
    """The bots in the order of their mean places."""
    mean = each.of.places @ np.arange(len(each.of.bots))
    return [int(at) for at in np.argsort(mean, kind="stable")]


def reckoning_lines(label: str, of: Reckoning) -> Iterator[str]:
    """The forecasts before nights, and the results."""
    losses = ", ".join(f"{model} {loss:.4f}" for model, loss in of.loss.items())
    yield f"{label}: {100 * of.held:.0f} % of {len(of.pairs)} results of pairs came within the 90 % that were forecast"
    yield f"  log loss of a match, lower is better: {losses}"
    for bots, given in of.firsts:
        yield plain(f"  {' and '.join(bots)} came first, and had been given {chance(given)}")


HEADING = "Who improved most: the last version against the first, both rated over all nights"
NOBODY = "No bot has changed between the nights, or too little was played to tell who improved."


def improvement_lines(season: Season) -> Iterator[str]:
    """A line for each bot that has changed, the most improved bot first."""
    found = improvements(season)
    yield HEADING if found else NOBODY
    width = max((len(each.bot) for each in found), default=0)
    for each in found:
        yield plain(f"  {each.bot:{width}}  nights {each.first} to {each.last}  {_text(each)}")


def _text(each: Improvement) -> str:
    of = each.difference
    if of.bound:
        end = of.low if of.bound == ">" else of.high
        side = "more than" if of.bound == ">" else "less than"
        value = "how much is not known" if end is None else f"{side} {end:+z.0f} Elo, with 95 %"
    elif of.elo is None:
        value = f"how much is not known: {of.note}"
    elif of.low is None or of.high is None:
        value = f"{of.elo:+z.0f} Elo; how sure that is, is not known yet: {of.note}"
    else:
        value = f"{of.elo:+z.0f} Elo, with 95 % between {of.low:+z.0f} and {of.high:+z.0f}"
    return value + _better(of)


def _better(of: Difference) -> str:
    return "" if of.better is None else f"; better with a probability of {of.better:.0%}"
