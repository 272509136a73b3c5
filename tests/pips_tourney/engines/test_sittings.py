"""The tables of bots that may fault, and sittings of few processes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from pips_tourney.engines import schedule as schedule_module
from pips_tourney.engines import sittings as sittings_module
from pips_tourney.engines.match_queue import MatchQueue
from pips_tourney.engines.sittings import Sitting, Sittings
from pips_tourney.league.read import read_league
from pips_tourney.night.plan.fixtures import Fixture, fixtures
from pips_tourney.night.plan.from_league import make_programme
from pips_tourney.secret import Secret
from tests.pips_tourney.in_process import write_league

SECRET = Secret(bytes(32))
LEAGUE = """
name = "Test night"
games = [{ name = "dominion", seats = 4 }, { name = "serpent", seats = 2 }]
deals = { count = 1 }
bots = [
    { name = "ada", sample = "random" },
    { name = "bo", sample = "random" },
    { name = "cy", sample = "random" },
    { name = "di", sample = "random" },
]
"""


def none_stored(ids: Sequence[str]) -> set[str]:
    return set()


def taken(feed: MatchQueue) -> list[Fixture]:
    return list(iter(feed.take, None))


def test_faults_are_foreseen_by_the_turns_of_a_bot_s_own_matches(tmp_path: Path) -> None:
    """One table of four seats can bring four faults, whatever was read after it."""
    league = tmp_path / "night.toml"
    league.write_text(LEAGUE, encoding="utf-8")
    every = list(fixtures(make_programme(read_league(league))))
    assert [len(fixture.seating) for fixture in every[:5]] == [4, 4, 4, 4, 2]
    feed = MatchQueue(iter(every), none_stored, SECRET, shift_s=30, clock=lambda: 0.0)
    feed.doubts.most = 4
    assert feed.take() is not None
    assert [feed.take() for _ in range(3)] == [None] * 3


def sittings_of(fixtures: Sequence[Fixture]) -> list[Sitting]:
    sittings = Sittings(SECRET, apart=False)
    sittings.put(sorted(fixtures, key=lambda fixture: SECRET.play_order(fixture.match_id)))
    return sittings.every


class TestMoreBotsThanAnArenaKeepsAlive:
    """Six bots of two rotations each; an arena keeps four processes."""

    @pytest.fixture
    def many(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Fixture]:
        monkeypatch.setattr(sittings_module, "MOST_ALIVE", 4)
        monkeypatch.setattr(sittings_module, "FEWEST_DEALS", 0)
        return list(fixtures(make_programme(read_league(write_league(tmp_path, *"abcdef", deals=4)))))

    def test_a_sitting_is_of_few_processes_and_in_the_secret_s_order(self, many: list[Fixture]) -> None:
        order = taken(MatchQueue(iter(many), none_stored, SECRET))
        assert sorted(order, key=many.index) == many
        sittings = sittings_of(many)
        assert [fixture for sitting in sittings for fixture in sitting.fixtures] == order
        assert len(sittings) == 2 * 6  # rotations, and three sides of two bots with each other and themselves
        for sitting in sittings:
            assert len({process for fixture in sitting.fixtures for process in fixture.processes}) <= 4

    def test_arenas_sit_apart_until_one_has_nothing_left(self, many: list[Fixture]) -> None:
        feed = MatchQueue(iter(many), none_stored, SECRET)
        first, second, *_ = sittings_of(many)
        both = [(feed.take(0), feed.take(1)) for _ in range(4)]
        assert [fixture for fixture, _ in both] == list(first.fixtures)[:4]
        assert [fixture for _, fixture in both] == list(second.fixtures)[:4]
        rest = [*iter(lambda: feed.take(0), None)]
        assert len(rest) == len(many) - 8

    def test_a_window_is_longer_then(self, many: list[Fixture], monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(schedule_module, "WINDOW", 30)
        monkeypatch.setattr(schedule_module, "MATCHES_A_PROCESS", 5)
        source = iter(many)
        feed = MatchQueue(source, none_stored, SECRET)
        assert feed.take() is not None
        assert len(many) - len(list(source)) == 5 * 12
