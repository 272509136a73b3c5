"""Plans of adaptive rounds follow from complete rounds; `verify` says if not."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pips_referee.records.record import Header
from pips_tourney.league.read import read_league
from pips_tourney.night.begin import begin
from pips_tourney.night.director import Office
from pips_tourney.night.log.kinds import BEGUN, ROUND
from pips_tourney.night.log.result import row_of
from pips_tourney.night.log.store import Store, open_store, read_store
from pips_tourney.night.night import Night, last_night
from pips_tourney.night.plan.fixtures import Fixture
from pips_tourney.night.plan.from_league import make_programme
from pips_tourney.night.proof.verify import verify_night
from pips_tourney.night.table.standings import standings
from pips_tourney.night.table.standings_json import as_json
from tests.pips_tourney.forged import make_chain_anew
from tests.pips_tourney.in_process import play
from tests.pips_tourney.web.nights import SECRET, play_round

pytestmark = pytest.mark.unmeasured  # other tests reach these lines

LEAGUE = """
name = "Adaptive night"
games = ["wichita"]
stop = { name = "settled", deals = "adaptive", max_deals = 40 }
bots = [
    { name = "ada", sample = "random" }, { name = "bo", sample = "random" }, { name = "cy", sample = "random" },
]
"""


def due_plans(night: Night) -> list[dict[str, Any]]:
    """The log entries of plans that are due, as a runner makes them at its gates."""
    course = night.course(folding=True)
    for _ in night.walk(course):
        pass
    every = [part.adaptive for part in course.parts if part.adaptive is not None]
    return [entry for rounds in every for entry in rounds.news() if entry["round"] < len(rounds.rounds)]


def log_plans(store: Store) -> None:
    """Log the plans that are due."""
    for entry in due_plans(last_night(store)):
        store.append(ROUND, entry)


def adaptive_night(
    folder: Path, rounds: int, meanwhile: Callable[[Store, int], None] = lambda *_: None, text: str = LEAGUE
) -> Path:
    """A night of three bots after `rounds`; `meanwhile` is called after each."""
    league, path = folder / "adaptive.toml", folder / "adaptive.db"
    league.write_text(text, encoding="utf-8")
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


@pytest.fixture(scope="module", params=["results", "points"])
def played(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A night of three rounds and more, in the order of results or of points."""
    text = LEAGUE.replace("max_deals = 40", f'max_deals = 400, by = "{request.param}"')
    return adaptive_night(tmp_path_factory.mktemp("adaptive"), 3, text=text)


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


@pytest.mark.parametrize("forgotten", [False, True])
def test_two_plans_may_be_late_but_none_forgets_what_the_one_before_knew(tmp_path: Path, forgotten: bool) -> None:
    path = adaptive_night(tmp_path, 1, text=LEAGUE.replace("max_deals = 40", "max_deals = 400"))
    with open_store(path) as store:
        Office(last_night(store)).withdraw("cy", "it was away", from_start=False)
        aware = last_night(store)
        unaware = replace(aware, before=store.last("withdraw"))
        for number, night in enumerate([aware if forgotten else unaware, unaware], 1):
            [plan] = [plan for plan in due_plans(night) if plan["round"] == number]
            store.append(ROUND, plan)
            _play(store, [fixture for fixture, row in unaware.kept() if row is None])
    assert len(problems(path)) == forgotten


def _add(at: Office) -> str:
    return at.add({"name": "late", "sample": "random"}, Path())


def _annul(at: Office) -> str:
    return at.annul(next(iter(at.night.fixtures())).match_id, "a power cut")


def _take_back(at: Office) -> str:
    return at.withdraw("late", "a slip", from_start=True)


Act = Callable[[Office], str]
ACTS: dict[str, list[Act]] = {
    "add": [_add],
    "add, then withdraw": [_add, _take_back],
    "withdraw, then reinstate": [
        lambda at: at.withdraw("cy", "it was away", from_start=False),
        lambda at: at.reinstate("cy", "it is back"),
    ],
    "annul, add, withdraw": [_annul, _add, lambda at: at.withdraw("bo", "x", from_start=False)],
}
"""What the director does: one act in the middle of each round, from the first."""


def _known(store: Store) -> list[Fixture]:
    """The matches that are known and not played."""
    return [fixture for fixture, row in last_night(store).kept() if row is None]


def _left(store: Store, round_of: list[Fixture]) -> list[Fixture]:
    """The fixtures of a round that are still to be played."""
    known = {fixture.match_id for fixture in round_of}
    return [fixture for fixture in _known(store) if fixture.match_id in known]


def _play(store: Store, ahead: list[Fixture]) -> int:
    """Store a result of each of these matches, by the match alone; how many."""
    headers = [Header.read(fixture.order(SECRET, {}).header) for fixture in ahead]
    seeds = [hashlib.sha256(fixture.match_id.encode()).digest() for fixture in ahead]
    store.add([row_of(play(header, seed)) for header, seed in zip(headers, seeds, strict=True)])
    return len(ahead)


def _begin(store: Store, league: Path) -> None:
    """What a runner does first: added bots join, and due plans are logged."""
    added = last_night(store).decisions().added if store.log(BEGUN) else {}
    begin(store, make_programme(read_league(league).joined_by(added.values())), SECRET)
    log_plans(store)


def _night_with_acts(path: Path, acts: list[Act], *, broken_off: bool) -> None:
    """A night to its end; if broken off, another runner goes on within each round."""
    league = path.parent / "acts.toml"
    league.write_text(LEAGUE.replace("max_deals = 40", "max_deals = 20"), encoding="utf-8")
    number, played = 0, 1
    while played or number <= len(acts):
        with open_store(path) as store:
            _begin(store, league)
            ahead = _known(store)
            played = _play(store, ahead[: len(ahead) // 2])
            if number < len(acts):
                acts[number](Office(last_night(store)))
            if not broken_off:
                played += _play(store, _left(store, ahead))
        if broken_off:
            with open_store(path) as store:
                _begin(store, league)
                played += _play(store, _left(store, ahead))
        number += 1


def _outcome(path: Path) -> tuple[list[dict[str, Any]], object, set[str]]:
    """The plans, the tables, and all bots that have played."""
    with read_store(path) as store:
        night = last_night(store)
        bots = {bot for fixture, row in night.kept() if row is not None for bot in fixture.seating}
        return [entry.payload for entry in store.log(ROUND)], as_json(standings(night))["tables"], bots


@pytest.mark.parametrize("acts", ACTS.values(), ids=ACTS)
def test_a_night_with_the_directors_acts_follows_and_ends_alike_when_broken_off(
    tmp_path: Path, acts: list[Act]
) -> None:
    whole, pieces = tmp_path / "whole.db", tmp_path / "pieces.db"
    _night_with_acts(whole, acts, broken_off=False)
    _night_with_acts(pieces, acts, broken_off=True)
    assert problems(whole) == problems(pieces) == []
    assert _outcome(whole) == _outcome(pieces)
    plans, _, bots = _outcome(whole)
    assert ("late" in bots) == (_add in acts and _take_back not in acts)
    assert (_add in acts) == any("late" in table for plan in plans for table in plan["deals"])


@pytest.mark.parametrize(
    ("games", "stop", "said", "not_said"),
    [
        ('["wichita"]', "", ["In wichita deals are adaptive: it plays 10 deals in each"], "all deals from"),
        ('["wichita"]', ", matches = 400", ["ends when 400 matches are played in wichita"], "all deals from"),
        ('["wichita"]', ", max_deals = 6", ["it plays 6 deals in each"], "all deals from"),
        ('["wichita", "serpent"]', "", ["In wichita deals", "In serpent deals"], "all deals from"),
    ],
)
def test_add_says_what_a_late_bot_plays(tmp_path: Path, games: str, stop: str, said: list[str], not_said: str) -> None:
    league = tmp_path / "add.toml"
    text = LEAGUE.replace('["wichita"]', games).replace(", max_deals = 40", stop)
    league.write_text(text, encoding="utf-8")
    with open_store(tmp_path / "add.db") as store:
        begin(store, make_programme(read_league(league)), SECRET)
        told = _add(Office(last_night(store)))
    assert told.startswith("late is added. ") and told.endswith("`withdraw` takes it out again.")
    assert all(words in told for words in said)
    assert not_said not in told
