"""Teach the networks of Pip-Pip!'s `search`: `make lab WHAT=teach-pippip`.

    python -m tests.lab.teach.pippip.teach [FILE] [--seats N ...] [--hands N] [--more]

It compiles `train.cpp` with g++, lets it play for each number of seats, one process a
core, and writes what was learned. One seed gives the same play on the same machine.
With --seats the file keeps its networks for other numbers of seats. With --more it
keeps all, and the new one has its say beside those: their mean errs less than each.
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

from pips_sample_bots import pippip

HERE = Path(__file__).parent
FILE = Path(pippip.__file__).with_name("cards.json")
HANDS = {2: 300_000, 3: 800_000, 4: 700_000, 6: 200_000}
"""How many hands are played, by number of seats."""
UNIT = 4096
SUIT_INPUTS, TABLE_INPUTS, UNITS = 41, 18, 64
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


def written(networks: dict[str, list[object]]) -> str:
    """The file, a line for each network."""
    lines = [
        f'"{seats}": [\n' + ",\n".join([json.dumps(one, separators=(",", ":")) for one in networks[seats]]) + "\n]"
        for seats in sorted(networks)
    ]
    return f'{{"version": 2, "unit": {UNIT}, "networks": {{\n' + ",\n".join(lines) + "\n}}\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, nargs="?", default=FILE)
    parser.add_argument("--seats", type=int, nargs="+", choices=HANDS, default=[*HANDS])
    parser.add_argument("--hands", type=int, help="so many for each number of seats")
    parser.add_argument("--seed", type=int, help="by default the number that the network has in the file")
    parser.add_argument("--more", action="store_true", help="keep the networks that the file has")
    options = parser.parse_args()
    file: Path = options.file
    networks = json.loads(file.read_text(encoding="utf-8"))["networks"] if file.exists() else {}
    hands = {seats: options.hands or HANDS[seats] for seats in options.seats}
    kept = {seats: networks.get(str(seats), []) if options.more else [] for seats in hands}
    seeds = {seats: options.seed or len(kept[seats]) + 1 for seats in hands}
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        program = compiled(Path(folder), *QUICK)
        learned = list(pool.map(lambda seats: network(program, seats, hands[seats], seeds[seats]), hands))
    for seats, weights in zip(hands, learned, strict=True):
        entry = {"hands": hands[seats], "seed": seeds[seats], "shapes": SHAPES, "weights": weights}
        networks[str(seats)] = [*kept[seats], entry]
    file.write_text(written(networks), encoding="utf-8")


if __name__ == "__main__":
    main()
