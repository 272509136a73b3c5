"""Simulated leagues by the chunk, kept in files: what was played is not played again.

Long simulations can be broken off, and go on where they were. A file is named after all
that decides what is in it: the simulation, its arguments, the chunk's number, and the
code of the ratings, the schedules and the simulations.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from hashlib import sha256
from math import inf
from multiprocessing import get_context
from pathlib import Path
from time import monotonic
from typing import Any, Final

import numpy as np

from pips_tourney import ratings, schedule

FOLDER: Path = Path("build/simulate")
SOURCES: Final = (*ratings.__path__, *schedule.__path__, str(Path(__file__).parent))
SEED: Final = 2026


@cache
def code() -> str:
    """A hash of the code whose simulations are kept."""
    files = sorted(path for folder in SOURCES for path in Path(folder).glob("*.py"))
    return sha256(b"".join(path.read_bytes() for path in files if not path.name.startswith("test_"))).hexdigest()


@dataclass(slots=True)
class Kept:
    """Plays what is missing, until a moment of the monotonic clock."""

    until: float = inf
    processes: int = 2
    missing: int = 0
    """Leagues that nobody had the time to play."""

    def rows(self, play: Callable[..., list[Any]], *what: Any, leagues: int, chunk: int) -> list[Any]:
        """The rows of leagues that were played, in the order of their chunks.

        `play(*what, leagues, rng)` returns one row, as JSON has it, for each league.
        """
        numbers = range(-(-leagues // chunk))
        paths = [FOLDER / f"{play.__name__}-{self._key(play, what, chunk, number)}.json" for number in numbers]
        lacking = [number for number in numbers if not paths[number].exists()]
        if lacking and monotonic() < self.until:
            self._play([(partial(play, *what, chunk), paths[number], number) for number in lacking])
        there = [path for path in paths if path.exists()]
        self.missing += chunk * (len(paths) - len(there))
        return [row for path in there for row in json.loads(path.read_text(encoding="utf-8"))][:leagues]

    def report(self) -> int:
        """Say what is missing still; the exit status."""
        if self.missing:
            print(f"{self.missing} leagues are still to be played: run this again, it goes on from here")
        return int(self.missing > 0)

    def _key(self, play: Callable[..., Any], what: Sequence[Any], chunk: int, number: int) -> str:
        said = f"{play.__module__} {play.__name__} {what} {chunk} {number} {SEED} {code()}"
        return sha256(said.encode()).hexdigest()[:16]

    def _play(self, jobs: Sequence[tuple[Callable[..., list[Any]], Path, int]]) -> None:
        FOLDER.mkdir(parents=True, exist_ok=True)
        os.environ["OPENBLAS_NUM_THREADS"] = "1"  # for the processes: small matrices gain nothing by threads
        if self.processes == 1:
            for job in jobs:
                if monotonic() < self.until:
                    _keep(*job)
            return
        with ProcessPoolExecutor(self.processes, mp_context=get_context("spawn")) as pool:
            for first in range(0, len(jobs), self.processes):
                if monotonic() >= self.until:
                    break
                list(pool.map(_keep, *zip(*jobs[first : first + self.processes], strict=True)))


def _keep(play: Callable[..., list[Any]], path: Path, number: int) -> None:
    """Play a chunk into its file."""
    rows = play(np.random.default_rng([SEED, number]))
    fresh = path.with_suffix(".new")
    fresh.write_text(json.dumps(rows), encoding="utf-8")
    fresh.rename(path)


def asked(words: Sequence[str] = tuple(sys.argv[1:]), leagues: int = 100) -> tuple[int, Kept]:
    """`[LEAGUES [MINUTES [PROCESSES]]]` of a command line."""
    minutes = float(words[1]) if len(words) > 1 else inf
    processes = int(words[2]) if len(words) > 2 else 2
    return int(words[0]) if words else leagues, Kept(monotonic() + 60 * minutes, processes)
