"""Improve the prices of Wichita's `search`: `make lab WHAT=teach-wichita`.

    python -m tests.lab.teach.wichita [FILE] [--anew] [--seats N ...] [--steps N]

It begins with the prices in the file, or with plain ones, and improves those of each
number of seats by trial against `greedy`. In every trial all numbers are moved a little
at random, up and then down by as much, and both play the same deal from every seat.
Each step goes where the better of the two lay. The result is the mean of the last half
of the steps.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from functools import partial
from math import exp
from pathlib import Path
from random import Random
from typing import Any

from pips_sample_bots.wichita.greedy_bot import GreedyBot
from pips_sample_bots.wichita.search_bot import FILE, LEFT, Prices, SearchBot, found_prices
from pips_sdk import play_match

STEPS, DEALS = 60, 500
PLAIN = Prices(
    base=tuple([-1.0 if left < 0 else 0.5 for left in LEFT]),
    ranks=(0.0,) * 13,
    fit=3.0,
    crowded=0.0,
    twin=0.0,
    empty=2.0,
)
"""A card is worth half a point until hardly any are left; whatever its rank."""
SPREAD = {"base": 0.08, "ranks": 0.05, "fit": 0.5, "crowded": 0.006, "twin": 0.03, "empty": 0.3}
"""How far a trial moves each number."""
RATE = 30.0
"""How many spreads a step goes for each share of the others that a spread wins."""
SOFT = 3.0
"""A lead of so many points counts nearly as a win: less luck than the place alone."""
Numbers = list[float]


def flat(prices: Prices) -> Numbers:
    """All numbers in a row, each in parts of its spread."""
    return [number / SPREAD[name] for name, row in asdict(prices).items() for number in listed(row)]


def listed(row: float | Iterable[float]) -> list[float]:
    return [row] if isinstance(row, float) else list(row)


def shaped(numbers: Numbers, like: Prices) -> Prices:
    """The prices of such a row."""
    left = iter(numbers)
    fields: dict[str, Any] = {}
    for name, row in asdict(like).items():
        values = [round(next(left) * SPREAD[name], 4) for _ in listed(row)]
        fields[name] = values[0] if isinstance(row, float) else tuple(values)
    return Prices(**fields)


def share(prices: Prices, seats: int, deal: bytes) -> float:
    """How many of the others it beats from every seat of the deal, by soft leads."""

    class Tried(SearchBot):
        def prices(self, seats: int) -> Prices:
            return prices

    beaten = 0.0
    for seat in range(seats):
        bots = [Tried if place == seat else GreedyBot for place in range(seats)]
        scores = list(play_match(bots, deal).outcome.scores)
        mine = scores.pop(seat)
        beaten += sum([1 / (1 + exp((theirs - mine) / SOFT)) for theirs in scores]) / len(scores)
    return beaten / seats


def trial(numbers: Numbers, like: Prices, seats: int, seed: str) -> Numbers:
    """What one trial says of each number: by how much up was better than down."""
    rng = Random(seed)
    deal, moves = rng.randbytes(32), [rng.gauss(0, 1) for _ in numbers]
    up, down = (
        share(shaped([number + sign * move for number, move in zip(numbers, moves, strict=True)], like), seats, deal)
        for sign in (1, -1)
    )
    return [(up - down) / 2 * move for move in moves]


def improved(prices: Prices, seats: int, options: argparse.Namespace, pool: ProcessPoolExecutor) -> Prices:
    numbers, kept = flat(prices), []
    for step in range(options.steps):
        seeds = [f"{options.seed}/{seats}/{step}/{deal}" for deal in range(options.deals)]
        found = list(pool.map(partial(trial, numbers, prices, seats), seeds, chunksize=10))
        numbers = [
            number + RATE * sum(each) / len(found)
            for number, each in zip(numbers, zip(*found, strict=True), strict=True)
        ]
        kept.append(numbers)
        print(f"{seats} seats, step {step + 1}: {shaped(numbers, prices)}", flush=True)
    last = kept[len(kept) // 2 :]
    return shaped([sum(each) / len(last) for each in zip(*last, strict=True)], prices)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, nargs="?", default=FILE)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--deals", type=int, default=DEALS, help="for each step")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seats", type=int, nargs="*", help="by default those in the file")
    parser.add_argument("--anew", action="store_true", help="begin with plain prices")
    options = parser.parse_args()
    read = {int(seats): Prices(**row) for seats, row in json.loads(options.file.read_text()).items()}
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for seats in options.seats or list(read):
            begin = PLAIN if options.anew else read.get(seats) or found_prices(seats)
            read[seats] = improved(begin, seats, options, pool)
    lines = [f'"{seats}": {json.dumps(asdict(prices))}' for seats, prices in sorted(read.items())]
    options.file.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
