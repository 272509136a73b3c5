"""The average result of a seat, and how much of the results the deal decides.

Deals are independent draws, but the matches of one deal are not, so every interval
counts deals. Results often repeat, and an unseen result may still come. So each end of
an interval counts one more deal, with the most extreme result on its side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, stdev
from typing import Final

import numpy as np

from pips_tourney.ratings.fit.tally import Floats
from pips_tourney.ratings.student import t_quantile

FEWEST: Final = 50
"""With fewer deals there is no interval."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with its interval; no interval if deals are too few, or all alike."""

    value: float
    low: float | None = None
    high: float | None = None


def mean_of(deals: Sequence[float], mistake: float = 0.05) -> Estimate:
    """The mean of one value per deal, with Student's interval."""
    mean = fmean(deals)
    if len(deals) < FEWEST or not (error := stdev(deals) / sqrt(len(deals))):
        return Estimate(mean)
    half = t_quantile(len(deals) - 1, 1 - mistake / 2) * error
    return Estimate(mean, mean - half, mean + half)


def share_of(deals: Sequence[float], mistake: float = 0.05) -> Estimate:
    """The mean of one share per deal, from 0 to 1."""
    low, high = mean_of([*deals, 0.0], mistake).low, mean_of([*deals, 1.0], mistake).high
    if len(deals) < FEWEST:
        return Estimate(fmean(deals))
    return Estimate(fmean(deals), max(0.0, low or 0.0), min(1.0, 1.0 if high is None else high))


def deal_share(results: Floats, mistake: float = 0.05) -> Estimate | None:
    """The deal's part of the variance of results (deals, matches a deal, seats).

    The bots have to be alike. It is a one-way analysis of variance, seat by seat. The
    interval is the jackknife's over deals, for the logarithm of the ratio of mean
    squares. None if all results of each seat are the same.
    """
    deals, matches, seats = results.shape
    between, within = _mean_squares(_sums(results).sum(axis=1, keepdims=True), deals, matches)[:, 0]
    if between + within <= 0:
        return None
    share = float(_share(between / within, matches)) if within else 1.0
    if deals < FEWEST:
        return Estimate(share)
    unlikely = results.mean(axis=(0, 1)).argsort()[::-1].argsort() / (seats - 1)
    agrees = np.broadcast_to(unlikely, (1, matches, seats))
    differs = np.where(np.arange(matches)[:, None] % 2, unlikely, 1 - unlikely)[None]
    low, high = (_jackknife(np.concatenate([results, more]), mistake) for more in (differs, agrees))
    return Estimate(share, min(low[0], share), max(high[1], share))


def _jackknife(results: Floats, mistake: float) -> tuple[float, float]:
    """The interval of the deal's share."""
    deals, matches, _ = results.shape
    each = _sums(results)
    without = _mean_squares(each.sum(axis=1, keepdims=True) - each, deals - 1, matches)
    logs = np.log(np.maximum(without[0], LEAST) / np.maximum(without[1], LEAST))
    half = t_quantile(deals - 1, 1 - mistake / 2) * logs.std() * sqrt(deals - 1)
    low, high = _share(np.exp(logs.mean() + np.array([-half, half])), matches)
    return float(low), float(high)


LEAST: Final = 1e-9
"""A mean square this small counts as zero."""


def _sums(results: Floats) -> Floats:
    """By deal, in columns: squares within the deal, squares of means, means."""
    means = results.mean(axis=1)
    inner = ((results - means[:, None]) ** 2).sum(axis=(1, 2))
    return np.vstack([inner, (means**2).sum(axis=1), means.T])


def _mean_squares(sums: Floats, deals: int, matches: int) -> Floats:
    """The mean square between deals, and the one within deals, by column of sums."""
    inner, squares, means = sums[0], sums[1], sums[2:]
    between = matches * (squares - (means**2).sum(axis=0) / deals) / (deals - 1)
    return np.array([between, inner / (deals * (matches - 1))])


def _share(ratio: Floats, matches: int) -> Floats:
    """The deal's share by the ratio of mean squares; at least 0."""
    return np.maximum(0.0, (ratio - 1) / (ratio - 1 + matches))
