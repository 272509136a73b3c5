"""Nights whose schedule depends on results: killed, resumed, equal to the byte.

`test_live_schedule.py` and `test_round_plans.py` break off nights of every kind in one
process.
"""

from __future__ import annotations

import json
from itertools import pairwise
from typing import NamedTuple

import pytest

from pips_tourney.night.log.kinds import ROUND, TIME_UP
from pips_tourney.night.log.store import read_store
from pips_tourney.night.proof.verify import verify_night
from tests.e2e.desk import Desk, finish, kill, wait_for_results
from tests.pips_tourney.forged import change


class Case(NamedTuple):
    """A league, and after how many results its runner is killed."""

    bots: tuple[str, ...]
    more: str
    deals: int | None
    killed_after: int


SWISS = Case(
    ("ada=random", "bo=greedy", "cy=slow_bot.py", "di=cautious"),
    'schedule = { name = "swiss", rounds = 2 }\nfinal = { name = "knockout", bots = 2, deals = 1 }',
    2,
    9,  # in the second round
)
SETTLED = Case(
    ("bo=greedy", "cy=slow_bot.py"),
    'stop = { name = "settled", confidence = 0.9, max_deals = 80 }',
    None,
    10,  # before the table is looked at
)


def ends_as_if_nothing_had_happened(case: Case, desk: Desk) -> dict[str, object]:
    """Return a killed and resumed night's standings, equal to an undisturbed one's."""
    desk.league(*case.bots, deals=case.deals, more=case.more)
    whole, _ = finish(desk.play("--db", "whole.db"))
    runner = desk.play("--arenas", "2")
    wait_for_results(desk, case.killed_after - 1)
    kill(runner)
    desk.assert_nothing_is_left()
    assert case.killed_after <= desk.results() < desk.results("whole.db")
    pieces, _ = finish(desk.play())
    assert pieces == whole
    standings: dict[str, object] = json.loads(whole)
    assert standings["complete"]
    return standings


@pytest.mark.long
def test_a_swiss_tournament_with_a_knockout_at_its_end(desk: Desk) -> None:
    tables = ends_as_if_nothing_had_happened(SWISS, desk)["tables"]
    assert isinstance(tables, list)
    swiss, final = tables
    assert [len(played["tables"]) for played in swiss["rounds"]] == [2, 2]
    assert swiss["counted"] == 2 * 2 * 2 * 2
    assert (final["label"], final["counted"]) == ("serpent, final", 2)
    (last,) = final["rounds"]
    assert [row["bot"] for row in swiss["rows"][:2]] == sorted(
        (each["bot"] for each in last["tables"][0]), key=[row["bot"] for row in swiss["rows"]].index
    )
    assert len(last["through"]) == 1


@pytest.mark.long
def test_a_night_that_stops_when_its_table_is_settled(desk: Desk) -> None:
    tables = ends_as_if_nothing_had_happened(SETTLED, desk)["tables"]
    assert isinstance(tables, list)
    (table,) = tables
    assert table["stop"]["settled"]
    assert table["counted"] == 2 * table["stop"]["deals"] < 2 * 80
    assert desk.results() >= table["counted"]


@pytest.mark.long
@pytest.mark.parametrize(("by", "rounds"), [("results", 2), ("points", 20)], ids=["results", "points"])
def test_a_night_whose_deals_go_where_they_decide(desk: Desk, by: str, rounds: int) -> None:
    """The same bytes on four arenas, and after a kill in the middle of each round."""
    stop = f'stop = {{ name = "settled", deals = "adaptive", matches = 120, by = "{by}" }}'
    desk.league("bo=greedy", "cy=random", "dee=random", deals=None, more=stop)
    whole, _ = finish(desk.play("--arenas", "4", "--db", "whole.db"))
    for middle in middles_of_rounds(desk)[:rounds]:
        runner = desk.play()
        wait_for_results(desk, middle)
        kill(runner)
        desk.assert_nothing_is_left()
        assert middle <= desk.results() < desk.results("whole.db")
    pieces, _ = finish(desk.play())
    assert pieces == whole
    (table,) = json.loads(whole)["tables"]
    assert table["stop"]["round"] > 2
    assert 40 < table["stop"]["total"] <= 60
    assert table["counted"] == 2 * table["stop"]["total"]


def middles_of_rounds(desk: Desk) -> list[int]:
    """The number of results in the middle of each round, if nothing disturbs it."""
    with read_store(desk.folder / "whole.db") as store:
        ends = [2 * sum(entry.payload["deals"].values()) for entry in store.log(ROUND)]
    return [(before + end) // 2 for before, end in pairwise([0, *ends])]


@pytest.mark.long
def test_a_late_bot_plays_in_a_night_that_was_settled(desk: Desk) -> None:
    stop = 'stop = { name = "settled", deals = "adaptive", max_deals = 40 }'
    desk.league("bo=greedy", "cy=random", deals=None, more=stop)
    before, _ = finish(desk.play())
    desk.tell("add", "night.db", "cautious", "--name", "late")
    after, _ = finish(desk.play("--continue"))
    (table,) = json.loads(after)["tables"]
    assert "late" not in before
    assert {row["bot"] for row in table["rows"]} == {"bo", "cy", "late"}


@pytest.mark.long
def test_when_time_was_up_is_in_the_log_and_its_standings_follow(desk: Desk) -> None:
    """The looks that were done by then stand there too; the night can go on."""
    desk.league("bo=random", "cy=random", deals=None, more='stop = { name = "settled", max_deals = 2000 }')
    finish(desk.play("--minutes", "0.06"))
    with read_store(desk.folder / "night.db") as store:
        (entry,) = store.log(TIME_UP)
        assert entry.payload["results"] == len(list(store.ids()))
        assert verify_night(store).problems == ()
    finish(desk.play("--minutes", "0.05"))
    with read_store(desk.folder / "night.db") as store:
        assert len(store.log(TIME_UP)) == 2
        assert verify_night(store).problems == ()
    forged = f"UPDATE log SET payload = json_set(payload, '$.results', 0) WHERE kind = '{TIME_UP}'"
    change(desk.folder / "night.db", forged)
    with read_store(desk.folder / "night.db") as store:
        found = [problem.what for problem in verify_night(store).problems]
    assert any("minutes were up do not follow" in what for what in found), found
