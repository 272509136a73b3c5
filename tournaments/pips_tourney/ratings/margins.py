"""How much bots win by: the mean margin of a match, with its error.

A margin is the lead over the table's average. Every pair of a table gives one
difference of scores, in units of the game's scale and cut at its cap. Strengths and
seats are fitted to these differences by least squares. The covariance is the sandwich
clustered by deal with the correction CR2, as for Elo (`errors.py`); only the model is
linear. If combinations played different numbers of deals, they may get equal weight
(`evened`).

Luck may be rare and huge. A bot that leads by a little in every deal may lose as much
in a deal that has not come yet, up to the cap. So no error is smaller than the effect
of one more deal whose lead differs by half the cap.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.special import stdtr, stdtrit

from pips_tourney.ratings.fit.better import Belief, Field
from pips_tourney.ratings.fit.errors import Clusters, Errors, distinct, moved, sandwich, summed_at
from pips_tourney.ratings.fit.tally import Columns, Floats, Ints, by_length, coded, even_weights, unique_rows
from pips_tourney.ratings.result import ALPHA, FEWEST_DEALS, Result
from pips_tourney.ratings.table import MARGIN_ELO, Margin, Margins

SURPRISE: Final = 0.5
"""How far the lead of an unseen deal may be from the mean, in caps.

With this value, in simulations with rare and huge luck, equal bots are wrongly put in
order in at most 5 % of nights (`make lab WHAT=heavy`).
"""


@dataclass(frozen=True, slots=True, eq=False)
class _MarginDeals:
    """All deals of one length and one size of table.

    D deals of L matches at k seats.
    """

    seating: Ints
    """(D, L, k)"""
    scores: Floats
    """(D, L, k) in units of the game's scale."""
    cap: float
    weight: Floats
    """(D,) the weight of each deal in the fit: 1 unless `evened`."""

    def leads(self) -> Floats:
        """(D, L, k, k) the row's seat less the column's, cut at the cap."""
        return np.asarray(np.clip(self.scores[..., :, None] - self.scores[..., None, :], -self.cap, self.cap))


@dataclass(frozen=True, slots=True, eq=False)
class _Designs:
    """The different seatings of deals, each with only the parameters that it uses.

    D designs with q parameters each: the bots at the table, and the seats.
    """

    at: Ints
    """(D, q) indexes of parameters; the number of all parameters means none."""
    information: Floats
    """(D, q, q) the information in one deal, with one difference for each pair."""
    which: Ints
    """The number of each deal's design."""
    weight: Floats
    """(D,) the weight of each of its deals."""
    often: Ints
    """(D,) how many deals each design has."""


def rate_margins(
    results: Iterable[Result],
    cap: float,
    *,
    unrated: Container[str] = (),
    evened: bool = False,
) -> Margins | None:
    """The margins of all bots, best first.

    None if a result has no scores. `cap` is in units of the game's scale, as the
    results' scores are. The mean of the bots that are not `unrated` is 0. If `evened`,
    all combinations have the same weight, however many deals each played.
    """
    listed = [*results]
    scores, score = coded(result.scores for result in listed)
    columns = Columns.of(listed)
    if not listed or None in scores:
        return None
    deals = _gathered(columns.seating, np.array(scores, float)[score], columns.block)
    return rate_scores(columns.names, deals, cap, unrated=unrated, evened=evened)


def rate_scores(
    names: Sequence[str],
    scored: Sequence[tuple[Ints, Floats]],
    cap: float,
    *,
    unrated: Container[str] = (),
    evened: bool = False,
) -> Margins:
    """The margins for deals given as arrays, one entry for every length of deals.

    Each entry is the seating (D, L, k), as indexes into the sorted `names`, and the
    scores by seat, in units of the game's scale.
    """
    weights = _weights([seating for seating, _ in scored], evened=evened)
    deals = [_MarginDeals(*each, cap, w) for each, w in zip(scored, weights, strict=True)]
    n, seats = len(names), deals[0].seating.shape[2]
    designs = [_designs(part, n) for part in deals]
    inverse = _inverse(designs, n + seats)
    theta = np.asarray(inverse @ sum((_scores(part, n, None).sum(axis=0) for part in deals), np.zeros(n + seats)))
    rated = [at for at, name in enumerate(names) if name not in unrated] or list(range(n))
    entities = np.eye(n + seats)[:n]
    entities = np.vstack([entities, entities[rated].mean(axis=0)])
    value = np.asarray(entities @ theta, float)
    errors, third = _clustered(deals, designs, theta, inverse, entities)
    sat = [distinct(part.seating.reshape(len(part.seating), -1), n).ravel() for part in deals]
    count = np.bincount(np.concatenate(sat), minlength=n + 1)[:n]
    half = (np.sqrt(errors.variance) * stdtrit(errors.freedom, 1 - ALPHA / 2))[:n, n]
    field = Field(np.arange(n), value[:n], errors.variance[:n, :n], errors.freedom[:n, :n])
    levels, least = _levels(value[:n], errors, third, count), np.minimum(_signs(count), 0.5)
    better = np.clip(Belief([field], None, np.zeros(1), MARGIN_ELO).better, least, 1 - least)
    most = np.where(np.isin(np.arange(n), rated), cap * (1 - 1 / len(rated)), cap)
    ends = np.maximum(most, np.abs(value[:n] - value[n])).tolist()  # with few meetings, the fit may exceed the cap
    rows = [
        _row(names[bot], float(value[bot] - value[n]), float(half[bot]), ends[bot], int(count[bot])) for bot in range(n)
    ]
    order = sorted(range(n), key=lambda bot: (-rows[bot].margin, names[bot]))
    chances = {names[a]: {names[b]: round(float(better[a, b]), 4) for b in range(n)} for a in range(n)}
    level = {names[a]: {names[b]: float(levels[a, b]) for b in range(n)} for a in range(n)}
    return Margins(tuple(rows[bot] for bot in order), cap, chances, level)


def _inverse(designs: Sequence[_Designs], p: int) -> Floats:
    """(p, p) the inverse of the information in all deals."""
    information = np.zeros((p, p))
    for each in designs:
        often = (each.often * each.weight)[:, None, None]
        information += summed_at(each.information * often, each.at, p)
    return np.asarray(np.linalg.pinv(information, rcond=1e-10, hermitian=True), float)


def _weights(seatings: Sequence[Ints], *, evened: bool) -> list[Floats]:
    """For each length of deals, (D,) the weights of deals; their overall mean is 1."""
    if not evened:
        return [np.ones(len(seating)) for seating in seatings]
    first = np.concatenate([seating[:, 0] for seating in seatings])
    weight = even_weights(first, np.ones(len(first)))
    return np.split(weight, np.cumsum([len(seating) for seating in seatings])[:-1])


def _levels(value: Floats, errors: Errors, third: Floats, count: Ints) -> Floats:
    """(n, n) one less the one-sided level at which the row's margin is larger.

    The t test is corrected for skewness, but only against the bot that is ahead (P.
    Hall 1992, JRSS B 54): rare large losses may not have come yet. `third` (n, n) are
    third moments. No level is below that of the sign test for deals that all agree.
    """
    n = len(value)
    apart = value[:, None] - value[None, :]
    error = np.sqrt(errors.variance[:n, :n] + np.eye(n))
    skew, t = np.maximum(-np.sign(apart) * third / error**3, 0.0), np.abs(apart) / error
    t = t - skew * t**2 / 3 + skew**2 * t**3 / 27 - skew / 6
    tail = np.maximum(stdtr(errors.freedom[:n, :n], -np.maximum(t, 0.0)), _signs(count))
    return np.asarray(np.where(np.abs(apart) < 1e-9, 0.5, np.where(apart > 0, 1 - tail, tail)))


def _signs(count: Ints) -> Floats:
    """(n, n) the level of the sign test if all deals agree."""
    return np.asarray(0.5 ** np.minimum(count[:, None], count))


def _row(bot: str, margin: float, half: float, most: float, deals: int) -> Margin:
    """A bot's row. No lead exceeds the cap, so no interval goes beyond `most`."""
    low, high = (round(end, 4) + 0.0 for end in (max(margin - half, -most), min(margin + half, most)))
    few = deals < FEWEST_DEALS
    return Margin(bot, round(margin, 4) + 0.0, None if few else low, None if few else high)


def _gathered(seating: Ints, scores: Floats, block: Ints) -> list[tuple[Ints, Floats]]:
    """Group deals by length, in an order that does not depend on the order of results.

    Matches are numbered in the order of their bots, then of their scores.
    """
    values, value = np.unique(scores, return_inverse=True)
    seats = seating.shape[1]
    rows, match = unique_rows(np.hstack([seating, value.reshape(seating.shape)]))
    found = []
    for deals in by_length(match, block):
        ordered = rows[deals[np.lexsort(deals.T[::-1])]]
        found.append((ordered[..., :seats], values[ordered[..., seats:]]))
    return found


def _designs(part: _MarginDeals, n: int) -> _Designs:
    length, seats = part.seating.shape[1:]
    flat = part.seating.reshape(len(part.seating), -1)
    designs, which = unique_rows(flat)
    weight = np.ones(len(designs))
    weight[which] = part.weight
    bots = distinct(designs, n + seats)
    seat = np.broadcast_to(np.arange(n, n + seats), (len(designs), seats))
    x = np.zeros((len(designs), length, seats, bots.shape[1] + seats))
    x[..., : bots.shape[1]] = designs.reshape(-1, length, seats, 1) == bots[:, None, None, :]
    x[..., bots.shape[1] :] = np.eye(seats)
    pairs = seats * np.eye(seats) - 1
    information = np.einsum("dlsp,st,dltq->dpq", x, pairs, x, optimize=True)
    at, often = np.concatenate([bots, seat], axis=1), np.bincount(which, minlength=len(designs))
    return _Designs(at, np.asarray(information), which, weight, often)


def _scores(part: _MarginDeals, n: int, theta: Floats | None) -> Floats:
    """(D, p) each deal's weighted sums of residuals, by bot and seat.

    If `theta` is None they are the sums of the leads themselves.
    """
    total, lead = np.zeros((len(part.seating), n + part.seating.shape[2])), part.leads()
    if theta is not None:
        at_seat = theta[part.seating] + theta[n:]
        lead -= at_seat[..., :, None] - at_seat[..., None, :]
    left = lead.sum(axis=3) * part.weight[:, None, None]
    rows = np.broadcast_to(np.arange(len(left))[:, None, None], left.shape)
    np.add.at(total, (rows, part.seating), left)
    total[:, n:] = left.sum(axis=1)
    return total


def _clustered(
    deals: Sequence[_MarginDeals], of: Sequence[_Designs], theta: Floats, inverse: Floats, entities: Floats
) -> tuple[Errors, Floats]:
    """Errors of all differences between entities (m, p), as in `errors.clustered`.

    The second result (n, n) has the third moments of bots' differences.
    """
    p, shift, parts = len(theta), entities @ inverse, []
    n = p - deals[0].seating.shape[2]
    worth, third = np.zeros((p + 1, p + 1)), np.zeros((n, n))
    for part, designs in zip(deals, of, strict=True):
        bots, most = designs.at[:, : n - p], SURPRISE * part.cap * part.seating.shape[1] * designs.weight
        np.maximum.at(worth, (bots[:, :, None], bots[:, None, :]), most[:, None, None])
        scores = np.pad(_scores(part, n, theta), ((0, 0), (0, 1)))
        luck = scores[:, :p] @ shift[:n].T
        square = luck * luck
        cubes, mixed = (square * luck).sum(axis=0), square.T @ luck
        third += cubes[:, None] - cubes - 3 * mixed + 3 * mixed.T
        order = np.argsort(designs.which, kind="stable")
        first = np.unique(designs.which[order], return_index=True)[1]
        score = scores[order[:, None], designs.at[designs.which[order]]]
        # one array of all pairs would take the square of the memory
        squares = np.stack([np.add.reduceat(score * column[:, None], first, axis=0) for column in score.T], axis=1)
        parts.append(Clusters(designs.at, designs.information, squares, designs.often, designs.weight))
    return sandwich(shift, inverse, parts).at_least(moved(shift, worth[:n, :n])), third
