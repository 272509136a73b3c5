"""Results, counted: the tally is the same whatever the order in which results arrived.

A match is reduced to its *kind* (who sat where and how they were placed). A deal is
reduced to the multiset of its kinds, and equal deals are counted once. All counts are
whole numbers, sorted before any floating-point arithmetic. So ratings cannot depend on
the order of arrival, and 200,000 matches become a few hundred rows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from pips_tourney.ratings.result import Result

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
T = TypeVar("T", bound=Hashable)
MOST_CODES: Final = 2**62
MISFIT: Final = "a result has as many places as bots, at least two of each, and all results the same number"


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Matches as numbers."""

    names: Sequence[str]
    block: Ints
    """(matches,) numbers that tell the blocks apart."""
    seating: Ints
    """(matches, seats) indexes into `names`."""
    places: Ints
    """(matches, seats)"""

    @staticmethod
    def of(results: Iterable[Result]) -> Columns:
        """Convert single results. ValueError as for `tally`."""
        listed = [*results]
        outcomes, which = coded((result.bots, result.places) for result in listed)
        sizes = {len(each) for outcome in outcomes for each in outcome}
        if len(sizes) > 1 or min(sizes, default=2) < 2:
            raise ValueError(MISFIT)
        shape = -1, max(sizes, default=2)
        names = sorted({bot for bots, _ in outcomes for bot in bots})
        number = {name: at for at, name in enumerate(names)}
        seating = np.fromiter((number[bot] for bots, _ in outcomes for bot in bots), np.int64).reshape(shape)
        places = np.fromiter((place for _, places in outcomes for place in places), np.int64).reshape(shape)
        _, block = coded(result.block for result in listed)
        return Columns(names, block, seating[which], places[which])


@dataclass(frozen=True, slots=True, eq=False)
class Deals:
    """All deals of one length, equal ones counted once.

    P patterns, D designs, L matches a deal.
    """

    kinds: Ints
    """(P, L) the kinds of match in each pattern, ascending."""
    count: Ints
    """(P,) how many deals had this pattern."""
    design: Ints
    """(P,) the pattern's row in `designs`: its seatings without their outcomes."""
    designs: Ints
    """(D, L) rows of `Tally.seatings`, ascending."""


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """U seatings of k seats, T kinds of match."""

    names: tuple[str, ...]
    """Sorted; a bot's number is its index in them."""
    seatings: Ints
    """(U, k) the bot at each seat."""
    kind_seating: Ints
    """(T,) the kind's row of `seatings`."""
    kind_rank: Ints
    """(T, k) the place at each seat from 0, without gaps."""
    kind_count: Ints
    """(T,) the number of matches of each kind."""
    outcome: Ints
    """(T, R) the outcome for every pair of seats: 1, 0 or -1.

    The first seat placed above, equal to or below the second.
    """
    deals: tuple[Deals, ...]
    """Deals by length."""
    weight: Floats
    """(U,) the weight in the fit of a match with that seating: 1 unless `evened`."""

    @property
    def seats(self) -> int:
        return int(self.seatings.shape[1])

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The R pairs of seats, the lower seat first."""
        return list(combinations(range(self.seats), 2))

    def meetings(self) -> tuple[Ints, Ints, Ints, Ints]:
        """Pairs of bots by kind of match: kind, both bots, the first one's outcome."""
        at_seat, (a, b) = self.seatings[self.kind_seating], np.array(self.pairs, np.int64).T
        i, j = at_seat[:, a], at_seat[:, b]
        kind, pair = np.nonzero(i != j)
        return kind, i[kind, pair], j[kind, pair], self.outcome[kind, pair]


def tally(results: Iterable[Result] | Columns) -> Tally:
    """Count results.

    ValueError for a match with fewer than two seats or with a place missing.
    """
    columns = results if isinstance(results, Columns) else Columns.of(results)
    if columns.seating.shape != columns.places.shape or (columns.seating.size and columns.seating.shape[1] < 2):
        raise ValueError(MISFIT)
    present = np.unique(columns.seating)
    names = sorted(columns.names[int(at)] for at in present)
    renumber = np.zeros(len(columns.names), np.int64)
    renumber[present] = [names.index(columns.names[int(at)]) for at in present]
    seatings, seating = unique_rows(renumber[columns.seating])
    placings, placing = unique_rows(columns.places)
    ranks, rank = unique_rows(np.array([_dense(row) for row in placings.tolist()], np.int64).reshape(placings.shape))
    rank = rank[placing]
    combined, kind, count = np.unique(seating * max(len(ranks), 1) + rank, return_inverse=True, return_counts=True)
    kind_seating, kind_rank = np.divmod(combined, max(len(ranks), 1))
    deals = []
    for rows in by_length(kind, columns.block):
        patterns, which = unique_rows(rows)
        designs, design = unique_rows(kind_seating[patterns])
        deals.append(Deals(patterns, np.bincount(which, minlength=len(patterns)), design, designs))
    rank, (a, b) = ranks[kind_rank], np.array([*combinations(range(seatings.shape[1]), 2)], np.int64).T
    outcome, weight = np.sign(rank[:, b] - rank[:, a]), np.ones(len(seatings))
    return Tally(tuple(names), seatings, kind_seating, rank, count, outcome, tuple(deals), weight)


def coded(values: Iterable[T]) -> tuple[list[T], Ints]:
    """The distinct values, and the index of each value; most outcomes repeat."""
    number: defaultdict[T, int] = defaultdict()
    number.default_factory = number.__len__
    codes = np.fromiter(map(number.__getitem__, values), np.int64)
    return [*number], codes


def by_length(kind: Ints, block: Ints) -> Iterator[Ints]:
    """(deals, matches) the kinds of match of all deals of one length, ascending."""
    order = np.lexsort((kind, block))
    _, start, length = np.unique(block[order], return_index=True, return_counts=True)
    for matches in np.unique(length):
        yield kind[order][start[length == matches][:, None] + np.arange(matches)]


def evened(tally: Tally) -> Tally:
    """The same results, with the same weight for every combination of bots.

    If some played more deals than others, estimates become those of equally many deals.
    The weights have a mean of 1 over the deals.
    """
    often = np.zeros(len(tally.seatings))
    for deals in tally.deals:
        often += np.bincount(deals.designs[deals.design, 0], deals.count, len(often))
    return replace(tally, weight=even_weights(tally.seatings, often))


def even_weights(seatings: Ints, deals: Floats) -> Floats:
    """The weight of a deal of each of these seatings; the mean over all deals is 1."""
    combinations_, which = unique_rows(np.sort(seatings, axis=1))
    played = np.bincount(which, deals, len(combinations_))
    return np.asarray((played.sum() / (len(played) * played))[which])


def _dense(places: Sequence[int]) -> list[int]:
    """Places from 0 without gaps: only who is above whom counts."""
    levels = sorted({*places})
    return [levels.index(place) for place in places]


def unique_rows(rows: Ints) -> tuple[Ints, Ints]:
    """The distinct rows in ascending order, and the index of each row among them."""
    code = np.zeros(len(rows), np.int64)
    low = int(rows.min(initial=0))
    base, codes = int(rows.max(initial=0)) - low + 1, 1
    for column in rows.T:
        if codes * base > MOST_CODES:
            different, code = np.unique(code, return_inverse=True)
            codes = len(different)
        code, codes = code * base + column - low, codes * base
    _, first, which = np.unique(code, return_index=True, return_inverse=True)
    return rows[first], which
