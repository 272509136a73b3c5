"""The luck of a complete night: every match of complete deals, and sums by bot.

The ledger stands beside the standings and never changes them. On duplicate deals it
would hardly improve the ratings for the time it takes (docs/luck.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from math import sqrt
from typing import Any, Final, NamedTuple

from pips_referee.errors import RecordError
from pips_referee.records.record import read_record
from pips_referee.worth import FULL, get_worth
from pips_tourney.analysis.complete import complete_blocks
from pips_tourney.analysis.luck import LUCK_VERSION, match_luck
from pips_tourney.errors import TourneyError
from pips_tourney.night.log.kinds import BEGUN
from pips_tourney.night.night import CHUNK, Night, chunks

AT_ONCE: Final = 16
"""Matches in one job of a process."""


class LuckError(TourneyError):
    """A ledger that cannot be read, or a night without complete deals."""


class MatchEntry(NamedTuple):
    """One match of the ledger."""

    match: str
    contest: str
    block: str
    """The deal for these bots, in all its seatings."""
    bots: tuple[str, ...]
    luck: tuple[int, ...]
    """By seat, in millionths of a win against every other seat."""


class BotLuck(NamedTuple):
    """The luck of one bot in one contest, in points of matches."""

    bot: str
    matches: int
    points: float
    usual: float
    """Luck's standard deviation over as many deals; most luck is within twice that."""
    luckiest: str
    unluckiest: str
    """This and `luckiest` are ids of matches."""


@dataclass(frozen=True, slots=True)
class LuckLedger:
    """The luck of a night."""

    values: Mapping[str, str]
    """By game, the SHA-256 of the value function."""
    uncommitted: tuple[str, ...]
    """Games whose value function the night did not name before its first match."""
    entries: tuple[MatchEntry, ...]

    def by_bot(self) -> dict[str, list[BotLuck]]:
        """By contest, the luck of every bot, the luckiest first."""
        found: dict[str, dict[str, list[tuple[str, str, int]]]] = {}
        for entry in self.entries:
            for bot, luck in zip(entry.bots, entry.luck, strict=True):
                found.setdefault(entry.contest, {}).setdefault(bot, []).append((entry.match, entry.block, luck))
        return {
            contest: sorted([_summed(bot, lucks) for bot, lucks in bots.items()], key=lambda row: -row.points)
            for contest, bots in found.items()
        }

    def dump(self) -> dict[str, Any]:
        """As JSON, with every match."""
        return {
            "version": LUCK_VERSION,
            "values": dict(self.values),
            "matches": {entry.match: list(entry.luck) for entry in self.entries},
        }


def _summed(bot: str, lucks: list[tuple[str, str, int]]) -> BotLuck:
    """A bot's luck; its variance is by deal, as a deal's rotations share their luck."""
    by_deal: dict[str, int] = {}
    for _, block, luck in lucks:
        by_deal[block] = by_deal.get(block, 0) + luck
    usual = sqrt(sum([total * total for total in by_deal.values()])) / FULL
    luckiest, unluckiest = max(lucks, key=lambda each: each[2]), min(lucks, key=lambda each: each[2])
    return BotLuck(bot, len(lucks), sum(by_deal.values()) / FULL, usual, luckiest[0], unluckiest[0])


def night_luck(night: Night, processes: int = 1) -> LuckLedger:
    """The luck ledger of a night's complete deals.

    A deal is complete when it was played in every seating. `LuckError` if none is, or
    if a record cannot be read.
    """
    games = sorted({contest.game for contest in night.programme.contests})
    values = {game: get_worth(game).sha256 for game in games}
    begun = night.store.log(BEGUN)
    named = begun[0].payload.get("values", {}) if begun else {}
    entries = tuple(_entries(night, values, processes))
    if not entries:
        raise LuckError(f"{night.store.path}: no deal was played in every seating yet, so luck cannot be computed")
    return LuckLedger(values, tuple([game for game in games if named.get(game) != values[game]]), entries)


_Redraw = tuple[MatchEntry, str, bytes, bytes]
"""A match whose luck a worker redraws: entry, game, record, key."""


def _entries(night: Night, values: Mapping[str, str], processes: int) -> Iterator[MatchEntry]:
    jobs = _jobs(night, values)
    if processes == 1:
        yield from map(_redrawn, jobs)
        return
    with ProcessPoolExecutor(processes) as pool:
        for some in chunks(jobs, CHUNK):
            yield from pool.map(_redrawn, some, chunksize=AT_ONCE)


def _jobs(night: Night, values: Mapping[str, str]) -> Iterator[_Redraw]:
    """The matches of complete deals, in the order of the schedule."""
    for block in complete_blocks(night):
        rows = night.store.rows([fixture.match_id for fixture in block])
        for fixture in block:
            row, game = rows[fixture.match_id], fixture.contest.game
            entry = MatchEntry(fixture.match_id, fixture.contest.label, fixture.block, row.bots, ())
            key = night.secret.luck_key(fixture.match_id, values[game])
            yield entry, game, row.record, key


def _redrawn(job: _Redraw) -> MatchEntry:
    entry, game, record, key = job
    try:
        found = match_luck(read_record(record), get_worth(game), key)
    except RecordError as error:
        raise LuckError(f"the record of {entry.match} cannot be read: {error}") from None
    return entry._replace(luck=found.totals)
