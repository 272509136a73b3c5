"""Leftovers of killed keepers are found by mark; unmarked and living ones stay."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from pips_tourney.arena.leftovers import clear_leftovers
from pips_tourney.sandbox.counting.processes import MARK, MARK_FILE, folder_prefix, own_mark, own_namespace
from tests.patience import PATIENCE_S

DEAD = f"{2**22 + 1}.1.{own_namespace()}"


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


@pytest.mark.parametrize(
    ("mark", "is_dead"),
    [
        (DEAD, True),
        (f"{os.getpid()}.1.{own_namespace()}", True),  # the number belongs to another process by now
        (own_mark(), False),
        (f"{2**22 + 1}.1.5", False),  # another container's
        ("", False),
        ("1.2.x", False),
    ],
    ids=["dead", "its number is another's", "alive", "in another container", "empty", "no mark"],
)
def test_only_what_a_dead_keeper_left_is_cleared(mark: str, is_dead: bool, tmp_path: Path) -> None:
    folder = tmp_path / "pips-x"
    (folder / "organiser").mkdir(parents=True)
    (folder / MARK_FILE).write_text(mark, encoding="ascii")
    child = subprocess.Popen(["sleep", "600"], env={**os.environ, MARK: mark})
    try:
        told = clear_leftovers()
        assert folder.exists() != is_dead
        assert any(str(folder) in line for line in told) == is_dead
        if is_dead:
            assert child.wait(PATIENCE_S) == -9
        else:
            assert child.poll() is None
    finally:
        child.kill()
        child.wait()


@pytest.mark.parametrize("marked", ["not yet", "half written"])
@pytest.mark.parametrize("runner", ["dead", "alive"])
def test_a_folder_that_no_keeper_has_marked_yet_is_its_runner_s(marked: str, runner: str, tmp_path: Path) -> None:
    """Both were killed between the making of the folder and the keeper's mark."""
    if runner == "alive":
        folder = Path(tempfile.mkdtemp(prefix=folder_prefix()))
    else:
        code = "import tempfile; from pips_tourney.sandbox.counting.processes import folder_prefix as prefix\n"
        code += "print(tempfile.mkdtemp(prefix=prefix()))"
        made = subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "TMPDIR": str(tmp_path)}, check=True,
            capture_output=True, text=True,
        )  # fmt: skip
        folder = Path(made.stdout.strip())
    if marked == "half written":
        (folder / MARK_FILE).touch()
    told = clear_leftovers()
    assert folder.exists() == (runner == "alive")
    assert any(str(folder) in line for line in told) == (runner == "dead")


def test_what_is_not_ours_or_bears_no_mark_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("pips-empty", "pips-other", "else"):
        (tmp_path / name).mkdir()
    for name in ("pips-other", "else"):
        (tmp_path / name / MARK_FILE).write_text(DEAD, encoding="ascii")
    monkeypatch.setattr(os, "getuid", lambda: 12345)
    assert not any(str(tmp_path) in line for line in clear_leftovers())
    assert len(list(tmp_path.iterdir())) == 3
