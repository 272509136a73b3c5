"""What more bots and more stored matches cost: leagues of 8, 64 and 512 bots, and
databases of 1,000 to 1,000,000 matches, which simulated arenas fill.

Each command runs in a process of its own, as its user would run it. Its row tells its
seconds. A last row tells what a match cost from the second largest size to the largest,
beside what it cost up to there: 1 is flat. For bots it tells that of a pair of them.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from time import perf_counter
from typing import Final, NamedTuple

from tests.lab.bench.figures import Figure, figure
from tests.lab.bench.runner import BOTS, PAIRS, play_instantly, write_league
from tests.lab.bench.web import first_page

CROWDS: Final = (8, 64, 512)
"""Bots of a league with one deal a pair, or as many as one round has."""
STORED: Final = (1_000, 10_000, 100_000)
MILLION: Final = 1_000_000
"""It takes a quarter of an hour to fill."""
FLAT: Final = 1.25
LEFT: Final = 20
"""Matches that are missing where a night is resumed."""

Costs = Iterator[tuple[str, float]]
"""What was measured, and its seconds."""


def bench(*, quick: bool) -> Iterator[Figure]:
    crowds, stored = (CROWDS[:2], STORED[:2]) if quick else (CROWDS, STORED)
    yield from _rows("pair", [_League(f"{bots} bots", bots * (bots - 1) // 2, bots, 1) for bots in crowds], _of_bots)
    yield from _rows("match", map(_stored, stored), _of_matches)


def bench_million(*, quick: bool) -> Iterator[Figure]:
    """The rows of stored matches up to a million; in a quick look, up to 10,000."""
    yield from _rows("match", map(_stored, STORED[:2] if quick else (*STORED, MILLION)), _of_matches)


class _League(NamedTuple):
    name: str
    units: int
    """Pairs of bots, or matches."""
    bots: int
    deals: int


def _stored(matches: int) -> _League:
    deals = max(1, round(matches / (2 * PAIRS)))
    return _League(f"{matches:,} matches", 2 * PAIRS * deals, BOTS, deals)


def _rows(unit: str, leagues: Iterable[_League], costs: Callable[[Path, int], Costs]) -> Iterator[Figure]:
    """Measure leagues, small to large, and compare."""
    seconds: dict[str, list[tuple[int, float]]] = {}
    for league in leagues:
        with tempfile.TemporaryDirectory() as folder:
            for what, took_s in costs(write_league(Path(folder), league.bots, league.deals), league.units):
                seconds.setdefault(what, []).append((league.units, took_s))
                yield figure(f"{league.name}: {what}", "s", [took_s], less_is_better=True)
    for what, sizes in seconds.items():
        (least, least_s), *_, (less, less_s), (most, most_s) = [sizes[0], *sizes]
        if least == less:  # there were but two sizes
            continue
        grown = (most_s - less_s) / (most - less) / ((less_s - least_s) / (less - least))
        yield figure(f"{what}: a {unit} more at the end, beside before", "", [grown], FLAT, less_is_better=True)


def _of_bots(league: Path, _: int) -> Costs:
    played = play_instantly(league)
    yield "to the first match", played["start_s"]
    yield "from there to the end", played["play_s"]
    yield from _read(league.with_suffix(".db"))


def _of_matches(league: Path, matches: int) -> Costs:
    play_instantly(league, matches - LEFT, refereed=True)
    yield "resumed, to the first match", play_instantly(league, refereed=True)["start_s"]
    database = league.with_suffix(".db")
    yield from _read(database)


def _read(database: Path) -> Costs:
    yield "status", _command("status", str(database))
    yield "standings", _command("standings", str(database))
    yield "first page", asyncio.run(first_page(database))


def _command(*words: str) -> float:
    begun = perf_counter()
    subprocess.run([sys.executable, "-m", "pips_tourney", *words], check=True, capture_output=True)
    return perf_counter() - begun
