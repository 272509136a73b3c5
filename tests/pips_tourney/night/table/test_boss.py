"""The boss is the sample bot, not whoever has its name."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pips_sdk.samples import sample_files
from pips_tourney.league.read import read_league
from pips_tourney.night.plan.from_league import make_programme
from pips_tourney.night.table.boss import above_boss
from pips_tourney.night.table.tables import ContestTable
from pips_tourney.ratings.table import Difference


@pytest.mark.parametrize(
    ("a", "b", "low", "high", "above"),
    [
        ("ada", "g", 3.0, None, {"ada"}),
        ("g", "ada", None, -3.0, {"ada"}),
        ("ada", "g", -3.0, 90.0, set()),
        ("g", "ada", 3.0, 9.0, set()),
        ("ada", "greedy", 3.0, None, set()),
        ("ada", "copy", 3.0, None, set()),
        ("ada", "g", None, None, set()),
    ],
)
def test_above_the_sample_bot_alone(
    tmp_path: Path, a: str, b: str, low: float | None, high: float | None, above: set[str]
) -> None:
    """A league calls it g; others call theirs greedy, or hand in its text."""
    (tmp_path / "copy").mkdir()
    (tmp_path / "copy" / "greedy.py").write_bytes(sample_files("wichita")["greedy"].read_bytes())
    (tmp_path / "class.toml").write_text(
        'games = ["wichita"]\nbots = [{ name = "g", sample = "greedy" }, { name = "ada", sample = "cautious" }, '
        '{ name = "greedy", sample = "random" }, { path = "copy", name = "copy" }]\n',
        encoding="utf-8",
    )
    programme = make_programme(read_league(tmp_path / "class.toml"))
    ratings: Any = SimpleNamespace(differences=(Difference(a, b, 5.0, low, high, "", "", None, 20),))
    [contest] = programme.contests
    table = ContestTable("wichita", contest, 0, 0, 0, ratings, {}, frozenset())
    assert above_boss(table, programme.entrants) == above
