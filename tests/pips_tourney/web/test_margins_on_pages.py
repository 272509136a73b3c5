"""The pages say what a table is ordered by, and who wins by more."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pips_tourney.night.log.store import read_store
from pips_tourney.ratings.margins import rate_margins
from pips_tourney.ratings.rate import rate
from pips_tourney.ratings.result import Result
from pips_tourney.web.archive import Archive
from pips_tourney.web.scoreboard import night_json
from tests.pips_tourney.web.nights import long_night

ORDER = "in the order of margins: the mean lead of a match, in points"


def test_who_wins_by_more_and_the_order_of_margins_are_said(tmp_path: Path) -> None:
    """Bo wins rarely and by much."""
    results = []
    for deal in range(120):
        scores, places = ((1.0, 0.0), (1, 2)) if deal % 3 else ((0.0, 9.0), (2, 1))
        results.append(Result(str(deal), ("ada", "bo"), places, scores))
        results.append(Result(str(deal), ("bo", "ada"), places[::-1], scores[::-1]))
    with read_store(long_night(tmp_path, 240)) as store:
        archive = Archive(store)
        of = archive.standings()
        (plain,) = night_json(archive, of)["tables"]
        table = replace(of.tables[0], ratings=rate(results), margins=rate_margins(results, 10.0), rate="points")
        (shown,) = night_json(archive, replace(of, tables=(table,)))["tables"]
    assert plain["notes"] == []
    assert all(set(row["margin"]) == {"mean", "low", "high"} for row in plain["rows"])
    assert shown["notes"] == [ORDER, "bo wins by more, ada wins oftener"]
    assert [row["bot"] for row in shown["rows"]] == ["bo", "ada"]
