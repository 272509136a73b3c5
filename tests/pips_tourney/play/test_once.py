"""Deals that are played once.

Every bot is equally often in every seat and after every other. Bots that are away play
later.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import combinations
from pathlib import Path
from unittest.mock import Mock

import pytest

from pips_tourney.audit.checks import look
from pips_tourney.audit.evidence import Evidence, Seen
from pips_tourney.engines.match_queue import MatchQueue
from pips_tourney.league.mistakes import LeagueError
from pips_tourney.league.read import read_league
from pips_tourney.night.plan.fixtures import Fixture, fixtures
from pips_tourney.night.plan.from_league import make_programme
from pips_tourney.schedule.tables import orders, play_once
from pips_tourney.secret import Secret

SECRET = Secret(bytes(32))
GOOD = """
games = ["serpent"]
deals = { count = 4 }
bots = [{ name = "ada", remote = true }, { name = "bo", remote = true }, { name = "cy", sample = "random" }]
"""


def write(folder: Path, text: str = GOOD) -> Path:
    (folder / "night.toml").write_text(text, encoding="utf-8")
    return folder / "night.toml"


def schedule(folder: Path, more: str = "") -> list[Fixture]:
    return list(fixtures(make_programme(read_league(write(folder, f"{more}{GOOD}")))))


class TestBalance:
    @pytest.mark.parametrize("seats", [2, 3, 4, 5])
    def test_in_as_many_deals_as_seats_everybody_sits_everywhere_once(self, seats: int) -> None:
        bots = "abcde"[:seats]
        for first in range(0, 3 * seats, seats):
            sat = Counter(
                (bot, seat)
                for deal in range(first, first + seats)
                for seat, bot in enumerate(play_once(bots, deal).seating)
            )
            assert set(sat.values()) == {1}
            assert len(sat) == seats * seats

    @pytest.mark.parametrize("seats", [3, 4])
    def test_when_all_orders_were_played_everybody_sat_behind_everybody_as_often(self, seats: int) -> None:
        bots, after = "abcd"[:seats], Counter[tuple[str, str]]()
        for deal in range(seats * len(orders(seats))):
            seating = play_once(bots, deal).seating
            after.update((seating[at - 1], bot) for at, bot in enumerate(seating))
        assert len(set(after.values())) == 1
        assert len(after) == seats * (seats - 1)

    def test_odd_seats_do_not_all_fall_to_one_bot(self) -> None:
        """With one deal each, the first seat does not go by the alphabet."""
        bots = [f"bot{number}" for number in range(12)]
        first = Counter(play_once(pair, 0).seating[0] < play_once(pair, 0).seating[1] for pair in combinations(bots, 2))
        assert 0.25 < first[True] / sum(first.values()) < 0.75

    def test_a_deal_keeps_its_number(self) -> None:
        assert [play_once("ab", deal).deal for deal in range(5)] == [0, 1, 2, 3, 4]


class TestProgramme:
    def test_with_a_remote_bot_every_deal_is_played_once(self, tmp_path: Path) -> None:
        matches = schedule(tmp_path)
        assert len(matches) == len({match.block for match in matches}) == 3 * 4
        sat: dict[str, Counter[int]] = defaultdict(Counter)
        for match in matches:
            for seat, bot in enumerate(match.seating):
                sat[bot][seat] += 1
        assert set(map(tuple, (counts.values() for counts in sat.values()))) == {(4, 4)}

    @pytest.mark.parametrize(("more", "matches"), [("duplicate = true\n", 24), ("duplicate = false\n", 12)])
    def test_the_league_may_say_otherwise(self, tmp_path: Path, more: str, matches: int) -> None:
        assert len(schedule(tmp_path, more)) == matches

    def test_any_league_may_be_played_once(self, tmp_path: Path) -> None:
        text = GOOD.replace("remote = true", 'sample = "random"')
        assert len(list(fixtures(make_programme(read_league(write(tmp_path, text)))))) == 24
        once = f"duplicate = false\n{text}"
        assert len(list(fixtures(make_programme(read_league(write(tmp_path, once)))))) == 12

    def test_they_are_the_matches_of_the_same_names_that_all_rotations_would_have(self, tmp_path: Path) -> None:
        whole = make_programme(read_league(write(tmp_path, f"duplicate = true\n{GOOD}")))
        assert {match.contest.matches_a_deal for match in fixtures(whole)} == {2}
        assert {match.match_id for match in schedule(tmp_path)} <= {match.match_id for match in fixtures(whole)}


class TestLeague:
    @pytest.mark.parametrize(
        ("change", "where", "what"),
        [
            (("remote = true", 'remote = true, sample = "random"'), "bots[0]", "or `remote = true`"),
            (("remote = true", 'remote = true, cwd = "."'), "bots[0].cwd", "runs on another machine"),
            (("remote = true", 'remote = true, env = { A = "b" }'), "bots[0].env", "runs on another machine"),
            (("\ngames", '\nengine = "dask"\ngames'), "bots[0].remote", 'for a league with engine = "local"'),
            (("\ngames", "\nremote = { grace_s = 0 }\ngames"), "remote.grace_s", "greater than or equal to 1"),
            (("\ngames", "\nremote = { rtt = 0 }\ngames"), "remote.rtt", "did you mean rtt_ms?"),
        ],
    )
    def test_mistakes(self, tmp_path: Path, change: tuple[str, str], where: str, what: str) -> None:
        with pytest.raises(LeagueError) as caught:
            read_league(write(tmp_path, GOOD.replace(*change, 1)))
        assert what in dict(caught.value.mistakes)[where]


class TestAudit:
    @pytest.mark.parametrize(("once", "trouble"), [({"serpent"}, False), (set(), True)])
    def test_odd_seats_are_no_trouble_where_deals_are_played_once(
        self, once: set[str], trouble: bool, tmp_path: Path
    ) -> None:
        text = GOOD.replace("count = 4", "count = 1")
        matches = list(fixtures(make_programme(read_league(write(tmp_path, text)))))
        evidence = Evidence(
            [Seen("serpent", match.block, match.seating, (1.0, 0.0)) for match in matches],
            {"serpent": {match.combination: (1, 1) for match in matches}},
            once=frozenset(once),
        )
        found, _ = look(evidence)
        assert bool([finding for finding in found if finding.kind == "seats" and finding.trouble]) == trouble


class TestFeed:
    """Ada's matches are those for which the queue is informed that she is away."""

    def test_who_is_away_plays_when_it_is_back(self, tmp_path: Path) -> None:
        matches = schedule(tmp_path)
        feed, away = MatchQueue(iter(matches), lambda _: set(), SECRET), {"ada"}
        feed.is_away = lambda fixture: not away.isdisjoint(fixture.seating)
        without = [feed.take() for _ in range(4)]
        assert all(match is not None and "ada" not in match.seating for match in without)
        assert feed.take() is None, "there is something under way, and she may be back when it is over"
        away.clear()
        rest = list(iter(feed.take, None))
        assert len(rest) == 8
        assert {match.match_id for match in [*filter(None, without), *rest]} == {match.match_id for match in matches}

    async def test_what_is_left_when_nothing_else_is_under_way_is_forfeited_one_by_one(self, tmp_path: Path) -> None:
        feed = MatchQueue(iter(schedule(tmp_path)), lambda _: set(), SECRET)
        feed.is_away = lambda fixture: "ada" in fixture.seating
        others = [match for _ in range(4) if (match := feed.take()) is not None]
        assert feed.take() is None
        for match in others:
            feed.played(match)
        for _ in range(8):
            match = feed.take()
            assert match is not None and "ada" in match.seating
            assert feed.take() is None
            feed.played(match)
        assert feed.take() is None
        assert not await feed.more()

    def test_a_match_that_may_prove_a_withdrawal_waits_for_who_is_away(self, tmp_path: Path) -> None:
        """Cy has faults enough, and ada is not made to forfeit for it."""
        lookout = Mock(drops=lambda _: False)
        feed = MatchQueue(iter(schedule(tmp_path)), lambda _: set(), SECRET, lookout)
        feed.doubts.most, away = 1, {"ada"}
        feed.doubts.faults["cy"] = 1
        feed.is_away = lambda fixture: not away.isdisjoint(fixture.seating)
        others = list(iter(feed.take, None))
        assert others and all("ada" not in match.seating for match in others)
        away.clear()
        rest = list[Fixture]()
        while left := [*feed.under_way.values()]:
            for match in left:
                feed.played(match)
                feed.are_stored([match.match_id])
            rest += iter(feed.take, None)
        assert len(others) + len(rest) == 12
        assert any({"ada", "cy"} <= {*match.seating} for match in rest)

    async def test_who_finds_nothing_waits_until_somebody_comes(self, tmp_path: Path) -> None:
        import asyncio

        feed = MatchQueue(iter(schedule(tmp_path)), lambda _: set(), SECRET)
        feed.is_away = lambda fixture: "ada" in fixture.seating
        while feed.take() is not None:
            pass
        waiting = asyncio.create_task(feed.more())
        await asyncio.sleep(0)
        assert not waiting.done()
        feed.stir()
        assert await waiting

    async def test_when_the_time_is_up_they_are_not_begun(self, tmp_path: Path) -> None:
        feed = MatchQueue(iter(schedule(tmp_path)), lambda _: set(), SECRET)
        feed.is_away = lambda fixture: "ada" in fixture.seating
        while feed.take() is not None:
            pass
        feed.finish()
        feed.under_way.clear()
        assert feed.take() is None
        assert not feed.is_closed
        feed.close()
        assert feed.is_closed
        assert not await feed.more()
