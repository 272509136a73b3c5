"""Check whether the ratings keep their promises: `python -m tests.simulate [LEAGUES]`.

It prints the tables of docs/ratings.md and exits with 1 if a promise is not kept. A
thousand leagues take some minutes on one core.
"""

from __future__ import annotations

import sys

import numpy as np

from tests.simulate import adaptive, better, coverage, margins, plackett_luce, stopping


def main(leagues: int) -> int:
    rng = np.random.default_rng(2026)
    tables = {
        "Coverage of the 95 % intervals": coverage.table(leagues, rng),
        "Better: said, and how often it is true, in percent (pairs)": better.table(2 * leagues, rng),
        "Better in circles and of swept pairs": better.told_table(2 * leagues, rng),
        "Margins: coverage of the 95 % intervals": margins.table(leagues, rng),
        "Circles": better.circles_table(leagues, rng),
        "SPRT, elo0 = 0, elo1 = 20, alpha = beta = 0.05": stopping.sprt_table(2 * leagues, rng),
        "Settled, confidence 0.95, at most 640 deals": stopping.settled_table(leagues, rng),
        "Settled by margin, confidence 0.95, at most 640 deals": margins.settled_table(leagues, rng),
        "Adaptive rounds beside equal deals": adaptive.table(leagues, rng),
        "Adaptive nights: coverage of the 95 % intervals": adaptive.coverage_table(leagues, rng),
        "Matches that Plackett-Luce needs for one of pairs": plackett_luce.table(max(leagues // 4, 4), rng),
    }
    broken = 0
    for title, lines in tables.items():
        print(f"\n{title}\n", flush=True)
        for line, kept in lines:
            print(line if kept else f"{line}  <- not as promised", flush=True)
            broken += not kept
    print(f"\n{broken} promises broken" if broken else "\nevery promise kept")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000))
