"""What the organiser is told before the first match."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from pips_tourney.league.read import read_league
from pips_tourney.night.plan.from_league import make_programme
from pips_tourney.play.notes import league_notes, limit_notes
from pips_tourney.sandbox import resources
from pips_tourney.sandbox.counting.memory import MachineMemory
from pips_tourney.sandbox.landlock import Landlock
from pips_tourney.sandbox.limits import Limits
from pips_tourney.sandbox.tiers import NO_SANDBOX, Sandbox, Tier

LEAGUE = """
game = "serpent"
deals = 1
bots = [
    { name = "ada", sample = "random" },
    { name = "llm", model = { endpoint = "http://127.0.0.1:9/v1", name = "m", key_env = "THE_KEY" } },
]
"""


@pytest.mark.parametrize(
    ("sandbox", "exposed"),
    [(NO_SANDBOX, True), (Sandbox(Tier.LIMITS), True), (Sandbox(Tier.LIMITS, as_another_user=True), False)],
    ids=["none", "own user", "another user"],
)
def test_a_key_that_bots_can_read_is_told(sandbox: Sandbox, exposed: bool, tmp_path: Path) -> None:
    (tmp_path / "night.toml").write_text(LEAGUE, encoding="utf-8")
    league = read_league(tmp_path / "night.toml")
    said = [line for line in league_notes(league, make_programme(league), sandbox, clock=False) if "THE_KEY" in line]
    expected = "Every bot of this league can read THE_KEY, the key of llm: only a fence hides it"
    assert said == ([expected] if exposed else [])


def too_little(bot: str, sandbox: Sandbox, folder: Path) -> list[str]:
    (folder / "night.toml").write_text(f"{LEAGUE.rpartition(']')[0]}{bot}]", encoding="utf-8")
    return [*limit_notes(league := read_league(folder / "night.toml"), make_programme(league), sandbox, arenas=2)]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A machine with 2,000 MB of memory, 900 threads a user and 500 MB of disk."""
    monkeypatch.setattr(resources, "machine_memory", lambda: MachineMemory(2000 << 20, 1 << 20, 0))
    monkeypatch.setattr(resources, "CONTAINER", tmp_path / "memory.max")
    monkeypatch.setattr(resources, "most_tasks", lambda *, of_user: 900 if of_user else 9000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=500 << 20))


STRANGER = '{ name = "eve", command = "python eve.py" },'


@pytest.mark.usefixtures("small")
def test_limits_that_add_up_to_more_than_there_is_are_told(tmp_path: Path) -> None:
    """Two arenas of three bots each: six processes."""
    sandbox = Sandbox(Tier.LANDLOCK, Limits(), fence=Landlock(as_root=True), as_another_user=True)
    memory, disk = too_little(STRANGER, sandbox, tmp_path)
    assert "6 processes of bots add up to 3,072 MB of memory, and there are 2,000: lower `memory_mb`" in memory
    assert f"768 MB below {tempfile.gettempdir()}, and there are 500: lower `copy_mb`" in disk
    assert too_little(STRANGER, replace(sandbox, limits=Limits(333), copy_mb=10), tmp_path) == []

    own_user = Sandbox(Tier.LIMITS, Limits(333))
    (threads,) = too_little(STRANGER, own_user, tmp_path)
    assert "1,536 threads, and there are 900: lower `threads`" in threads
    (tmp_path / "memory.max").write_text(str(1000 << 20), encoding="ascii")
    in_a_container, _ = too_little(STRANGER, own_user, tmp_path)
    assert "1,998 MB of memory, and there are 1,000" in in_a_container


@pytest.mark.usefixtures("small")
def test_of_bots_that_are_trusted_no_limits_are_added_up(tmp_path: Path) -> None:
    trusted = STRANGER.replace(" }", ", trusted = true }")
    assert too_little(trusted, Sandbox(Tier.LIMITS, Limits()), tmp_path) == []
    assert too_little(STRANGER, NO_SANDBOX, tmp_path) == []
