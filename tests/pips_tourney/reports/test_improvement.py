"""The bots that improved over a season, and how sure that is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pips_tourney.night.table.improvement import improvements
from pips_tourney.night.table.season import Season, read_season
from pips_tourney.ratings.table import Difference
from pips_tourney.reports.season import HEADING, NOBODY, improvement_lines
from tests.pips_tourney.night.table.test_season import Weeks

pytestmark = pytest.mark.unmeasured  # other tests reach these lines

FIRST = "ada (version 1, until night 1)"


@pytest.fixture(scope="module")
def season(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Season]:
    with pytest.MonkeyPatch.context() as patch:
        weeks = Weeks(tmp_path_factory.mktemp("season"), patch)
        for changed in ("", "ada"):
            weeks.league("ada", "bo", "cy", changed=changed, deals=6)
            weeks.play()
        yield read_season(weeks.database)


def told(season: Season, of: Difference) -> str:
    """The line on `ada`, were the difference of its versions another one."""
    [table] = season.standings.tables
    assert table.ratings is not None
    others = tuple(each for each in table.ratings.differences if {each.a, each.b} != {"ada", FIRST})
    ratings = replace(table.ratings, differences=(*others, of))
    tables = (replace(table, ratings=ratings),)
    return list(improvement_lines(replace(season, standings=replace(season.standings, tables=tables))))[1]


def test_a_bot_that_changed_has_a_line_with_its_interval(season: Season) -> None:
    [only] = improvements(season)
    of = only.difference
    assert (only.bot, only.first, only.last, of.a, of.b) == ("ada", 1, 2, "ada", FIRST)
    assert of.elo is not None and of.better is not None
    heading, line = improvement_lines(season)
    assert heading == HEADING
    assert line.startswith("  ada  nights 1 to 2  ")
    assert told(season, of.reversed()) == line


@pytest.mark.parametrize(
    ("of", "said"),
    [
        (
            Difference("ada", FIRST, 40.4, -10.0, 90.6, "", "", 0.95, 12),
            "+40 Elo, with 95 % between -10 and +91; better with a probability of 95%",
        ),
        (
            Difference("ada", FIRST, -40.0, None, None, "", "too few deals", None, 6),
            "-40 Elo; how sure that is, is not known yet: too few deals",
        ),
        (Difference("ada", FIRST, None, 30.0, None, ">", "", None, 6), "more than +30 Elo, with 95 %"),
        (Difference(FIRST, "ada", None, 30.0, None, ">", "", None, 6), "less than -30 Elo, with 95 %"),
        (Difference("ada", FIRST, None, None, None, ">", "", None, 6), "how much is not known"),
        (Difference("ada", FIRST, None, None, None, "", "not connected", None, 0), "not known: not connected"),
    ],
)
def test_no_improvement_is_told_without_how_sure_it_is(season: Season, of: Difference, said: str) -> None:
    assert told(season, of).endswith(said)


def test_who_did_not_change_has_not_improved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    weeks = Weeks(tmp_path, monkeypatch)
    for _ in range(2):
        weeks.play()
    assert list(improvement_lines(read_season(weeks.database))) == [NOBODY]
