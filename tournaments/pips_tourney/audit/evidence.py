"""The evidence of the audit: the matches of a night that count."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations

from google.protobuf.message import DecodeError

from pips.v1 import record_pb2
from pips_tourney.night.log.rows import quantile_us
from pips_tourney.night.log.store import Row, points_of
from pips_tourney.night.night import Night
from pips_tourney.night.table.tables import Standings
from pips_tourney.ratings.table import Difference, Ratings


@dataclass(frozen=True, slots=True)
class Seen:
    """A match that counts. Everything is by seat unless it says otherwise."""

    contest: str
    block: str
    """The match's block: its deal as the combination plays it."""
    bots: tuple[str, ...]
    points: tuple[float, ...]
    """1 for a place above everybody else at the table, 0 for a place below."""
    log_time: tuple[float | None, ...] = ()
    """The mean base-2 logarithm of the answer times in microseconds."""
    timed_out: tuple[bool, ...] = ()
    arena: str = ""
    """The arena of the match; empty if unknown."""

    @property
    def combination(self) -> tuple[str, ...]:
        return tuple(sorted(self.bots))


@dataclass(slots=True)
class ArenaFigures:
    """The figures of an arena, in matches that count."""

    matches: int = 0
    timeouts: int = 0
    used_us: int = 0
    credited_us: int = 0
    """Time that passed but was not charged to the bots.

    They waited for their core, or the referee was late.
    """
    times: Counter[int] = field(default_factory=Counter)

    @property
    def median_ms(self) -> float | None:
        time_us = quantile_us(self.times, 0.5)
        return None if time_us is None else round(time_us / 1000, 3)

    @property
    def credited(self) -> float | None:
        """The credited share of all time."""
        whole = self.used_us + self.credited_us
        return round(self.credited_us / whole, 4) if whole else None


@dataclass(slots=True)
class Evidence:
    """Everything that the audit's tests use."""

    matches: list[Seen] = field(default_factory=list)
    deals: dict[str, dict[tuple[str, ...], tuple[int, int]]] = field(default_factory=dict)
    """By contest and combination, how many deals count and how many are scheduled."""
    arenas: dict[str, ArenaFigures] = field(default_factory=dict)
    times: dict[tuple[str, str], Counter[int]] = field(default_factory=dict)
    """Answer times (see log/rows.py) by contest and bot."""
    withdrawn: frozenset[tuple[str, str]] = frozenset()
    """(contest, bot) pairs; the matches of a final belong to its contest."""
    complete: bool = True
    once: frozenset[str] = frozenset()
    """Contests in which every deal is played in one rotation only."""
    answer_ms: int = 0
    """The time limit of an answer; 0 for no limit."""
    copies: list[tuple[str, Difference, float]] = field(default_factory=list)
    """By contest, differences between bots with the same files, with two-sided p."""

    def of(self, contest: str) -> list[Seen]:
        return [match for match in self.matches if match.contest == contest]

    @property
    def contests(self) -> list[str]:
        return list(dict.fromkeys(match.contest for match in self.matches))


Deals = dict[str, dict[tuple[str, ...], set[str]]]
"""By contest and combination, the names of its deals."""


def _seen(label: str, block: str, row: Row, arena: str) -> Seen:
    late = {fault.seat for fault in row.seat_faults if fault.kind == "timeout"}
    times = tuple(_log_time(dict(counts)) for counts in row.answer_times)
    was_late = tuple(seat in late for seat in range(len(row.bots)))
    return Seen(label, block, row.bots, points_of(row.seat_places), times, was_late, arena)


def gather(night: Night, of: Standings) -> Evidence:
    """Collect the evidence of a night."""
    counted = {match for table in of.tables for match in table.ids}
    contests = [(table.contest.label, table) for table in of.tables if table.contest is not None]
    evidence = Evidence(
        deals={contest: {} for contest, _ in contests},
        withdrawn=frozenset((contest, bot) for contest, table in contests for bot in table.withdrawn),
        complete=of.complete,
        once=frozenset(contest.label for contest in night.programme.contests if not contest.form.duplicate),
        answer_ms=night.programme.clock["answer_ms"],
        copies=[*_copies(of)],
    )
    arenas = night.store.arenas()
    scheduled: Deals = defaultdict(lambda: defaultdict(set))
    whole: Deals = defaultdict(lambda: defaultdict(set))
    for fixture, row in night.records():
        label, table = fixture.contest.label, tuple(sorted(fixture.combination))
        scheduled[label][table].add(fixture.block)
        if row is None or row.id not in counted:
            continue
        whole[label][table].add(fixture.block)
        arena = arenas[row.id][0] if row.id in arenas else ""
        times = [dict(counts) for counts in row.answer_times]
        seen = _seen(label, fixture.block, row, arena)
        evidence.matches.append(seen)
        for bot, counts in zip(row.bots, times, strict=True):
            evidence.times.setdefault((label, bot), Counter()).update(counts)
        _add(evidence.arenas.setdefault(arena, ArenaFigures()), row.record, times, sum(seen.timed_out))
    for label, tables in scheduled.items():
        evidence.deals[label] = {table: (len(whole[label][table]), len(deals)) for table, deals in tables.items()}
    return evidence


def _copies(of: Standings) -> Iterator[tuple[str, Difference, float]]:
    for table in of.tables:
        for a, b in (pair for group in table.copies for pair in combinations(group, 2)):
            if not isinstance(table.ratings, Ratings) or not {a, b} <= {*table.ratings.sums.tally.names}:
                continue
            level, difference = table.ratings.level(a, b), table.ratings.difference(a, b)
            if difference.low is not None and difference.high is not None:
                yield table.label, difference if level >= 0.5 else difference.reversed(), 2 * min(level, 1 - level)


def _log_time(counts: Mapping[int, int]) -> float | None:
    """The mean base-2 logarithm; buckets are sixteenths of a doubling."""
    total = sum(counts.values())
    return sum(bucket * count for bucket, count in counts.items()) / 16 / total if total else None


def _add(figures: ArenaFigures, record: bytes, times: Iterable[Mapping[int, int]], late: int) -> None:
    figures.matches += 1
    figures.timeouts += late
    for counts in times:
        figures.times.update(counts)
    try:
        answers = record_pb2.MatchRecord.FromString(record).answers
    except DecodeError:  # the check of records reports it
        return
    for answer in answers:
        figures.used_us += answer.used_us
        figures.credited_us += answer.credited_us
