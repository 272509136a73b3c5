"""A night of games from other wheels ends the same, however often it is killed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.desk import Desk, finish, kill, wait_for_results
from tests.games.conftest import WHEELS
from tests.same_night import differences

pytestmark = [pytest.mark.xdist_group("processes"), pytest.mark.unmeasured]
SLOW = f"""
import time
from pips_sdk import GameBot, run

class Slow(GameBot):
    def choose(self, view):
        time.sleep(0.003)
        return next(view.legal_actions())

run(*[type(game, (Slow,), {{"game": game}}) for game in {WHEELS}])
"""
LEAGUE = """
games = [
    { name = "pig", seats = 4, options = { goal = 20 } },
    { name = "kuhn", options = { hands = 4 } },
    { name = "hearts", options = { hands = 1 } },
]
deals = 4
tables = 1
bots = [
    { name = "ada", command = "python slow.py", trusted = true }, { name = "bo", sample = "random" },
    { name = "cy", sample = "random" }, { name = "dee", sample = "random" },
]
"""
MATCHES = 80


def night(desk: Desk, kills: int) -> str:
    """The standings of a night that is killed so often."""
    (desk.folder / "slow.py").write_text(SLOW, encoding="utf-8")
    (desk.folder / "night.toml").write_text(LEAGUE, encoding="utf-8")
    for number in range(kills):
        runner = desk.play()
        wait_for_results(desk, max(desk.results(), (number + 0.3) / kills * MATCHES))
        kill(runner)
        desk.assert_nothing_is_left()
    assert (desk.results() < MATCHES) if kills else True
    return finish(desk.play())[0]


@pytest.mark.long
def test_killed_three_times_it_has_the_same_matches_answers_and_standings(tmp_path: Path) -> None:
    desks = Desk(), Desk()
    try:
        undisturbed, pieces = night(desks[0], 0), night(desks[1], 3)
        assert pieces == undisturbed
        one, other = (desk.folder / "night.db" for desk in desks)
        assert [*differences(one, other)] == []
        assert f"{MATCHES} results verified" in desks[1].tell("verify", "night.db")
    finally:
        for desk in desks:
            desk.clear()
