"""The tables of bots that may fault, and sittings of few processes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from unittest.mock import Mock

import pytest

from pips_tourney.engines import schedule as schedule_module
from pips_tourney.engines import sittings as sittings_module
from pips_tourney.engines.match_queue import MatchQueue
from pips_tourney.engines.sittings import FIRST_OPPONENTS, Sitting, Sittings
from pips_tourney.league.read import read_league
from pips_tourney.night.plan.fixtures import Fixture, fixtures
from pips_tourney.night.plan.from_league import make_programme
from pips_tourney.ratings.result import FEWEST_DEALS
from pips_tourney.secret import Secret
from tests.pips_tourney.engines.test_match_queue import Clock
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


class TestFirstRatings:
    """Nobody waits for the bulk of the night, or for their name."""

    @pytest.fixture
    def eight(self, tmp_path: Path) -> list[Fixture]:
        return list(fixtures(make_programme(read_league(write_league(tmp_path, *"abcdefgh", deals=4)))))

    @pytest.mark.parametrize("most_alive", [4, 32])
    def test_a_newcomer_plays_whole_deals_before_the_bulk(
        self, eight: list[Fixture], monkeypatch: pytest.MonkeyPatch, most_alive: int
    ) -> None:
        monkeypatch.setattr(sittings_module, "MOST_ALIVE", most_alive)
        old = {match.match_id for match in eight if "h" not in match.seating and match.deal.name < "deal00003"}
        feed = MatchQueue(iter(eight), old.intersection, SECRET)
        first = [match for _ in range(2 * FEWEST_DEALS) if (match := feed.take()) is not None]
        assert all("h" in match.seating for match in first)
        assert len({match.block for match in first}) == FEWEST_DEALS == len(first) / 2
        assert len({bot for match in first for bot in match.seating}) == 1 + FIRST_OPPONENTS, "each has to start"
        assert len(first) + len(taken(feed)) + len(old) == len(eight)

    def test_a_deal_that_lacks_a_rotation_is_none_of_them(self, eight: list[Fixture]) -> None:
        half = {match.match_id for match in eight if "h" in match.seating and match.rotation == 0}
        old = half | {match.match_id for match in eight if "h" not in match.seating and match.deal.name < "deal00003"}
        feed = MatchQueue(iter(eight), old.intersection, SECRET)
        first = [match for _ in range(FEWEST_DEALS) if (match := feed.take()) is not None]
        assert {match.rotation for match in first if "h" in match.seating} == {1}
        assert all("h" in match.seating for match in first)

    async def test_after_an_interrupted_start_all_have_first_deals_before_the_bulk(self, eight: list[Fixture]) -> None:
        """As at a place where somebody joined before any deal was whole."""
        clock = Clock()
        stored = {match.match_id for match in eight if "h" not in match.seating and match.rotation == 0}
        feed = MatchQueue(iter(eight), stored.intersection, SECRET, shift_s=12, clock=clock)
        shifts = [(feed.is_for_first, shift) async for shift in clock.shifts(feed)]
        assert [is_for_first for is_for_first, _ in shifts[:3]] == [True, True, False]
        assert sum(len(shift) for _, shift in shifts[:2]) < len(eight) / 3

    def test_two_arenas_start_different_opponents_of_a_newcomer(self, eight: list[Fixture]) -> None:
        old = {match.match_id for match in eight if "h" not in match.seating and match.deal.name < "deal00003"}
        feed = MatchQueue(iter(eight), old.intersection, SECRET, shift_s=12)
        met: dict[int, set[str]] = {0: set(), 1: set()}
        while both := [(arena, match) for arena in met if (match := feed.take(arena)) is not None]:
            for arena, match in both:
                met[arena].update(match.seating)
                feed.played(match)
        assert met[0] & met[1] == {"h"} and len(met[0] | met[1]) == 1 + FIRST_OPPONENTS

    def test_first_opponents_are_drawn_from_all(self, tmp_path: Path) -> None:
        """Though a window is shorter than one deal of so many bots."""
        every = list(fixtures(make_programme(read_league(write_league(tmp_path, *map(chr, range(97, 117)), deals=2)))))
        old = {match.match_id for match in every if "t" not in match.seating}
        first = taken(MatchQueue(iter(every), old.intersection, SECRET))[: 2 * FEWEST_DEALS]
        assert {bot for match in first for bot in match.seating} > {"t"}
        assert max(bot for match in first for bot in match.seating if bot != "t") > "j"

    def test_all_have_played_soon_whatever_their_names(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sittings_module, "MOST_ALIVE", 4)
        league = write_league(tmp_path, *(f"b{number:02}" for number in range(16)), deals=20)
        every = list(fixtures(make_programme(read_league(league))))
        order = taken(MatchQueue(iter(every), none_stored, SECRET))
        firsts = {bot: at for at, match in reversed(list(enumerate(order))) for bot in match.seating}
        assert max(firsts.values()) < len(every) / 20
        sides = sittings_of(every)[0].fixtures
        assert {bot for match in sides for bot in match.seating} != {"b00", "b01"}, "drawn, not by name"

    async def test_a_newcomer_has_first_deals_though_most_others_are_out(self, tmp_path: Path) -> None:
        """As in a class that has handed in again: earlier versions play no more."""
        every = list(fixtures(make_programme(read_league(write_league(tmp_path, *"abcdefghijkl", deals=20)))))
        old = {match.match_id for match in every if "l" not in match.seating and match.deal.name < "deal00012"}
        lookout = Mock(gates=lambda: 0, drops=lambda match: not {*"cdefghijk"}.isdisjoint(match.seating))
        feed = MatchQueue(iter(every), old.intersection, SECRET, lookout, shift_s=12)
        begun = list(iter(feed.take, None))
        assert feed.is_for_first
        assert len({match.block for match in begun}) == FEWEST_DEALS
        assert all("l" in match.seating for match in begun)
