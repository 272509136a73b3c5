"""Simulates nights: python -m tests.nights [--seed SEED] [--nights NIGHTS]."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path
from time import perf_counter

from tests.nights.faults import KINDS, draw
from tests.nights.night import undisturbed
from tests.nights.story import shortened, tell


def main() -> int:
    """Simulate nights from a seed on; print each failure's shortest story."""
    options = argparse.ArgumentParser(prog="make simulate-nights")
    options.add_argument("--seed", type=int, default=1, help="the first night's seed")
    options.add_argument("--nights", type=int, default=100)
    given = options.parse_args()
    hit: Counter[str] = Counter()
    failures, began_s = 0, perf_counter()
    with tempfile.TemporaryDirectory() as home:
        calm = undisturbed(Path(home, "calm"))
        for seed in range(given.seed, given.seed + given.nights):
            story = draw(seed)
            broken, happened = tell(Path(home, "night"), seed, story, calm)
            hit.update(happened)
            if broken:
                failures += 1
                short = shortened(Path(home, "night"), seed, story, calm)
                print(f"seed {seed}: {tell(Path(home, 'night'), seed, short, calm)[0]}", *short, sep="\n  ")
    took_s = perf_counter() - began_s
    print(f"{given.nights} nights in {took_s:.1f} s ({3600 * given.nights / took_s:,.0f} an hour), {failures} failed")
    print("Faults that happened:", *(f"  {hit[kind]:6} {kind}: {KINDS[kind].words}" for kind in KINDS), sep="\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
