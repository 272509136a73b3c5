"""A night in one process is the night that processes play, but for its times.

The one process is on a machine without all that Linux alone has.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from click.testing import CliRunner

from pips_tourney.cli.tourney import main
from tests.same_night import timeless_records
from tests.unmeasured import unmeasured

WITHOUT_POSIX = Path(__file__).parents[1] / "without_posix"
LEAGUE = """
deals = 2
[[games]]
name = "serpent"
[[games]]
name = "pippip"
[[bots]]
name = "greedy"
sample = "greedy"
[[bots]]
name = "cautious"
sample = "cautious"
[[bots]]
name = "random"
sample = "random"
[[bots]]
name = "own"
games = ["serpent"]
path = "own.py"
trusted = true
"""
OWN = """
from pips_sdk import run
from pips_sdk.serpent import SerpentBot

class Own(SerpentBot):
    def lead(self, view):
        return self.rng.choice(view.playable)

    def give(self, view):
        return None if view.seat else super().give(view)

run(Own)
"""


def played(folder: Path, name: str, **system: str) -> tuple[dict[str, bytes], str, str]:
    """The records of a night without times, its standings, and what else was said."""
    command = [sys.executable, "-m", "pips_tourney", "run", "l.toml", "--db", f"{name}.db"]
    command += ["--secret-file", "secret", "--arenas", "1"]
    ended = subprocess.run(
        command, cwd=folder, env={**unmeasured(), **system}, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    exported = CliRunner().invoke(main, ["export", str(folder / f"{name}.db"), "--as", "csv"])
    return timeless_records(folder / f"{name}.db"), exported.stdout, ended.stderr


def test_the_same_matches_answers_and_outcomes(tmp_path: Path) -> None:
    for name, text in {"l.toml": LEAGUE, "own.py": OWN, "secret": "ab" * 32}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    records, standings, _ = played(tmp_path, "processes")
    assert len(records) == 24 + 6  # Serpent: 6 pairs, 2 deals, 2 seats; Pip-Pip!: a table, 2 deals, 3 seats
    for system in ("macos", "windows"):
        here = played(tmp_path, system, PYTHONPATH=str(WITHOUT_POSIX), PIPS_SIMULATED=system)
        assert here[0] == records
        assert without_fences(here[1]) == without_fences(standings)
        assert "NO CLOCK: " in here[2]


def without_fences(standings: str) -> list[list[str]]:
    """The fence is another matter."""
    rows = [line.split(",") for line in standings.splitlines()]
    return [[cell for at, cell in enumerate(row) if "fenced" not in rows[0][at]] for row in rows]
