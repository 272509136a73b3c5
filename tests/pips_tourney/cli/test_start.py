"""What the command loads before it plays a night."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pips_tourney
from tests.unmeasured import unmeasured

UNUSED = {"distributed", "pips_tourney.cli.nights.director", "pips_tourney.web.server"}
"""Clusters, pages, other commands: most nights have none."""
LEAGUE = """
games = ["serpent"]
bots = [{ name = "ada", sample = "random" }, { name = "bo", sample = "random" }]
"""
SCRIPT = """
import sys
from pips_tourney.cli import tourney
from pips_tourney.cli.nights import playing
def stop(*_):
    sys.exit(" ".join(sys.modules))
{stopped} = stop
tourney.main(["run", "night.toml"])
"""


def loaded(folder: Path, stopped: str) -> set[str]:
    """What is loaded when the command calls that function."""
    (folder / "night.toml").write_text(LEAGUE, encoding="utf-8")
    command = [sys.executable, "-c", SCRIPT.format(stopped=stopped)]
    done = subprocess.run(command, env=unmeasured(), cwd=folder, capture_output=True, text=True, check=False)
    return set(done.stderr.split())


def test_the_command_loads_nothing_that_most_nights_do_not_use(tmp_path: Path) -> None:
    found = loaded(tmp_path, "playing.watched")
    assert "pips_tourney.engines.local" in found
    assert not UNUSED & found


def test_a_keeper_loads_little() -> None:
    """Each arena starts one, and `dataclasses` loads what reads source code."""
    folder = Path(pips_tourney.__file__).parents[1]
    code = f"import sys; sys.path.insert(0, {str(folder)!r}); import pips_tourney.arena.keeper; print(*sys.modules)"
    command = [sys.executable, "-I", "-S", "-c", code]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert "pips_tourney.sandbox.limits" in found
    assert not {"asyncio", "dataclasses", "inspect", "pathlib"} & set(found)
