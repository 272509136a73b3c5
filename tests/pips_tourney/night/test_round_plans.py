"""Plans of adaptive rounds follow from complete rounds; `verify` says if not."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pips_tourney.league import read_league
from pips_tourney.night.adaptive_rounds import ROUND
from pips_tourney.night.night import begin, last_night
from pips_tourney.night.programme import make_programme
from pips_tourney.night.store import Store, open_store, read_store
from pips_tourney.night.verify import verify_night
from tests.pips_tourney.forged import make_chain_anew
from tests.pips_tourney.web.nights import SECRET, play_round

LEAGUE = """
name = "Adaptive night"
games = ["wichita"]
stop = { name = "settled", deals = "adaptive", max_deals = 40 }
bots = [
    { name = "ada", sample = "random" }, { name = "bo", sample = "random" }, { name = "cy", sample = "random" },
]
"""


def log_plans(store: Store) -> int:
    """Log the plans that are due, as a runner does at its gates; how many they are."""
    night = last_night(store)
    course = night.course(folding=True)
    for _ in night.walk(course):
        pass
    (rounds,) = [part.adaptive for part in course.parts if part.adaptive is not None]
    due = [entry for entry in rounds.news() if entry["round"] < len(rounds.rounds)]
    for entry in due:
        store.append(ROUND, entry)
    return len(due)


def adaptive_night(folder: Path, rounds: int, meanwhile: Callable[[Store, int], None] = lambda *_: None) -> Path:
    """A night of three bots after so many rounds; `meanwhile` is called after each."""
    league, path = folder / "adaptive.toml", folder / "adaptive.db"
    league.write_text(LEAGUE, encoding="utf-8")
    with open_store(path) as store:
        begin(store, make_programme(read_league(league)), SECRET)
        for number in range(rounds):
            log_plans(store)
            if not play_round(store):
                break
            meanwhile(store, number)
    return path


def change_plan(path: Path, number: int, change: Callable[[dict[str, Any]], None]) -> None:
    """Change the plan of that round, and make the chain anew, as the owner can."""
    with closing(sqlite3.connect(path)) as connection, connection:
        for seq, payload in connection.execute("SELECT seq, payload FROM log WHERE kind = ?", (ROUND,)).fetchall():
            plan = json.loads(payload)
            if plan["round"] == number:
                change(plan)
                connection.execute("UPDATE log SET payload = ? WHERE seq = ?", (json.dumps(plan), seq))
    make_chain_anew(path)


def problems(path: Path) -> list[str]:
    """What is wrong, but for the end that nobody wrote."""
    with read_store(path) as store:
        found = [problem.what for problem in verify_night(store).problems]
    return [what for what in found if "its end is missing" not in what]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A night of three rounds and more."""
    return adaptive_night(tmp_path_factory.mktemp("adaptive"), 3)


def test_plans_that_were_made_from_the_rounds_follow(played: Path) -> None:
    with read_store(played) as store:
        assert len(store.log(ROUND)) >= 3
    assert problems(played) == []


def _less(plan: dict[str, Any]) -> None:
    table = max(plan["deals"], key=lambda name: plan["deals"][name])
    plan["deals"][table] -= 1


def _more(plan: dict[str, Any]) -> None:
    plan["deals"][min(plan["deals"])] += 2


def _another_level(plan: dict[str, Any]) -> None:
    plan["level"] += 1


@pytest.mark.parametrize("change", [_less, _more, _another_level])
@pytest.mark.parametrize("number", [0, 1])
def test_a_plan_that_was_changed_is_named(
    played: Path, tmp_path: Path, number: int, change: Callable[[dict[str, Any]], None]
) -> None:
    path = tmp_path / "changed.db"
    path.write_bytes(played.read_bytes())
    change_plan(path, number, change)
    said = f"round {number + 1} of wichita does not follow"
    assert any(said in what or "cannot be played" in what for what in problems(path))


@pytest.mark.parametrize("late", [False, True])
def test_decisions_between_two_plans_count_or_not_yet(tmp_path: Path, late: bool) -> None:
    """A runner learns of a decision up to two seconds late."""

    def annul(store: Store, number: int) -> None:
        if number != 1:
            return
        if late:
            log_plans(store)
        fixture = next(iter(last_night(store).fixtures()))
        store.append("annul", {"match": fixture.match_id, "block": fixture.block, "reason": "a power cut"})

    assert problems(adaptive_night(tmp_path, 4, annul)) == []
