"""No deals are planned for bots that are out, and `verify` finds the same plans."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pips_tourney.league.read import read_league
from pips_tourney.night.begin import begin
from pips_tourney.night.director import Office, office
from pips_tourney.night.log.kinds import ROUND
from pips_tourney.night.log.store import Store, read_store
from pips_tourney.night.night import last_night
from pips_tourney.night.plan.from_league import make_programme
from tests.pips_tourney.night.proof.test_round_plans import LEAGUE, adaptive_night, problems
from tests.pips_tourney.web.nights import SECRET

Act = Callable[[Office], str]


def decided(folder: Path, acts: dict[int, Act], rounds: int, league: str = LEAGUE) -> Path:
    """A night in which the director acts after `rounds`."""

    def meanwhile(store: Store, number: int) -> None:
        if act := acts.get(number + 1):
            with office(store.path) as at:
                act(at)
            added = last_night(store).decisions().added.values()
            begin(store, make_programme(read_league(folder / "adaptive.toml").joined_by(added)), SECRET)

    return adaptive_night(folder, rounds, meanwhile, league)


def plans(path: Path) -> list[dict[str, int]]:
    """By round, the deals of every combination until its end."""
    with read_store(path) as store:
        return [entry.payload["deals"] for entry in store.log(ROUND)]


def out(at: Office) -> str:
    return at.withdraw("cy", "ill", from_start=False)


def out_from_start(at: Office) -> str:
    return at.withdraw("cy", "a forbidden library", from_start=True)


def late(at: Office) -> str:
    return at.add({"name": "late", "sample": "random"}, Path())


@pytest.mark.unmeasured
@pytest.mark.parametrize("act", [out, out_from_start])
def test_deals_go_to_no_table_of_a_bot_that_is_out(tmp_path: Path, act: Act) -> None:
    path = decided(tmp_path, {1: act}, 3, LEAGUE.replace("max_deals = 40", "max_deals = 400"))
    first, *later = plans(path)
    assert len(later) == 2 and later[-1]["ada/bo"] > first["ada/bo"]
    for plan in later:
        assert [plan[table] for table in plan if "cy" in table] == [10, 10]
    assert problems(path) == []


def test_a_late_bot_meets_those_who_are_in(tmp_path: Path) -> None:
    path = decided(tmp_path, {1: out, 2: late}, 3)
    assert {table for table in plans(path)[-1] if "late" in table} == {"ada/late", "bo/late"}
    assert problems(path) == []


@pytest.mark.unmeasured
def test_a_budget_is_not_spent_on_a_bot_that_is_out(tmp_path: Path) -> None:
    budget = LEAGUE.replace("max_deals = 40", "max_deals = 400, matches = 120")
    path = decided(tmp_path, {1: out}, 9, budget)
    planned = plans(path)[-1]
    assert sum(planned.values()) <= 60 and planned["ada/bo"] > 10
    with read_store(path) as store:
        assert len(list(store.ids())) == 2 * sum(planned.values())
