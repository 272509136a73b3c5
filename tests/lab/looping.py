"""What a bot that loops costs a class: `make lab WHAT=looping`.

20 clean bots play a night without it and with it, at `max_faults = 3`. Then every match
of the second night is played, and its results are counted by the same rule. The night
with it may take 1.15 times as long as the one without, and both standings are the same.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Final

import pips_sdk
from pips_tourney.night.log.store import read_store
from pips_tourney.night.night import last_night
from pips_tourney.night.table.standings import standings
from pips_tourney.reports.tables import to_json

MOST_FAULTS: Final = 3
MOST_RATIO: Final = 1.15
CLEAN: Final = Path(pips_sdk.__file__).with_name("templates") / "python" / "wichita" / "my_bot.py"
LAY: Final = "        laid = []\n"
LOOP: Final = "zz_loop"


def night(folder: Path, name: str, bots: list[str], deals: int, rule: str) -> tuple[Path, float]:
    """Play a night of these bots; its database, and how many seconds it took."""
    entries = ", ".join(f'{{ path = "{bot}" }}' for bot in bots)
    text = f'games = ["wichita"]\nbots = [{entries}]\ndeals = {deals}\n{rule}\n'
    (folder / f"{name}.toml").write_text(text, encoding="utf-8")
    words = [sys.executable, "-m", "pips_tourney", "run", f"{name}.toml", "--secret-file", "secret", "--json"]
    begun = time.monotonic()
    subprocess.run(words, cwd=folder, check=True, capture_output=True)
    return folder / f"{name}.db", time.monotonic() - begun


def standings_of(database: Path) -> object:
    """The standings by the rule, whatever was played."""
    with read_store(database) as store:
        found = last_night(store)
        by_rule = replace(found, programme=replace(found.programme, max_faults=MOST_FAULTS))
        of = json.loads(to_json(standings(by_rule), timings=False))
    for table in of["tables"]:
        table["withdrawn"] = sorted(table["withdrawn"])  # the reason has milliseconds
    return of["tables"]


def play(folder: Path, bots: int, deals: int) -> tuple[float, float, float, bool]:
    """The seconds of the three nights, and whether the standings are the same."""
    (folder / "secret").write_text("5a" * 32, encoding="ascii")
    source = CLEAN.read_text(encoding="utf-8")
    clean = [f"b{number:02}" for number in range(bots)]
    for bot in (*clean, LOOP):
        (folder / bot).mkdir()
        text = source.replace(LAY, f"        while True:\n            pass\n{LAY}") if bot == LOOP else source
        (folder / bot / "bot.py").write_text(f"# {bot}\n{text}", encoding="utf-8")
    rule = f"max_faults = {MOST_FAULTS}"
    _, without_s = night(folder, "without", clean, deals, rule)
    ruled, with_s = night(folder, "with", [*clean, LOOP], deals, rule)
    every, every_s = night(folder, "every", [*clean, LOOP], deals, "")
    return without_s, with_s, every_s, standings_of(ruled) == standings_of(every)


def main() -> int:
    """Print the times; 1 if one is missed, or the standings differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bots", type=int, default=20)
    parser.add_argument("--deals", type=int, default=5)
    said = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="pl-", dir="/tmp"))
    try:
        without_s, with_s, every_s, same = play(folder, said.bots, said.deals)
    finally:
        shutil.rmtree(folder)
    ratio = with_s / without_s
    print(
        f"{said.bots} clean bots {without_s:.1f} s, with one that loops {with_s:.1f} s, all its matches {every_s:.1f} s"
    )
    print(f"{ratio:.2f} of the time (at most {MOST_RATIO}); the same standings: {'yes' if same else 'NO'}")
    return int(ratio > MOST_RATIO or not same)


if __name__ == "__main__":
    sys.exit(main())
