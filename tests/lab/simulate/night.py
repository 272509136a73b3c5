"""A simulated night that grows: all results, counted as they come."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from pips_tourney.ratings.fit.sums import Sums
from pips_tourney.ratings.fit.tally import Columns, Ints, Tally, tally
from pips_tourney.ratings.margins import rate_scores
from pips_tourney.ratings.table import Margins
from pips_tourney.schedule.adaptive import Table
from tests.lab.simulate.leagues import World, performances

CAP = 3.0
"""Scales that one match counts at most."""
OUTCOMES = 9
"""What each of both matches of a deal of two bots may end with."""


@dataclass(slots=True)
class Night:
    """A simulated night: the results of every combination, as far as it has played."""

    world: World
    rng: np.random.Generator
    tables: list[Table]
    places: dict[Table, list[np.ndarray]] = field(default_factory=dict)
    """(2, deals, rotations, seats) seatings and places; not with two seats."""
    depths: dict[Table, int] = field(default_factory=dict)
    often: Ints = field(default_factory=lambda: np.zeros((0, OUTCOMES), np.int64))
    """(tables, OUTCOMES) with two seats: how often a deal has ended so."""

    def __post_init__(self) -> None:
        self.depths = dict.fromkeys(self.tables, 0)
        self.places = {table: [] for table in self.tables}
        self.often = np.zeros((len(self.tables), OUTCOMES), np.int64)

    def play(self, planned: Mapping[Table, int]) -> None:
        """Play every combination up to the planned number of deals."""
        seats, number = self.world.seats, {name: at for at, name in enumerate(self.world.names)}
        turned = [[(seat + turn) % seats for seat in range(seats)] for turn in range(seats)]
        lacks = [(table, deals - self.depths[table]) for table, deals in planned.items() if deals > self.depths[table]]
        rows = np.array([[number[bot] for bot in table] for table, _ in lacks], np.int64).reshape(-1, seats)[:, turned]
        seating = np.repeat(rows, [lack for _, lack in lacks], axis=0)
        points = performances(self.world, seating, self.rng)
        self._keep(lacks, seating, points)
        self.depths = dict(planned)

    def _keep(self, lacks: list[tuple[Table, int]], seating: Ints, points: np.ndarray) -> None:
        """Keep new deals, table after table."""
        if self.world.seats == 2:
            self._count(lacks, points)
            return
        places, at = 1 + np.sum(points[..., None, :] > points[..., :, None], axis=-1), 0
        for table, lack in lacks:
            self.places[table].append(np.stack([seating[at : at + lack], places[at : at + lack]]))
            at += lack

    def _count(self, lacks: list[tuple[Table, int]], points: np.ndarray) -> None:
        """Count how deals ended, (deals, 2, 2) `points`, table after table."""
        ended = np.sign(points[..., 0] - points[..., 1]).astype(np.int64) + 1
        which = {table: at for at, table in enumerate(self.tables)}
        at = np.repeat([which[table] for table, _ in lacks], [lack for _, lack in lacks])
        code = at * OUTCOMES + 3 * ended[:, 0] + ended[:, 1]
        self.often += np.bincount(code, minlength=self.often.size).reshape(self.often.shape)

    def columns(self) -> Columns:
        """All matches."""
        seats, repeated = self.world.seats, np.repeat(np.arange(self.often.size), self.often.ravel())
        if seats == 2:
            seating, places = self._ended(repeated)
        else:
            played = np.concatenate([part for parts in self.places.values() for part in parts], axis=1)
            seating, places = (side.reshape(-1, seats) for side in played)
        return Columns(self.world.names, np.repeat(np.arange(len(seating) // seats), seats), seating, places)

    def _ended(self, codes: Ints) -> tuple[Ints, Ints]:
        """(matches, 2) seatings and places of deals that ended so, with two seats."""
        number = {name: at for at, name in enumerate(self.world.names)}
        pair = np.array([[number[bot] for bot in table] for table in self.tables])[codes // OUTCOMES]
        ended = np.stack(np.divmod(codes % OUTCOMES, 3), axis=1) - 1  # 1: the first seat was ahead
        places = np.stack([1 + (ended < 0), 1 + (ended > 0)], axis=-1)
        return np.stack([pair, pair[:, ::-1]], axis=1).reshape(-1, 2), places.reshape(-1, 2)

    def tally(self) -> Tally:
        """As `tally(self.columns())`; with two seats from counts, which is quick."""
        if self.world.seats > 2:
            return tally(self.columns())
        codes = np.flatnonzero(self.often)
        seating, places = self._ended(codes)
        once = tally(Columns(self.world.names, np.repeat(np.arange(len(codes)), 2), seating, places))
        (deals,) = once.deals
        often = self._often(once, deals.kinds)
        kinds = np.bincount(deals.kinds.ravel(), np.repeat(often, 2), len(once.kind_count)).astype(np.int64)
        return replace(once, kind_count=kinds, deals=(replace(deals, count=often),))

    def _often(self, once: Tally, patterns: Ints) -> Ints:
        """(P,) how often each pattern of two kinds was played."""
        bots = once.seatings[once.kind_seating[patterns]]  # (P, 2 matches, 2 seats)
        outcome = once.outcome[patterns, 0]
        number = {name: at for at, name in enumerate(once.names)}
        which = {(number[a], number[b]): at for at, (a, b) in enumerate(self.tables) if a in number and b in number}
        found = np.zeros(len(patterns), np.int64)
        for at, (seats, ended) in enumerate(zip(bots.tolist(), (outcome + 1).tolist(), strict=True)):
            first = 0 if tuple(seats[0]) in which else 1
            found[at] = self.often[which[tuple(seats[first])], 3 * ended[first] + ended[1 - first]]
        return found

    def sums(self, *, evened: bool) -> Sums:
        return Sums(self.tally(), weigh_alike=evened)

    @property
    def deals(self) -> int:
        return sum(self.depths.values())


@dataclass(slots=True)
class ScoredNight(Night):
    """The same with the scores of every match, in scales, and without their places."""

    scored: list[tuple[Ints, np.ndarray]] = field(default_factory=list)
    """(deals, rotations, seats) seatings and scores."""

    def _keep(self, lacks: list[tuple[Table, int]], seating: Ints, points: np.ndarray) -> None:
        self.scored.append((seating, points / 2**0.5))

    def margins(self, *, evened: bool) -> Margins:
        """The ratings by points."""
        seating, scores = (np.concatenate(side) for side in zip(*self.scored, strict=True))
        names = self.world.names
        assert names == sorted(names)
        return rate_scores(names, [(seating, scores)], CAP, evened=evened)
