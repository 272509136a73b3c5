"""The deals that `tests.lab.bench.truth` draws its nights from.

Every combination of a field plays its deals once, in this process, in every rotation.
The CPU time of every match is measured. The pool is kept in a file, because it takes
minutes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from itertools import combinations, pairwise
from math import inf
from multiprocessing import get_context
from pathlib import Path
from time import monotonic, process_time
from typing import Final

import numpy as np

from pips_referee.game import get_game
from pips_sdk import play_match
from pips_tourney.schedule.tables import play_deal
from tests.lab.simulate.sample_bots import bot

SAMPLES: Final = {"random": ("random", 0.0), "cautious": ("cautious", 0.0), "greedy": ("greedy", 0.0)}
STUDENTS: Final = {"slip-10": ("greedy", 0.1), "slip-25": ("greedy", 0.25)}
SEARCH: Final = {"search": ("search", 0.0)}


@dataclass(frozen=True, slots=True)
class FieldOfBots:
    """A game, its options, and who plays."""

    game: str
    seats: int
    bots: Mapping[str, tuple[str, float]]
    """By name: the sample bot, and the share of its answers that are random."""
    deals: int
    """Deals of each combination."""
    with_search: int
    """The same, of combinations with `search`."""
    options: Mapping[str, int | str]
    label: str = ""
    """What the field is called, where its game alone does not say it."""

    @property
    def title(self) -> str:
        return self.label or self.game

    def deals_of(self, table: tuple[str, ...]) -> int:
        return self.with_search if "search" in table else self.deals


FIELDS: Final = {
    "serpent": FieldOfBots("serpent", 2, SAMPLES | STUDENTS | SEARCH, 250, 25, {}),
    "wichita": FieldOfBots("wichita", 2, SAMPLES | STUDENTS | SEARCH, 400, 40, {}),
    "pippip": FieldOfBots("pippip", 2, SAMPLES | SEARCH, 300, 200, {"rules": "hervey"}, "pippip, 2 seats"),
    "pippip3": FieldOfBots("pippip", 3, SAMPLES | STUDENTS, 40, 0, {}, "pippip, 3 seats"),
    "dominion": FieldOfBots("dominion", 2, SAMPLES | STUDENTS, 200, 0, {"size": 3}),
}


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """All matches of one combination: D deals of R rotations at k seats."""

    bots: tuple[str, ...]
    seating: np.ndarray
    """(D, R, k) numbers of the field's bots."""
    places: np.ndarray
    """(D, R, k)"""
    scores: np.ndarray
    """(D, R, k) in scales of the game."""
    seconds: float
    """CPU seconds of a match, on the mean."""


def play_deals(field: FieldOfBots, table: tuple[str, ...], first: int, last: int) -> np.ndarray:
    """(deals, R, 3k + 1) the seating, places, scores and CPU seconds of every match."""
    options = get_game(field.game).options(dict(field.options))
    classes = {name: bot(field.game, *field.bots[name]) for name in table}
    names, rows = list(field.bots), []
    for deal in range(first, last):
        block = f"{field.game} {table} {deal}"
        for pairing in play_deal(table, deal):
            seeds = [sha256(f"{block} {pairing.rotation} {seat}".encode()).digest() for seat in range(len(table))]
            seated = [classes[name] for name in pairing.seating]
            start = process_time()
            outcome = play_match(seated, sha256(block.encode()).digest(), options, seeds).outcome
            seconds = process_time() - start
            rows.append([*map(names.index, pairing.seating), *outcome.places, *outcome.scores, seconds])
    return np.array(rows, float).reshape(last - first, len(table), -1)


def pool(
    field: FieldOfBots, folder: Path, workers: int = 2, seconds: float = inf, say: Callable[[str], None] = print
) -> list[Table]:
    """The field's matches, from the folder's files if they were played before.

    After `seconds` no further combination begins; those that were played are returned,
    and the next call goes on.
    """
    tables = list(combinations(sorted(field.bots), field.seats))
    here = folder / field.title.replace(", ", "-").replace(" ", "-")
    here.mkdir(parents=True, exist_ok=True)
    files = {table: here / f"{'-'.join(table)}.npy" for table in tables}
    lacking = [table for table in tables if not files[table].exists()]
    if lacking:
        say(f"playing {len(lacking)} combinations of {field.title}; they are kept in {here}")
    until = monotonic() + seconds
    for table, rows in _played(field, lacking, workers, until):
        np.save(files[table], rows)
    return [_table(field, table, np.load(files[table])) for table in tables if files[table].exists()]


def _played(
    field: FieldOfBots, tables: Sequence[tuple[str, ...]], workers: int, until: float
) -> Iterator[tuple[tuple[str, ...], np.ndarray]]:
    """The matches of one table after another, played in `workers` processes or here."""
    if not workers:
        for table in tables:
            yield table, play_deals(field, table, 0, field.deals_of(table))
    with ProcessPoolExecutor(max(workers, 1), mp_context=get_context("spawn")) as processes:
        for table in tables if workers else ():
            if monotonic() > until:
                break
            deals = field.deals_of(table)
            ends = [*range(0, deals, -(-deals // 8)), deals]
            parts = [processes.submit(play_deals, field, table, *between) for between in pairwise(ends)]
            yield table, np.concatenate([part.result() for part in parts])


def _table(field: FieldOfBots, bots: tuple[str, ...], rows: np.ndarray) -> Table:
    k, scale = field.seats, get_game(field.game).margin.points
    seating, places = rows[..., :k].astype(np.int64), rows[..., k : 2 * k].astype(np.int64)
    return Table(bots, seating, places, rows[..., 2 * k : 3 * k] / scale, float(rows[..., 3 * k].mean()))


if __name__ == "__main__":  # FOLDER SECONDS [GAME ...]: as far as that time allows
    end = monotonic() + float(sys.argv[2])
    for game in sys.argv[3:] or FIELDS:
        pool(FIELDS[game], Path(sys.argv[1]), seconds=end - monotonic())
