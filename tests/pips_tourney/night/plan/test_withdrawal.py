"""A bot that makes too many faults is out for the night.

The result is the same for every caller, in whatever order matches were played.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest

from pips_tourney.engines.match_queue import MatchQueue
from pips_tourney.league.read import read_league
from pips_tourney.night.begin import begin
from pips_tourney.night.log.result import row_of
from pips_tourney.night.log.store import Row, open_store
from pips_tourney.night.plan.fixtures import Fixture, fixtures
from pips_tourney.night.plan.follower import Follower
from pips_tourney.night.plan.from_league import make_programme
from pips_tourney.night.plan.live_schedule import LiveSchedule, Withdrawals
from pips_tourney.night.proof.verify import verify_night
from pips_tourney.night.table.standings import standings
from pips_tourney.night.table.standings_json import as_json
from pips_tourney.night.table.tables import Standings
from pips_tourney.secret import Secret
from tests.pips_tourney.in_process import play, write_league

pytestmark = pytest.mark.unmeasured  # other tests reach these lines

SECRET = Secret(b"\x01" * 32)
DEALS = 6


def result(fixture: Fixture, crash_of: str) -> Row:
    """A match's row; the bot crashes in every match of these that it begins."""
    crash_at = 1 if fixture.seating[0] == crash_of else None
    return row_of(play(fixture.header(SECRET), SECRET.rng_seed(fixture.match_id, 0), crash_at))


class Evening:
    """A night of three bots, of which `cy` crashes in half of its matches.

    It is played match by match in the order of the feed.
    """

    def __init__(self, folder: Path, more: str, *, shuffled: int = 0) -> None:
        self.league = write_league(folder, "ada", "bo", "cy", deals=DEALS, more=more)
        self.path = folder / "night.db"
        self.played: list[Fixture] = []
        with open_store(self.path) as store:
            night = begin(store, make_programme(read_league(self.league)), SECRET)
            course = LiveSchedule(night.programme, SECRET)
            lookout = Follower(course, store.results)
            feed = MatchQueue(course.items(night.programme.contests[0]), store.stored, SECRET, lookout)
            waiting: list[Row] = []
            while (fixture := feed.take()) is not None:
                self.played.append(fixture)
                waiting.append(result(fixture, "cy"))
                if len(waiting) > shuffled:  # results come in any order
                    store.add([waiting.pop(Random(len(self.played)).randrange(len(waiting)))])
            store.add(waiting)
            self.standings: Standings = standings(night)
            self.digest = night.digest()
            self.count = night.count()
            self.problems = verify_night(store).problems


def rows(of: Standings) -> dict[str, dict[str, object]]:
    return {row["bot"]: row for row in as_json(of)["tables"][0]["rows"]}


@pytest.mark.parametrize("shuffled", [1, 5, 30])
def test_it_makes_no_difference_in_which_order_was_played(tmp_path: Path, shuffled: int) -> None:
    (tmp_path / "a").mkdir()
    one = Evening(tmp_path, "max_faults = 3")
    other = Evening(tmp_path / "a", "max_faults = 3", shuffled=shuffled)
    assert len(one.played) <= len(other.played) <= 3 * DEALS * 2
    assert as_json(one.standings) == as_json(other.standings)
    assert (one.digest, one.count) == (other.digest, other.count)
    assert one.standings.complete
    assert one.problems == other.problems == ()


def test_who_played_under_half_is_not_rated_and_counts_for_nobody(tmp_path: Path) -> None:
    night = Evening(tmp_path, "max_faults = 3")
    (table,) = as_json(night.standings)["tables"]
    assert set(rows(night.standings)) == {"ada", "bo"}
    assert table["counted"] == 2 * DEALS
    (why,) = table["withdrawn"].values()
    assert why.startswith("withdrawn after 3 faults, the last one (crash) in match ")
    assert "exit status 3" in why
    assert why.endswith(
        f"of its {4 * DEALS} matches here; as that is under half, it is not rated and they count for nobody"
    )


def test_who_played_half_keeps_what_it_has(tmp_path: Path) -> None:
    night = Evening(tmp_path, f"max_faults = {DEALS + 1}")
    table = as_json(night.standings)["tables"][0]
    assert set(rows(night.standings)) == {"ada", "bo", "cy"}
    assert "under half" not in table["withdrawn"]["cy"]
    matches = rows(night.standings)["cy"]["matches"]
    assert isinstance(matches, int) and 2 * DEALS <= matches < 4 * DEALS


def test_nobody_is_withdrawn_without_a_limit(tmp_path: Path) -> None:
    night = Evening(tmp_path, "")
    assert len(night.played) == 3 * DEALS * 2
    assert "withdrawn" not in as_json(night.standings)["tables"][0]


def test_a_deal_that_was_begun_is_played_to_its_end(tmp_path: Path) -> None:
    league = read_league(write_league(tmp_path, "ada", "cy", deals=2))
    first, second, third, _ = fixtures(make_programme(league))
    withdrawals = Withdrawals(1)
    withdrawals.add(first, result(first, first.seating[0]))
    assert not withdrawals.drops(second)
    assert withdrawals.drops(third)


def test_no_match_is_passed_over_while_an_earlier_result_is_missing(tmp_path: Path) -> None:
    league = read_league(write_league(tmp_path, "ada", "cy", deals=2, more="max_faults = 1"))
    programme = make_programme(league)
    schedule = list(fixtures(programme))
    stored: dict[str, Row] = {}

    def results(ids: Sequence[str]) -> dict[str, Row]:
        return {match: stored[match] for match in ids if match in stored}

    lookout = Follower(LiveSchedule(programme, SECRET), results)
    for fixture in schedule:
        lookout.expect(fixture)
    stored[schedule[1].match_id] = result(schedule[1], schedule[1].seating[0])
    assert not lookout.drops(schedule[2])
    stored[schedule[0].match_id] = result(schedule[0], "")
    assert lookout.drops(schedule[2])


def test_debug_switches_the_clock_off(tmp_path: Path) -> None:
    league = read_league(write_league(tmp_path, "ada", "bo", more="debug = true"))
    assert not any(make_programme(league).clock.values())
