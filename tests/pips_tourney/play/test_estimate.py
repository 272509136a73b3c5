"""What a night would take. With a pace it is at least its turns."""

from __future__ import annotations

from pathlib import Path

import pytest

from pips_tourney.league.read import read_league
from pips_tourney.night.plan.from_league import make_programme
from pips_tourney.play.estimate import estimate, pace_note
from pips_tourney.play.evening import RunConfig

BOTS = 'bots = [{ name = "ada", sample = "random" }, { name = "bo", sample = "random" }]'


def a_league(folder: Path, clock: str) -> Path:
    path = folder / "night.toml"
    path.write_text(f'games = ["serpent"]\ndeals = 10\ntables = 2\narenas = 2\nclock = {clock}\n{BOTS}\n', "utf-8")
    return path


@pytest.mark.parametrize("pace_ms", [0, 100])
def test_the_price_of_a_pace(tmp_path: Path, pace_ms: int) -> None:
    """Twenty matches of eight or more hands of fourteen turns, four at once."""
    path = a_league(tmp_path, f"{{ pace_ms = {pace_ms} }}")
    told = estimate(RunConfig(path, tmp_path / "night.db"))
    notes = pace_note(make_programme(read_league(path)), told.matches, at_once=4)
    if not pace_ms:
        assert told.paced_s == 0 and "pace" not in str(told) and notes == ()
        return
    hands = told.paced_s * 1000 / pace_ms * 4 / told.matches / 14
    assert 4 <= hands <= 12
    assert f"At least {told.paced_s:.1f} s with the league's pace_ms" in str(told)
    assert notes == (
        f"Every turn takes 100 ms or a multiple of it (pace_ms): this night takes at least about {told.paced_s:.1f} s.",
    )
    assert pace_note(make_programme(read_league(path)), 0, at_once=4) == ()


def test_a_pace_is_part_of_the_clock_that_ids_are_made_of(tmp_path: Path) -> None:
    clocks = [make_programme(read_league(a_league(tmp_path, clock))).clock for clock in ("{}", "{ pace_ms = 5 }")]
    assert "pace_ms" not in clocks[0] and clocks[1]["pace_ms"] == 5
