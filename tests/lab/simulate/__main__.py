"""Check whether the ratings keep their promises: `python -m tests.lab.simulate`.

`[LEAGUES [TABLE ...]]` says how many leagues a line has, and parts of the titles of the
tables to print; all of them unless told. It prints the tables of docs/ratings.md and
exits with 1 if a promise is not kept. A thousand leagues a line take hours on one core,
most of them in adaptive rounds. Those are kept in files, so they go on where they were.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from zlib import crc32

import numpy as np

from tests.lab.simulate import adaptive, better, coverage, margins, plackett_luce, stopping
from tests.lab.simulate.kept import Kept

Lines = Iterator[tuple[str, bool]]


def tables(leagues: int) -> dict[str, Callable[[np.random.Generator], Lines]]:
    """By title, what gives the lines of a table and whether each is as promised."""
    kept = Kept()
    return {
        "Coverage of the 95 % intervals": partial(coverage.table, leagues),
        "Better: said, and how often it is true, in percent (pairs)": lambda _: better.table(2 * leagues, kept),
        "Better in circles and of swept pairs": partial(better.told_table, 2 * leagues),
        "Margins: coverage of the 95 % intervals": partial(margins.table, leagues),
        "Circles": partial(better.circles_table, leagues),
        "Settled, confidence 0.95, at most 640 deals": partial(stopping.settled_table, leagues),
        "Settled by margin, confidence 0.95, at most 640 deals": partial(margins.settled_table, leagues),
        "Adaptive rounds beside equal deals": lambda _: adaptive.table(2 * leagues, kept),
        "Adaptive nights: coverage of the 95 % intervals": lambda _: adaptive.coverage_table(2 * leagues, kept),
        "Matches that Plackett-Luce needs for one of pairs": partial(plackett_luce.table, max(leagues // 4, 4)),
    }


def main(leagues: int, words: Sequence[str]) -> int:
    broken = 0
    for title, lines in tables(leagues).items():
        if words and not any(word.lower() in title.lower() for word in words):
            continue
        print(f"\n{title}\n", flush=True)
        for line, kept in lines(np.random.default_rng(crc32(title.encode()))):
            print(line if kept else f"{line}  <- not as promised", flush=True)
            broken += not kept
    print(f"\n{broken} promises broken" if broken else "\nevery promise kept")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000, sys.argv[2:]))
