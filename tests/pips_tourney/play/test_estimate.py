"""What a night would take."""

from __future__ import annotations

from pathlib import Path

from pips_tourney.play.estimate import estimate
from pips_tourney.play.evening import RunConfig

LEAGUE = """
games = ["serpent"]
deals = 10
arenas = 2
bots = [{ name = "ada", sample = "random" }, { name = "bo", sample = "random" }]
"""


def test_a_night_of_two_bots(tmp_path: Path) -> None:
    """Ten deals from both seats, each of four hands or more with some choices."""
    path = tmp_path / "night.toml"
    path.write_text(LEAGUE, "utf-8")
    told = estimate(RunConfig(path, tmp_path / "night.db"))
    assert (told.matches, told.arenas) == (20, 2)
    assert 20 * 4 * 8 <= told.decisions <= 20 * 12 * 14
    assert str(told).startswith(f"20 matches with about {told.decisions} decisions, on 2 arenas")
