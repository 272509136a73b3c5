"""The queue: what the log lacks, in an unrevealing order; void matches again."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from unittest.mock import Mock

import pytest

from pips_tourney.engines import match_queue as feed_module
from pips_tourney.engines import sittings as sittings_module
from pips_tourney.engines.match_queue import MOST_VOIDS, REPORTED_VOIDS, MatchQueue
from pips_tourney.engines.sittings import FIRST_DEALS, Sitting
from pips_tourney.league.read import read_league
from pips_tourney.night.plan.fixtures import Fixture, fixtures
from pips_tourney.night.plan.from_league import make_programme
from pips_tourney.secret import Secret
from tests.pips_tourney.in_process import write_league

SECRET = Secret(bytes(32))


@pytest.fixture
def schedule(tmp_path: Path) -> list[Fixture]:
    return list(fixtures(make_programme(read_league(write_league(tmp_path, "ada", "bo", "cy", deals=8)))))


def none_stored(ids: Sequence[str]) -> set[str]:
    return set()


def taken(feed: MatchQueue) -> list[Fixture]:
    return list(iter(feed.take, None))


def test_all_matches_come_once_in_an_order_of_the_secret_s(schedule: list[Fixture]) -> None:
    one, again = (taken(MatchQueue(iter(schedule), none_stored, SECRET)) for _ in range(2))
    other = taken(MatchQueue(iter(schedule), none_stored, Secret(b"x" * 32)))
    assert one == again
    assert one != schedule
    assert one != other
    assert sorted(one, key=schedule.index) == sorted(other, key=schedule.index) == schedule


def test_what_is_stored_is_not_played_again(schedule: list[Fixture]) -> None:
    stored = {fixture.match_id for fixture in schedule[::3]}
    feed = MatchQueue(iter(schedule), stored.intersection, SECRET)
    assert {fixture.match_id for fixture in taken(feed)} == {fixture.match_id for fixture in schedule} - stored


def test_of_deals_that_are_over_nothing_is_remembered(schedule: list[Fixture], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed_module, "WINDOW", 6)
    feed, most = MatchQueue(iter(schedule), none_stored, SECRET, apart=True), 0
    while under_way := [fixture for arena in (0, 1) if (fixture := feed.take(arena)) is not None]:
        for fixture in under_way:
            feed.played(fixture)
        most = max(most, len(feed._begun))
    assert len({fixture.block for fixture in schedule}) == 24
    assert most <= 9, "those of two windows, and of what is under way"


def test_the_schedule_is_read_a_window_at_a_time(schedule: list[Fixture], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed_module, "WINDOW", 12)
    read: list[Fixture] = []

    def reading() -> Iterator[Fixture]:
        for fixture in schedule:
            read.append(fixture)
            yield fixture

    feed = MatchQueue(reading(), none_stored, SECRET)
    first = [fixture for _ in range(12) if (fixture := feed.take()) is not None]
    assert read == schedule[:12]
    assert sorted(first, key=read.index) == read
    assert len(taken(feed)) == len(schedule) - 12


def test_a_void_match_comes_again_is_reported_after_three_times_and_given_up_after_ten(schedule: list[Fixture]) -> None:
    feed = MatchQueue(iter(schedule), none_stored, SECRET)
    first = feed.take()
    assert first is not None
    for times in range(1, MOST_VOIDS):
        feed.put_back(first)
        assert feed.spoilt() == [first.match_id] * (times >= REPORTED_VOIDS)
        assert taken(feed)[-1] == first
    feed.put_back(first)
    assert taken(feed) == []
    assert feed.given_up == [first]


def test_a_void_match_comes_again_even_at_the_very_end(schedule: list[Fixture]) -> None:
    feed = MatchQueue(iter(schedule), none_stored, SECRET)
    last = taken(feed)[-1]
    assert feed.take() is None
    feed.put_back(last)
    assert feed.take() == last
    assert feed.take() is None


def sittings_of(fixtures: Sequence[Fixture], *, apart: bool) -> list[Sitting]:
    ordered = sorted(fixtures, key=lambda fixture: SECRET.play_order(fixture.match_id))
    return feed_module._sittings(ordered, SECRET, apart=apart)


async def test_it_is_settled_when_what_was_given_out_is_stored_or_void(schedule: list[Fixture]) -> None:
    feed = MatchQueue(iter(schedule), none_stored, SECRET)
    await feed.settled()
    one, other = feed.take(), feed.take()
    assert one is not None and other is not None
    settled = asyncio.create_task(feed.settled())
    feed.put_back(one)
    await asyncio.sleep(0)
    assert not settled.done()
    feed.are_stored([other.match_id])
    await settled


class TestArenasApart:
    """Windows of twelve matches, six of each rotation."""

    @pytest.fixture
    def feed(self, schedule: list[Fixture], monkeypatch: pytest.MonkeyPatch) -> MatchQueue:
        monkeypatch.setattr(feed_module, "WINDOW", 12)
        return MatchQueue(iter(schedule), none_stored, SECRET, apart=True)

    def test_each_has_a_rotation_of_its_own(self, feed: MatchQueue, schedule: list[Fixture]) -> None:
        both = [(feed.take(0), feed.take(1)) for _ in range(len(schedule) // 2)]
        assert [
            {fixture.rotation for fixture in arena if fixture is not None} for arena in zip(*both, strict=True)
        ] == [
            {0},
            {1},
        ]
        assert feed.take(0) is feed.take(1) is None

    def test_one_that_is_ahead_goes_on_with_its_rotation_in_the_next_window(
        self, feed: MatchQueue, schedule: list[Fixture]
    ) -> None:
        slow = feed.take(0)
        assert slow is not None
        ahead = [fixture for _ in range(12) if (fixture := feed.take(1)) is not None]
        assert {fixture.rotation for fixture in ahead} == {1}
        assert sorted(schedule.index(fixture) for fixture in ahead) == sorted(range(24)[1 - slow.rotation :: 2])[:12]

    def test_no_more_is_read_ahead_than_a_window(
        self, schedule: list[Fixture], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(feed_module, "WINDOW", 12)
        source = iter(schedule)
        feed = MatchQueue(source, none_stored, SECRET, apart=True)
        for arena in range(10):
            assert feed.take(arena) is not None
        assert len(schedule) - len(list(source)) == 24

    def test_at_the_end_an_arena_helps_with_the_longest_sitting(self, schedule: list[Fixture]) -> None:
        feed = MatchQueue(iter(schedule), none_stored, SECRET, apart=True)
        first = feed.take(1)
        assert first is not None
        assert sorted([first, *taken(feed)], key=schedule.index) == schedule

    def test_for_little_that_is_left_no_bots_are_started(self, schedule: list[Fixture]) -> None:
        now = iter([1.0, 10.0, 100.0])
        feed = MatchQueue(iter(schedule), none_stored, SECRET, apart=True, clock=now.__next__)
        taken = [feed.take(arena) for arena in [0] * 24 + [1] * 22]
        for fixture in taken:
            assert fixture is not None
            feed.played(fixture)
        assert feed.take(0) is None  # two matches at a fifth of a second each
        help_with = feed.take(0)  # at two seconds each
        assert help_with is not None
        last = feed.take(1)
        assert last is not None
        assert sorted([*filter(None, taken), help_with, last], key=schedule.index) == schedule

    def test_when_time_is_up_only_what_was_begun_is_ended(self, feed: MatchQueue) -> None:
        """Deals of two windows are completed."""
        begun = [fixture for arena in (0, 1, 2, 1) if (fixture := feed.take(arena)) is not None]
        feed.finish()
        rest = taken(feed)
        deals = {fixture.block for fixture in begun}
        assert {fixture.block for fixture in rest} <= deals
        assert len(begun) + len(rest) == 2 * len(deals)


class TestMoreBotsThanAnArenaKeepsAlive:
    """Six bots of two rotations each; an arena keeps four processes."""

    @pytest.fixture
    def many(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Fixture]:
        monkeypatch.setattr(feed_module, "MOST_ALIVE", 4)
        monkeypatch.setattr(sittings_module, "FIRST_DEALS", 0)
        return list(fixtures(make_programme(read_league(write_league(tmp_path, *"abcdef", deals=4)))))

    def test_a_sitting_is_of_few_processes_and_in_the_secret_s_order(self, many: list[Fixture]) -> None:
        order = taken(MatchQueue(iter(many), none_stored, SECRET))
        assert sorted(order, key=many.index) == many
        sittings = sittings_of(many, apart=False)
        assert [fixture for sitting in sittings for fixture in sitting.fixtures] == order
        assert len(sittings) == 2 * 6  # rotations, and three sides of two bots with each other and themselves
        for sitting in sittings:
            assert len({process for fixture in sitting.fixtures for process in fixture.processes}) <= 4

    def test_arenas_sit_apart_until_one_has_nothing_left(self, many: list[Fixture]) -> None:
        feed = MatchQueue(iter(many), none_stored, SECRET)
        sittings = sittings_of(many, apart=False)
        (first, *_), (second, *_) = ([part for part in sittings if part.name[0] == rotation] for rotation in (0, 1))
        both = [(feed.take(0), feed.take(1)) for _ in range(4)]
        assert [fixture for fixture, _ in both] == list(first.fixtures)[:4]
        assert [fixture for _, fixture in both] == list(second.fixtures)[:4]
        rest = [*iter(lambda: feed.take(0), None)]
        assert len(rest) == len(many) - 8

    def test_a_window_is_longer_then(self, many: list[Fixture], monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(feed_module, "WINDOW", 30)
        monkeypatch.setattr(feed_module, "MATCHES_A_PROCESS", 5)
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
    @pytest.mark.parametrize("apart", [False, True])
    def test_a_newcomer_plays_whole_deals_before_the_bulk(
        self, eight: list[Fixture], monkeypatch: pytest.MonkeyPatch, most_alive: int, *, apart: bool
    ) -> None:
        monkeypatch.setattr(feed_module, "MOST_ALIVE", most_alive)
        old = {match.match_id for match in eight if "h" not in match.seating and match.deal.name < "deal00003"}
        feed = MatchQueue(iter(eight), old.intersection, SECRET, apart=apart)
        first = [match for _ in range(FIRST_DEALS) for arena in (0, 1) if (match := feed.take(arena)) is not None]
        assert all("h" in match.seating for match in first)
        assert len({match.block for match in first}) == FIRST_DEALS == len(first) / 2
        assert len(first) + len(taken(feed)) + len(old) == len(eight)

    def test_a_deal_that_lacks_a_rotation_is_none_of_them(self, eight: list[Fixture]) -> None:
        half = {match.match_id for match in eight if "h" in match.seating and match.rotation == 0}
        old = half | {match.match_id for match in eight if "h" not in match.seating and match.deal.name < "deal00003"}
        feed = MatchQueue(iter(eight), old.intersection, SECRET)
        first = [match for _ in range(FIRST_DEALS) if (match := feed.take()) is not None]
        assert {match.rotation for match in first if "h" in match.seating} == {1}
        assert all("h" in match.seating for match in first)

    def test_all_have_played_soon_whatever_their_names(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(feed_module, "MOST_ALIVE", 4)
        league = write_league(tmp_path, *(f"b{number:02}" for number in range(16)), deals=20)
        every = list(fixtures(make_programme(read_league(league))))
        order = taken(MatchQueue(iter(every), none_stored, SECRET))
        firsts = {bot: at for at, match in reversed(list(enumerate(order))) for bot in match.seating}
        assert max(firsts.values()) < len(every) / 20
        sides = sittings_of(every, apart=False)[0].fixtures
        assert {bot for match in sides for bot in match.seating} != {"b00", "b01"}, "drawn, not by name"


def test_an_arena_goes_on_where_it_has_the_processes(schedule: list[Fixture], monkeypatch: pytest.MonkeyPatch) -> None:
    """However little is left there, and however many arenas play it: nothing starts."""
    monkeypatch.setattr(feed_module, "WINDOW", 10)
    feed = MatchQueue(iter(schedule), none_stored, Secret(bytes(32)), apart=True, clock=lambda: 0.0)
    at = {arena: fixture for arena in range(6) if (fixture := feed.take(arena)) is not None}
    assert len(at) == 6
    left = [fixture for fixture in schedule if fixture not in at.values()]
    for fixture in at.values():
        feed.played(fixture)
    while at:
        for arena, last in list(at.items()):
            fixture = feed.take(arena)
            if fixture is None:
                assert last.rotation not in [other.rotation for other in left]
                del at[arena]
            else:
                left.remove(fixture)
                at[arena] = fixture
    assert not left


class TestSharesOfTheTables:
    """Eight bots at nine tables: three are a third."""

    @pytest.fixture
    def eight(self, tmp_path: Path) -> list[Fixture]:
        return list(fixtures(make_programme(read_league(write_league(tmp_path, *"abcdefgh", deals=4)))))

    def play(self, feed: MatchQueue, slow: str, tables: int = 9) -> tuple[list[Fixture], list[int]]:
        """Play all; a table of the slow bot ends when no other is left."""
        under_way: list[Fixture] = []
        order: list[Fixture] = []
        seated: list[int] = []
        while True:
            while len(under_way) < tables and (fixture := feed.take()) is not None:
                under_way.append(fixture)
                order.append(fixture)
            if not under_way:
                return order, seated
            seated.append(sum(slow in fixture.seating for fixture in under_way))
            ended = next((fixture for fixture in under_way if slow not in fixture.seating), under_way[0])
            under_way.remove(ended)
            feed.played(ended)
            feed.are_stored([ended.match_id])

    def test_a_slow_bot_holds_up_a_third_while_others_play(self, eight: list[Fixture]) -> None:
        order, seated = self.play(MatchQueue(iter(eight), none_stored, SECRET), "a")
        assert sorted(order, key=eight.index) == eight
        others = sum("a" not in fixture.seating for fixture in eight)

        assert max(seated[: others * 3 // 4]) == 3, "more only when the rest is nearly over"

    def test_a_bot_sits_at_no_more_tables_than_faults_take_it_out(self, eight: list[Fixture]) -> None:
        feed = MatchQueue(iter(eight), none_stored, SECRET)
        feed.doubts.most = 2
        under_way: list[Fixture] = []
        seated: Counter[str] = Counter()
        while fixture := feed.take():
            under_way.append(fixture)
            seated.update(fixture.seating)
        assert set(seated.values()) == {2}, "as many as end it, before anybody has played"
        first = next(fixture for fixture in under_way if "a" in fixture.seating)
        over = [first, *(fixture for fixture in under_way if "a" not in fixture.seating)]
        for fixture in over:
            feed.played(fixture, {"a"}.intersection(fixture.seating))
        more = taken(feed)
        assert more and not any("a" in fixture.seating for fixture in more), "its next fault may be the last"
        assert len(under_way) + len(more) < len(eight), "the rest waits"
        left = [fixture for fixture in under_way if fixture not in over] + more
        order = [*over, *left]
        while left:
            feed.played(left.pop(0))
            order += (new := taken(feed))
            left += new
        assert sorted(order, key=eight.index) == eight, "nothing is lost"

    def test_what_proves_a_withdrawal_is_played_at_once_and_nothing_else_of_that_bot(
        self, eight: list[Fixture]
    ) -> None:
        of_a = [fixture for fixture in eight if "a" in fixture.seating]
        feed = MatchQueue(iter(eight), none_stored, SECRET, Mock(drops=lambda _: False, gates=lambda: 0))
        feed.doubts.most = 2
        order: list[Fixture] = []
        while len(order) < len(eight) - len(of_a) + 4:
            fixture = feed.take()
            assert fixture is not None
            order.append(fixture)
            feed.played(fixture, {"a"}.intersection(fixture.seating))
            feed.are_stored([fixture.match_id])
        played = [fixture for fixture in order if "a" in fixture.seating]
        assert len(played) <= 4, "two faults, and at most two that are earlier in the schedule"
        assert all(fixture in played for fixture in of_a[:2])
        assert all("a" not in fixture.seating for fixture in order[-len(eight) // 3 :]), "none at the end"

    def test_where_few_play_each_sits_where_it_may(self, schedule: list[Fixture]) -> None:
        order, _ = self.play(MatchQueue(iter(schedule), none_stored, SECRET), "ada")
        alone = taken(MatchQueue(iter(schedule), none_stored, SECRET))
        assert order == alone

    def test_what_waits_has_its_turn_put_off_for_faults_and_absence_too(self, eight: list[Fixture]) -> None:
        feed = MatchQueue(iter(eight), none_stored, SECRET)
        away = False
        feed.is_away = lambda fixture: away and "a" in fixture.seating
        first = [fixture for _ in range(9) if (fixture := feed.take()) is not None]
        for fixture in first:
            if "a" not in fixture.seating:
                feed.played(fixture)
        away = True
        rest = [fixture for _ in range(20) if (fixture := feed.take()) is not None]
        assert not any("a" in fixture.seating for fixture in rest)

    def test_the_end_completes_what_waits_of_deals_that_were_begun(self, eight: list[Fixture]) -> None:
        feed = MatchQueue(iter(eight), none_stored, SECRET)
        begun = [fixture for _ in range(9) if (fixture := feed.take()) is not None]
        for fixture in begun:
            if "a" not in fixture.seating:
                feed.played(fixture)
        begun += [fixture for _ in range(20) if (fixture := feed.take()) is not None]
        feed.finish()
        deals = {fixture.block for fixture in begun}
        rest = taken(feed)
        assert {fixture.block for fixture in rest} <= deals
        assert len(begun) + len(rest) == 2 * len(deals)
