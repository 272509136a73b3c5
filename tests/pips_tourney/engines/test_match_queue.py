"""The queue: what the log lacks, in an unrevealing order; void matches again."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from heapq import heappop, heappush
from itertools import chain, count
from pathlib import Path
from unittest.mock import Mock

import pytest

from pips_tourney.engines import match_queue as feed_module
from pips_tourney.engines import schedule as schedule_module
from pips_tourney.engines.doubts import Doubts
from pips_tourney.engines.match_queue import MOST_VOIDS, REPORTED_VOIDS, MatchQueue
from pips_tourney.league.read import read_league
from pips_tourney.night.plan.fixtures import Fixture, fixtures
from pips_tourney.night.plan.from_league import make_programme
from pips_tourney.ratings.result import FEWEST_DEALS
from pips_tourney.secret import Secret
from tests.pips_tourney.in_process import write_league

SECRET = Secret(bytes(32))
TWO_GAMES = """
name = "Test night"
games = ["serpent", "wichita"]
deals = { count = 4 }
bots = [{ name = "ada", sample = "random" }, { name = "bo", sample = "random" }]
"""


@pytest.fixture
def schedule(tmp_path: Path) -> list[Fixture]:
    return list(fixtures(make_programme(read_league(write_league(tmp_path, "ada", "bo", "cy", deals=8)))))


@pytest.fixture
def eight(tmp_path: Path) -> list[Fixture]:
    return list(fixtures(make_programme(read_league(write_league(tmp_path, *"abcdefgh", deals=4)))))


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
    monkeypatch.setattr(schedule_module, "WINDOW", 6)
    monkeypatch.setattr(feed_module, "AHEAD", 6)
    feed, most = MatchQueue(iter(schedule), none_stored, SECRET), 0
    while under_way := [fixture for arena in (0, 1) if (fixture := feed.take(arena)) is not None]:
        for fixture in under_way:
            feed.played(fixture)
        most = max(most, len(feed._begun))
    assert len({fixture.block for fixture in schedule}) == 24
    assert most <= 9, "those of two windows, and of what is under way"


def test_the_schedule_is_read_a_window_at_a_time(schedule: list[Fixture], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schedule_module, "WINDOW", 12)
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


class Clock:
    """A second passes with every match that is taken."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self.done: set[str] = set()

    def __call__(self) -> float:
        return self.now_s

    async def shifts(self, feed: MatchQueue, arenas: int = 2, faulty: str = "") -> AsyncIterator[list[Fixture]]:
        """Yield the matches of one shift after the other; all are played and stored."""
        for shift in count():
            if not await feed.begin(shift):
                return
            taken: list[Fixture] = []
            while under_way := [fixture for arena in range(arenas) if (fixture := feed.take(arena)) is not None]:
                for fixture in under_way:
                    self.now_s += 1
                    self.done.add(fixture.match_id)
                    feed.played(fixture, {faulty}.intersection(fixture.seating))
                    feed.are_stored([fixture.match_id])
                taken += under_way
            yield taken


class Hall:
    """Arenas of four tables, whose matches take simulated seconds.

    If it `stirs`, tables without a match ask again every second.
    """

    def __init__(self, length_s: Callable[[Fixture], float], faulty: str = "", *, stirs: bool = False) -> None:
        self.now_s, self.length_s, self._faulty, self._stirs = 0.0, length_s, faulty, stirs
        self.played: list[Fixture] = []
        self.begun_s: list[float] = []
        """By match in `played`, when it began."""
        self.done: set[str] = set()
        self.ended: list[tuple[float, Fixture]] = []
        """All matches that are over, and when each was."""

    def __call__(self) -> float:
        return self.now_s

    async def play(self, feed: MatchQueue, arenas: int = 2) -> None:
        """Play all, shift after shift."""
        for shift in count():
            if not await feed.begin(shift):
                return
            tables = [arena for arena in range(arenas) for _ in range(4)]
            under_way: list[tuple[float, int, int, Fixture]] = []
            while True:
                for arena in tables[:]:
                    if (fixture := feed.take(arena)) is not None:
                        tables.remove(arena)
                        heappush(under_way, (self.now_s + self.length_s(fixture), len(self.played), arena, fixture))
                        self.played.append(fixture)
                        self.begun_s.append(self.now_s)
                if not under_way:
                    break
                if self._stirs and under_way[0][0] > self.now_s + 1:
                    self.now_s += 1
                    continue
                self.now_s, _, arena, fixture = heappop(under_way)
                tables.append(arena)
                self.done.add(fixture.match_id)
                self.ended.append((self.now_s, fixture))
                feed.played(fixture, {self._faulty}.intersection(fixture.seating))
                feed.are_stored([fixture.match_id])


class TestShifts:
    """Shifts of twelve seconds: six new deals begin in each. A match takes a second."""

    @pytest.fixture
    def clock(self) -> Clock:
        return Clock()

    @pytest.fixture
    def feed(self, schedule: list[Fixture], monkeypatch: pytest.MonkeyPatch, clock: Clock) -> MatchQueue:
        monkeypatch.setattr(schedule_module, "WINDOW", 12)
        return MatchQueue(iter(schedule), none_stored, SECRET, shift_s=12, clock=clock)

    async def test_all_arenas_play_one_rotation_and_fresh_processes_the_other(
        self, feed: MatchQueue, schedule: list[Fixture], clock: Clock
    ) -> None:
        shifts = [shift async for shift in clock.shifts(feed)]
        assert [{fixture.rotation for fixture in shift} for shift in shifts] == [{0}, {1}, {0}, {1}, {0}]
        assert [len(shift) for shift in shifts] == [6, 12, 12, 12, 6]
        assert sorted(chain(*shifts), key=schedule.index) == schedule

    async def test_a_shift_first_ends_deals_that_were_begun(self, feed: MatchQueue, clock: Clock) -> None:
        first, second, third, *_ = [shift async for shift in clock.shifts(feed)]
        assert {fixture.block for fixture in second[:6]} == {fixture.block for fixture in first}
        assert {fixture.block for fixture in third[:6]} == {fixture.block for fixture in second[6:]}

    async def test_deals_that_are_played_once_need_one_shift(self, tmp_path: Path, clock: Clock) -> None:
        league = write_league(tmp_path, "ada", "bo", "cy", deals=8, more="duplicate = false")
        once = list(fixtures(make_programme(read_league(league))))
        [shift] = [shift async for shift in clock.shifts(MatchQueue(iter(once), none_stored, SECRET, shift_s=12))]
        assert {fixture.rotation for fixture in shift} == {0, 1}
        assert sorted(shift, key=once.index) == once

    async def test_a_night_goes_on_with_the_rotation_that_deals_lack(
        self, schedule: list[Fixture], clock: Clock
    ) -> None:
        stored = {fixture.match_id for fixture in schedule if fixture.rotation == 0}
        feed = MatchQueue(iter(schedule), stored.intersection, SECRET, shift_s=12, clock=clock)
        first, rest = [shift async for shift in clock.shifts(feed)]
        assert {fixture.rotation for fixture in [*first, *rest]} == {1}
        assert len(first) + len(rest) == len(schedule) / 2, "nothing else waits, so the second has no end"

    @pytest.mark.parametrize("shift_s", [12, None])
    async def test_a_night_goes_on_after_windows_in_which_nothing_is_left(
        self, schedule: list[Fixture], monkeypatch: pytest.MonkeyPatch, clock: Clock, shift_s: float | None
    ) -> None:
        """They have results, or need none; only then there is something to play."""
        monkeypatch.setattr(schedule_module, "WINDOW", 6)
        stored, left = {fixture.match_id for fixture in schedule[:24]}, schedule[-6:]
        lookout = Mock(gates=lambda: 0, drops=schedule[24:-6].__contains__)
        feed = MatchQueue(iter(schedule), stored.intersection, SECRET, lookout, shift_s=shift_s, clock=clock)
        played = [fixture async for shift in clock.shifts(feed) for fixture in shift]
        assert sorted(played, key=schedule.index) == left

    async def test_deals_become_whole_though_every_run_has_one_shift(
        self, schedule: list[Fixture], clock: Clock
    ) -> None:
        """As at a place where one newcomer after the other ends a run."""
        for _ in range(2):
            feed = MatchQueue(iter(schedule), clock.done.intersection, SECRET, shift_s=12, clock=clock)
            async for _ in clock.shifts(feed):
                feed.close()
        played = Counter(fixture.block for fixture in schedule if fixture.match_id in clock.done)
        assert [*played.values()].count(2) == 6

    async def test_a_void_match_comes_again_in_a_shift_of_its_rotation(
        self, feed: MatchQueue, schedule: list[Fixture], clock: Clock
    ) -> None:
        void = feed.take()
        assert void is not None
        clock.now_s += 20  # no new deal begins any more
        feed.put_back(void)
        played = [shift async for shift in clock.shifts(feed)]
        assert [{fixture.rotation for fixture in shift} for shift in played[:3]] == [set(), {1}, {0}]
        assert void in played[2]
        assert sorted(chain(*played), key=schedule.index) == schedule

    async def test_a_newcomer_has_whole_deals_after_two_shifts_without_others(
        self, tmp_path: Path, clock: Clock
    ) -> None:
        """Others' deals that lack a rotation wait, too."""
        every = list(fixtures(make_programme(read_league(write_league(tmp_path, *"abcdefgh", deals=4)))))
        old = {match.match_id for match in every if "h" not in match.seating and match.rotation == 0}
        whole = {match.match_id for match in every if "h" not in match.seating and match.deal.name < "deal00003"}
        feed = MatchQueue(iter(every), (old | whole).intersection, SECRET, shift_s=12, clock=clock)
        first, second, *rest = [(feed.is_for_first, shift) async for shift in clock.shifts(feed)]
        for is_for_first, shift in (first, second):
            assert is_for_first and len(shift) == FEWEST_DEALS and all("h" in match.seating for match in shift)
        assert {match.block for match in first[1]} == {match.block for match in second[1]}
        assert not any(is_for_first for is_for_first, _ in rest)
        assert sum(len(shift) for _, shift in (first, second, *rest)) == len(every) - len(old | whole)

    @pytest.mark.parametrize("slow_s", [20.0, 120.0])
    @pytest.mark.parametrize("most_faults", [None, 3])
    async def test_a_slow_newcomer_keeps_no_table_empty_for_long(
        self, tmp_path: Path, most_faults: int | None, slow_s: float
    ) -> None:
        """Its answers take nearly all the time they may, so no fault takes it out."""
        every = list(fixtures(make_programme(read_league(write_league(tmp_path, *"abcdefgh", deals=8)))))
        old = {match.match_id for match in every if "h" not in match.seating and match.deal.name < "deal00005"}
        hall = Hall(lambda fixture: slow_s if "h" in fixture.seating else 0.2, stirs=True)
        feed = MatchQueue(iter(every), old.intersection, SECRET, shift_s=12, clock=hall)
        feed.doubts.most = most_faults
        await hall.play(feed)
        assert sorted(hall.played, key=every.index) == [match for match in every if match.match_id not in old]
        others = [at for at, match in enumerate(hall.played) if "h" not in match.seating]
        assert hall.begun_s[others[0]] <= slow_s + 5, "a third of a shift after the first table is empty"
        assert len({match.rotation for match in hall.played[: others[0]]}) == 1

    @pytest.mark.parametrize("slow_s", [1.0, 3.0])
    async def test_a_slow_bot_begins_no_deal_late_in_a_shift(self, tmp_path: Path, slow_s: float) -> None:
        """All arenas would wait for it: the tables would stand empty for longer."""
        every = list(fixtures(make_programme(read_league(write_league(tmp_path, *"abcdefgh", deals=20)))))
        hall = Hall(lambda fixture: slow_s if "a" in fixture.seating else 0.2)
        await hall.play(MatchQueue(iter(every), none_stored, SECRET, shift_s=12, clock=hall))
        assert sorted(hall.played, key=every.index) == every
        assert hall.now_s < 1.05 * sum(map(hall.length_s, every)) / 8

    async def test_others_play_at_their_pace_while_long_matches_hold_a_shift(self, tmp_path: Path) -> None:
        """At all tables but one of each arena, which is all that a slow bot takes."""
        every = list(fixtures(make_programme(read_league(write_league(tmp_path, *"abcdefgh", deals=80)))))
        hall = Hall(lambda fixture: 60.0 if "a" in fixture.seating else 0.2, stirs=True)
        await hall.play(MatchQueue(iter(every), none_stored, SECRET, shift_s=12, clock=hall))
        assert sorted(hall.played, key=every.index) == every
        soon = Counter("a" in fixture.seating for at, fixture in hall.ended if at <= 100)
        assert soon[False] > 100 / 0.2 * 8 * 0.5, "in the first minute it has half of the few tables"
        assert soon[True] <= 6, "two in each arena at first, then one"

    async def test_a_newcomer_waits_only_for_long_matches_while_others_play(self, eight: list[Fixture]) -> None:
        """The queue is wound up, and closed when nothing holds it any more."""
        hall = Clock()
        feed = MatchQueue(iter(eight), none_stored, SECRET, shift_s=12, clock=hall)
        first = [fixture for _ in range(4) if (fixture := feed.take()) is not None]
        hall.now_s = 0.2
        for fixture in first[1:]:
            feed.played(fixture)
        feed.time.wind_up()
        assert not feed.time.is_held, "the last one is as quick as others so far"
        hall.now_s = 5.0
        assert feed.time.is_held
        others = [fixture for _ in range(3) if (fixture := feed.take()) is not None]
        assert others and all(first[0].seating[0] not in fixture.seating for fixture in others)
        hall.now_s = 9.0
        feed.played(first[0])
        assert not feed.time.is_held and feed.take() is None

    @pytest.mark.parametrize("secret", [SECRET, Secret(b"x" * 32), Secret(b"y" * 32)])
    async def test_long_matches_of_deals_that_were_begun_come_first(self, tmp_path: Path, secret: Secret) -> None:
        every = list(fixtures(make_programme(read_league(write_league(tmp_path, *"abcdefgh", deals=20)))))
        hall = Hall(lambda fixture: 2.0 if "a" in fixture.seating else 0.5)
        await hall.play(MatchQueue(iter(every), none_stored, secret, shift_s=12, clock=hall), arenas=1)
        second = [fixture for fixture in hall.played if fixture.rotation == 1]
        assert ["a" in fixture.seating for fixture in second[:2]] == [True, True], "its share of the tables"

    async def test_when_time_is_up_only_what_was_begun_is_ended(self, feed: MatchQueue, clock: Clock) -> None:
        begun = [fixture for arena in (0, 1, 0) if (fixture := feed.take(arena)) is not None]
        feed.finish()
        rest = [*chain(*[shift async for shift in clock.shifts(feed)])]
        assert {fixture.block for fixture in rest} == {fixture.block for fixture in begun}
        assert len(begun) == len(rest) == 3

    async def test_a_queue_that_is_closed_begins_no_shift_and_lets_this_one_end(self, feed: MatchQueue) -> None:
        assert feed.take() is not None
        feed.close()
        assert await feed.begin(0) and feed.take() is None and not await feed.more()
        assert not await feed.begin(1)

    async def test_a_withdrawal_is_proved_shift_by_shift(self, schedule: list[Fixture], clock: Clock) -> None:
        """A bot with enough faults plays little more than proves it."""
        of_ada = [fixture for fixture in schedule if "ada" in fixture.seating]
        early = {fixture.match_id for fixture in of_ada[:4]}
        out = Mock(gates=lambda: 0, drops=lambda match: match in of_ada[4:] and clock.done.issuperset(early))
        feed = MatchQueue(iter(schedule), none_stored, SECRET, out, shift_s=12, clock=clock)
        feed.doubts.most = 4
        shifts = [shift async for shift in clock.shifts(feed, faulty="ada")]
        assert all(len({fixture.rotation for fixture in shift}) == 1 for shift in shifts)
        played = [fixture for fixture in chain(*shifts) if "ada" in fixture.seating]
        assert all(fixture in played for fixture in of_ada[:4])
        assert len(played) <= 10 < len(of_ada)
        assert sum(map(len, shifts)) == len(schedule) - len(of_ada) + len(played)


@pytest.mark.parametrize("faulty", "aht")
async def test_a_bot_that_never_plays_well_is_out_after_little_more_faults_than_it_takes(
    tmp_path: Path, faulty: str
) -> None:
    every = list(fixtures(make_programme(read_league(write_league(tmp_path, *"abcdefghijklmnopqrst", deals=3)))))
    of_it = [fixture for fixture in every if faulty in fixture.seating]
    hall = Hall(lambda fixture: 1.0 if faulty in fixture.seating else 0.1, faulty)
    proof, third = {fixture.match_id for fixture in of_it[:3]}, of_it[2].block
    out = Mock(
        gates=lambda: 0,
        drops=lambda match: faulty in match.seating and match.block != third and hall.done.issuperset(proof),
    )
    feed = MatchQueue(iter(every), none_stored, SECRET, out, shift_s=30, clock=hall)
    feed.doubts.most = 3
    await hall.play(feed)
    played = [fixture for fixture in hall.played if faulty in fixture.seating]
    assert sorted(played, key=every.index) == of_it[:4], "three faults, and the rest of the last one's deal"
    assert len(hall.played) == len(every) - len(of_it) + 4


def test_a_night_that_goes_on_doubts_nobody_for_one_old_fault(schedule: list[Fixture]) -> None:
    doubts, match = Doubts(apart=True), schedule[0]
    doubts.most = 3
    doubts.know(match.seating, [match.seating[0]])
    assert doubts.concern(match) == [match.seating[0]], "nothing but faults"
    doubts.know(match.seating, [])
    assert doubts.concern(match) == []


async def test_who_was_in_doubt_and_plays_well_plays_on_as_others_do(tmp_path: Path) -> None:
    every = list(fixtures(make_programme(read_league(write_league(tmp_path, *"abcdefgh", deals=3)))))
    first = next(fixture.match_id for fixture in every if "h" in fixture.seating)
    hall = Hall(lambda _: 0.1, "h")
    feed = MatchQueue(iter(every), none_stored, SECRET, shift_s=30, clock=hall)
    feed.doubts.most = 3
    played = feed.played
    feed.played = lambda fixture, faulted=(): played(fixture, faulted if fixture.match_id == first else ())  # type: ignore[method-assign]
    await hall.play(feed)
    assert sorted(hall.played, key=every.index) == every
    ats = [at for at, fixture in enumerate(hall.played) if "h" in fixture.seating]
    assert ats[len(ats) // 4] < len(every) / 2, "not at the end"


def test_arenas_sit_apart_as_far_as_there_are_sittings(tmp_path: Path) -> None:
    """Each has the processes of a game, so no bot is started in both."""
    league = tmp_path / "night.toml"
    league.write_text(TWO_GAMES, encoding="utf-8")
    every = list(fixtures(make_programme(read_league(league))))
    feed = MatchQueue(iter(every), none_stored, SECRET, shift_s=30, clock=lambda: 0.0)
    games = [{match.contest.game for _ in range(4) if (match := feed.take(arena)) is not None} for arena in (0, 1)]
    assert games == [{"serpent"}, {"wichita"}]


def test_no_more_is_read_ahead_than_gives_an_arena_a_sitting(
    schedule: list[Fixture], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schedule_module, "WINDOW", 12)
    monkeypatch.setattr(feed_module, "AHEAD", 12)
    source = iter(schedule)
    feed = MatchQueue(source, none_stored, SECRET, shift_s=30)
    for arena in range(3):
        assert feed.take(arena) is not None
    assert len(schedule) - len(list(source)) == 36, "twelve or more of this rotation"


def test_for_little_that_is_left_no_bots_are_started(schedule: list[Fixture]) -> None:
    clock = Clock()
    feed = MatchQueue(iter(schedule), none_stored, SECRET, shift_s=1000, clock=clock)
    for _ in range(22):
        fixture = feed.take(0)
        assert fixture is not None
        clock.now_s += 0.2
        feed.played(fixture)
    assert feed.take(1) is None  # two matches at a fifth of a second each
    clock.now_s = 100
    assert feed.take(1) is not None  # at four seconds each


class TestSharesOfTheTables:
    """Eight bots at nine tables: three are a third."""

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

    async def test_who_finds_all_at_their_tables_waits_for_one_of_them(self, eight: list[Fixture]) -> None:
        feed = MatchQueue(iter(eight), none_stored, SECRET)
        feed.doubts.most = 1
        under_way = taken(feed)
        assert len(under_way) < len(eight)
        waiting = asyncio.create_task(feed.more())
        await asyncio.sleep(0)
        assert not waiting.done()
        feed.played(under_way[0])
        assert await waiting
        assert feed.take() is not None, "each match without a fault is a table more"

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
