"""Simulates nights: python -m tests.lab.nights [--seed SEED] [--nights NIGHTS]."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from contextlib import suppress
from pathlib import Path
from time import process_time
from typing import Final

from tests.lab.nights.faults import KINDS, draw
from tests.lab.nights.machine import POINTS
from tests.lab.nights.story import Calm, shortened, tell

SPOKEN: Final = 100
"""The number of nights between two reports of progress."""


def main() -> int:
    """Simulate nights from a seed on; print each failure's shortest story."""
    options = argparse.ArgumentParser(prog="make lab WHAT=nights")
    options.add_argument("--seed", type=int, default=1, help="the first night's seed")
    options.add_argument("--nights", type=int, default=100)
    given = options.parse_args()
    hit: Counter[str] = Counter()
    hit_at: Counter[str] = Counter()
    passed: Counter[str] = Counter()
    failures, played, began_s = 0, 0, process_time()
    with tempfile.TemporaryDirectory() as home, suppress(KeyboardInterrupt):  # then it says how far it came
        calm = Calm(Path(home))
        for seed in range(given.seed, given.seed + given.nights):
            story = draw(seed, calm.passed)
            broken, told = tell(Path(home, "night"), story, calm)
            hit.update(told.hit)
            hit_at.update(told.hit_at)
            passed.update(told.passed)
            if broken:
                failures += 1
                short = shortened(Path(home, "night"), story, calm)
                print(f"seed {seed}: {tell(Path(home, 'night'), short, calm)[0]}\n  {short}", flush=True)
            played += 1
            if played % SPOKEN == 0:
                print(f"{played} nights in {process_time() - began_s:.0f} s, {failures} failed", flush=True)
    took_s = process_time() - began_s
    an_hour = f"{3600 * played / took_s:,.0f} an hour"
    print(f"{played} nights in {took_s:.1f} s of CPU time ({an_hour}), {failures} failed")
    print("Faults that happened:", *(f"  {hit[kind]:6} {kind}: {KINDS[kind].words}" for kind in KINDS), sep="\n")
    print("Points of the seams, how often passed, and how many faults came there:")
    print(*(f"  {passed[point]:8} {hit_at[point]:6} {words}" for point, words in POINTS.items()), sep="\n")
    print(f"  {'':8} {hit_at['clock']:6} a moment of the clock")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
