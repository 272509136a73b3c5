"""Teach the network of Pip-Pip!'s `search`: `make pippip-policy`, some minutes.

    python teach.py CARDS_JSON [--hands N] [--seed N]

It compiles `train.cpp` with g++, lets it play for each number of seats, one process a
core, and writes what was learned. One seed gives the same play on the same machine.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).parent
HANDS = {2: 300_000, 3: 300_000, 4: 200_000, 6: 200_000}
"""How many hands are played, by number of seats."""
UNIT = 4096
SUIT_INPUTS, TABLE_INPUTS, UNITS = 41, 18, 32
SHAPES = (
    (UNITS, SUIT_INPUTS), (1, UNITS), (UNITS, 2 * UNITS + TABLE_INPUTS), (1, UNITS), (1, UNITS), (1, 1),
)  # fmt: skip
"""The layers, rows and columns, in the order in which `train.cpp` writes them."""
QUICK = ("-O3", "-march=native", "-ffast-math")


def compiled(folder: Path, *flags: str) -> Path:
    """`train.cpp` as a program in that folder."""
    program, compiler = folder / "train", shutil.which("g++")
    if compiler is None:
        raise SystemExit("there is no g++ on this machine: install it (Debian: apt-get install g++)")
    warnings = ("-std=c++17", "-Wall", "-Wextra", "-Werror")
    subprocess.run([compiler, *warnings, *flags, "-o", str(program), str(HERE / "train.cpp")], check=True)
    return program


def network(program: Path, seats: int, hands: int, seed: int) -> list[int]:
    """What that many hands teach, as whole numbers of a `UNIT`-th part."""
    words = [str(program), "train", str(seats), str(hands), str(seed)]
    said = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    return [round(float(word) * UNIT) for word in said.split()]


def written(networks: dict[int, list[int]], hands: dict[int, int], seed: int) -> str:
    """The file, a line for each network."""
    head = {"version": 1, "hands": hands, "seed": seed, "unit": UNIT, "shapes": SHAPES}
    lines = [f'"{seats}": {json.dumps(numbers, separators=(",", ":"))}' for seats, numbers in networks.items()]
    return json.dumps(head)[:-1] + ', "networks": {\n' + ",\n".join(lines) + "\n}}\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--hands", type=int, help="so many for each number of seats")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    hands = {seats: options.hands or usual for seats, usual in HANDS.items()}
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        program = compiled(Path(folder), *QUICK)
        learned = pool.map(lambda seats: network(program, seats, hands[seats], options.seed), hands)
        networks = dict(zip(hands, learned, strict=True))
    options.file.write_text(written(networks, hands, options.seed), encoding="utf-8")


if __name__ == "__main__":
    main()
