"""Results, counted: the same tally whatever the order in which they arrived.

A match is reduced to its *kind* (who sat where and how they were placed). A deal is
reduced to the multiset of its kinds, and equal deals are counted once. Everything is in
whole numbers and sorted before any floating point begins. So ratings cannot depend on
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
EMPTY = -1
"""The value of a seat that a table does not have."""
MISFIT: Final = "a result has as many places as bots, and at least two of each"


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Matches as numbers. A seat that a table does not have is EMPTY."""

    names: Sequence[str]
    block: Ints
    """(matches,) any number that tells the blocks apart."""
    seating: Ints
    """(matches, seats) indexes into `names`."""
    places: Ints
    """(matches, seats)"""

    @staticmethod
    def of(results: Iterable[Result]) -> Columns:
        """From results one by one; as `tally` raises."""
        listed = [*results]
        outcomes, which = coded((result.bots, result.places) for result in listed)
        if any(len(bots) != len(places) or len(bots) < 2 for bots, places in outcomes):
            raise ValueError(MISFIT)
        names = sorted({bot for bots, _ in outcomes for bot in bots})
        number = {name: at for at, name in enumerate(names)}
        seating = _padded([[number[bot] for bot in bots] for bots, _ in outcomes])[which]
        _, block = coded(result.block for result in listed)
        return Columns(names, block, seating, _padded([places for _, places in outcomes])[which])


@dataclass(frozen=True, slots=True, eq=False)
class Deals:
    """All deals of one length, equal ones counted once.

    P patterns, D designs, L matches a deal.
    """

    kinds: Ints
    """(P, L) the kinds of match in it, ascending."""
    count: Ints
    """(P,) how many deals had this pattern."""
    design: Ints
    """(P,) its row in `designs`: a deal's seatings without their outcomes."""
    designs: Ints
    """(D, L) rows of `Tally.seatings`, ascending."""


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """U seatings, T kinds of match, k seats at the largest table."""

    names: tuple[str, ...]
    """Sorted; a bot's number is its index here."""
    seatings: Ints
    """(U, k) the bot at each seat, or EMPTY."""
    kind_seating: Ints
    """(T,) rows of `seatings`."""
    kind_rank: Ints
    """(T, k) the place at each seat from 0, without gaps, or EMPTY."""
    kind_count: Ints
    """(T,) matches of that kind."""
    outcome: Ints
    """(T, R) the outcome for every pair of seats: 1, 0 or -1.

    The first was above, level with or below the second.
    """
    deals: tuple[Deals, ...]
    """Deals by length."""
    weight: Floats
    """(U,) what a match of that seating weighs in the fit: 1 unless `evened`."""

    @property
    def size(self) -> Ints:
        """(U,) seats at the table."""
        return np.asarray(np.sum(self.seatings != EMPTY, axis=1))

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The R pairs of seats at the largest table, the lower seat first."""
        return list(combinations(range(self.seatings.shape[1]), 2))

    def meetings(self) -> tuple[Ints, Ints, Ints, Ints]:
        """Pairs of bots by kind of match: the kind, both, the outcome of the first."""
        at_seat, (a, b) = self.seatings[self.kind_seating], np.array(self.pairs, np.int64).T
        i, j = at_seat[:, a], at_seat[:, b]
        kind, pair = np.nonzero((j != EMPTY) & (i != j))
        return kind, i[kind, pair], j[kind, pair], self.outcome[kind, pair]


def tally(results: Iterable[Result] | Columns) -> Tally:
    """Count results.

    ValueError for a match with fewer than two seats or with a place missing.
    """
    columns = results if isinstance(results, Columns) else Columns.of(results)
    if columns.seating.shape != columns.places.shape or (columns.seating.size and columns.seating.shape[1] < 2):
        raise ValueError(MISFIT)
    present = np.unique(columns.seating[columns.seating != EMPTY])
    names = sorted(columns.names[int(at)] for at in present)
    renumber = np.full(len(columns.names) + 1, EMPTY)
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
    return _tally(tuple(names), seatings, kind_seating, ranks[kind_rank], count, tuple(deals))


def coded(values: Iterable[T]) -> tuple[list[T], Ints]:
    """The different values, and which of them each is: an outcome comes many times."""
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


def _tally(
    names: tuple[str, ...], seatings: Ints, kind_seating: Ints, kind_rank: Ints, count: Ints, deals: tuple[Deals, ...]
) -> Tally:
    a, b = np.array(list(combinations(range(seatings.shape[1]), 2)), np.int64).T
    outcome = np.sign(kind_rank[:, b] - kind_rank[:, a])
    return Tally(names, seatings, kind_seating, kind_rank, count, outcome, deals, np.ones(len(seatings)))


def evened(tally: Tally) -> Tally:
    """The same results with every combination of bots weighing as much as any other.

    Where some played more deals than others, estimates are then what equal deals give.
    The weights have a mean of 1 over the deals.
    """
    table = np.sort(tally.seatings, axis=1)
    combinations_, which = unique_rows(table)
    played = np.zeros(len(combinations_))
    for deals in tally.deals:
        played += np.bincount(which[deals.designs[deals.design, 0]], deals.count, len(played))
    share = played.sum() / (len(played) * played)
    return replace(tally, weight=np.asarray(share[which], float))


def _dense(places: Sequence[int]) -> list[int]:
    """Places from 0 without gaps: only who is above whom counts."""
    levels = sorted({*places} - {EMPTY})
    return [EMPTY if place == EMPTY else levels.index(place) for place in places]


def _padded(rows: Sequence[Sequence[int]]) -> Ints:
    width = max(map(len, rows), default=2)
    return np.array([[*row, *[EMPTY] * (width - len(row))] for row in rows], np.int64).reshape(-1, width)


def unique_rows(rows: Ints) -> tuple[Ints, Ints]:
    """The different rows in ascending order, and which of them each row is."""
    code = np.zeros(len(rows), np.int64)
    low = int(rows.min(initial=0))
    base = int(rows.max(initial=0)) - low + 1
    for column in rows.T:
        _, code = np.unique(code * base + column - low, return_inverse=True)
    _, first, which = np.unique(code, return_index=True, return_inverse=True)
    return rows[first], which
