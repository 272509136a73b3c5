"""Results, counted: the same tally whatever the order in which they arrived.

A match is reduced to its *kind* (who sat where and how they were placed). A deal is
reduced to the multiset of its kinds, and equal deals are counted once. Everything is in
whole numbers and sorted before any floating point begins. So ratings cannot depend on
the order of arrival, and 200,000 matches become a few hundred rows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, count
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from pips_tourney.ratings.result import Result

Ints = NDArray[np.int64]
Numbers = NDArray[np.signedinteger[Any]]
Floats = NDArray[np.float64]
T = TypeVar("T", bound=Hashable)
Control = tuple[int, ...] | None
Kind = tuple[tuple[str, ...], tuple[int, ...], Control]
"""A match's bots, its places and its control, by seat."""
EMPTY = -1
"""The value of a seat that a table does not have."""


class Ending(NamedTuple):
    """What a match came to, as `Result` has it."""

    bots: tuple[str, ...]
    places: tuple[int, ...]
    scores: tuple[float, ...] | None = None
    control: Control = None


@dataclass(frozen=True, slots=True, eq=False)
class ManyResults:
    """Many matches in a few bytes each: what many came to is kept once."""

    outcomes: Sequence[Ending]
    """The different ones. Each has a match."""
    outcome: Numbers
    """(matches,) indexes into `outcomes`."""
    block: Numbers
    """(matches,) any number that tells the blocks apart."""

    @staticmethod
    def of(results: Iterable[Result]) -> ManyResults:
        """From results one by one."""
        listed = [*results]
        outcomes, outcome = coded([(r.bots, r.places, r.scores, r.control) for r in listed])
        return ManyResults([Ending(*each) for each in outcomes], outcome, coded([r.block for r in listed])[1])

    @staticmethod
    def present(outcomes: Sequence[Ending], outcome: Numbers, block: Numbers) -> ManyResults:
        """Matches with only those of the outcomes that they have."""
        there, number = np.unique(outcome, return_inverse=True)
        return ManyResults([outcomes[at] for at in there.tolist()], number, block)

    def __len__(self) -> int:
        return len(self.outcome)

    def where(self, holds: Callable[[Ending], bool]) -> ManyResults:
        """Only the matches with such an outcome."""
        kept = np.array([holds(outcome) for outcome in self.outcomes], bool)
        if kept.all():
            return self
        kept = kept[self.outcome]
        return ManyResults.present(self.outcomes, self.outcome[kept], self.block[kept])


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """The same for many matches at tables of one size."""

    names: Sequence[str]
    block: Ints
    """(matches,) any number that tells the blocks apart."""
    seating: Ints
    """(matches, seats) indexes into `names`."""
    places: Ints
    """(matches, seats)"""
    control: Ints | None = None
    """(matches, seats) as `Result.control`, of all matches or of none."""


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
    control: Floats | None = None
    """(T, R) the control's lead of the first over the second; NaN without a control.

    None: there is no control at all.
    """
    shift: Floats | None = None
    """(T, R) what is taken from each result as luck of the deal (control.py)."""

    @property
    def size(self) -> Ints:
        """(U,) seats at the table."""
        return np.asarray(np.sum(self.seatings != EMPTY, axis=1))

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The R pairs of seats at the largest table, the lower seat first."""
        return list(combinations(range(self.seatings.shape[1]), 2))

    def matches_as_deals(self) -> Deals:
        """The tally as if every match had had a deal of its own."""
        seen, design = np.unique(self.kind_seating, return_inverse=True)
        kinds = np.arange(len(self.kind_count))
        return Deals(kinds[:, None], self.kind_count, design, seen[:, None])


def tally(results: Iterable[Result] | ManyResults | Columns) -> Tally:
    """Count results.

    ValueError for a match with fewer than two seats or with a place missing.
    """
    if isinstance(results, Columns):
        return _from_columns(results)
    results = results if isinstance(results, ManyResults) else ManyResults.of(results)
    outcomes, at = results.outcomes, results.outcome
    coding = _Coding.of([o.bots for o in outcomes], [(o.places, o.control) for o in outcomes])
    return _count(coding.names, results.block, coding.seatings, coding.seating[at], coding.ranks, coding.rank[at])


def tally_kinds(kinds: Mapping[Kind, int]) -> Tally:
    """Count matches of which only the kind is known: each is a deal of its own."""
    coding = _Coding.of([bots for bots, _, _ in kinds], [(places, control) for _, places, control in kinds])
    combined, which = np.unique(coding.seating * max(len(coding.ranks), 1) + coding.rank, return_inverse=True)
    count = np.zeros(len(combined), np.int64)
    np.add.at(count, which, np.fromiter(kinds.values(), np.int64, len(kinds)))
    kind_seating, kind_rank = np.divmod(combined, max(len(coding.ranks), 1))
    counted = _tally(coding.names, coding.seatings, kind_seating, coding.ranks[kind_rank], count)
    return replace(counted, deals=(counted.matches_as_deals(),))


class _Coding(NamedTuple):
    """Matches as numbers: rows of `seatings` and of `ranks`, which are ascending."""

    names: tuple[str, ...]
    seatings: Ints
    seating: Ints
    ranks: Ints
    rank: Ints

    @staticmethod
    def of(bots: Sequence[tuple[str, ...]], places: Sequence[tuple[tuple[int, ...], Control]]) -> _Coding:
        """From matches' bots, and places with the control; as `tally` raises."""
        seating_of, seating = coded(bots)
        placing_of, placing = coded(places)
        ranked, controls = [row for row, _ in placing_of], [control for _, control in placing_of]
        sizes, placed = (np.array([len(row) for row in rows], np.int64) for rows in (seating_of, ranked))
        if (sizes[seating] != placed[placing]).any() or any(len(row) < 2 for row in seating_of):
            raise ValueError("a result has as many places as bots, and at least two of each")
        names = sorted({name for row in seating_of for name in row})
        number = {name: at for at, name in enumerate(names)}
        seatings = _padded([[number[name] for name in row] for row in seating_of])
        ranks = _ranked(ranked, controls)
        return _Coding(tuple(names), *_sorted_rows(seatings, seating), *_sorted_rows(ranks, placing))


def coded(values: Sequence[T]) -> tuple[Sequence[T], Ints]:
    """The different values in the order of their coming, and which of them each is."""
    number: defaultdict[T, int] = defaultdict(count().__next__)
    codes = np.fromiter(map(number.__getitem__, values), np.int64, len(values))
    return tuple(number), codes


def _from_columns(columns: Columns) -> Tally:
    if columns.seating.shape != columns.places.shape or (columns.seating.size and columns.seating.shape[1] < 2):
        raise ValueError("a result has as many places as bots, and at least two of each")
    present = np.unique(columns.seating)
    names = sorted(columns.names[int(at)] for at in present)
    renumber = np.zeros(len(columns.names), np.int64)
    renumber[present] = [names.index(columns.names[int(at)]) for at in present]
    seatings, seating = unique_rows(renumber[columns.seating])
    seats = columns.places.shape[1]
    both = columns.places if columns.control is None else np.hstack([columns.places, columns.control])
    placings, placing = unique_rows(both)
    ranks = _ranked([row[:seats] for row in placings.tolist()], [row[seats:] for row in placings.tolist()])
    return _count(tuple(names), columns.block, seatings, seating, *_sorted_rows(ranks, placing))


def _count(names: tuple[str, ...], block: Numbers, seatings: Ints, seating: Ints, ranks: Ints, rank: Ints) -> Tally:
    combined, kind, count = np.unique(seating * max(len(ranks), 1) + rank, return_inverse=True, return_counts=True)
    kind_seating, kind_rank = np.divmod(combined, max(len(ranks), 1))
    order = np.lexsort((kind, block))
    _, start, length = np.unique(block[order], return_index=True, return_counts=True)
    kind = kind[order]
    deals = []
    for matches in np.unique(length):
        rows = kind[start[length == matches][:, None] + np.arange(matches)]
        patterns, which = unique_rows(rows)
        designs, design = unique_rows(kind_seating[patterns])
        deals.append(Deals(patterns, np.bincount(which, minlength=len(patterns)), design, designs))
    return replace(_tally(names, seatings, kind_seating, ranks[kind_rank], count), deals=tuple(deals))


def _tally(names: tuple[str, ...], seatings: Ints, kind_seating: Ints, ranks: Ints, count: Ints) -> Tally:
    """A tally of these kinds, without deals; `ranks` as of `_ranked`."""
    seats = seatings.shape[1]
    kind_rank, kind_control = ranks[:, :seats], ranks[:, seats:]
    a, b = np.array(list(combinations(range(seats), 2)), np.int64).T
    outcome = np.sign(kind_rank[:, b] - kind_rank[:, a])
    control = None
    if kind_control.size:
        known = (kind_control[:, a] != EMPTY) & (kind_control[:, b] != EMPTY)
        control = np.where(known, kind_control[:, a] - kind_control[:, b], np.nan)
    weight = np.ones(len(seatings))
    return Tally(names, seatings, kind_seating, kind_rank, count, outcome, (), weight, control)


def _ranked(places: Sequence[Sequence[int]], controls: Sequence[Sequence[int] | None]) -> Ints:
    """Places by seat, and behind them the controls' scores over the lowest, if any."""
    ranks = _padded([_dense(row) for row in places])
    if not any(controls):
        return ranks
    seats = ranks.shape[1]
    beside = [[score - min(row) for score in row] if row else [] for row in controls]
    beside = [[*row, *[EMPTY] * (seats - len(row))] for row in beside]
    return np.hstack([ranks, np.array(beside, np.int64)])


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
    levels = sorted(set(places))
    return [levels.index(place) for place in places]


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


def _sorted_rows(rows: Ints, code: Ints) -> tuple[Ints, Ints]:
    """`unique_rows` for rows that are referred to by code."""
    unique, which = unique_rows(rows)
    return unique, which[code]
