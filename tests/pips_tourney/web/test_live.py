"""What spectators are informed of, and what it costs.

Nothing while nobody looks. Standings no oftener than they are worth.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from pathlib import Path
from random import Random
from threading import Event
from typing import Any
from unittest.mock import Mock

import pytest

from pips_tourney.night.director import office
from pips_tourney.night.log.store import Store, StoreError, open_store, read_store
from pips_tourney.night.night import Night, ScheduleStep, last_night
from pips_tourney.night.plan import live_schedule
from pips_tourney.night.plan.live_schedule import LiveSchedule
from pips_tourney.night.table.standings import fold_night, standings
from pips_tourney.night.table.standings_json import as_json
from pips_tourney.ratings.result import FEWEST_DEALS
from pips_tourney.web import archive as archive_module
from pips_tourney.web.archive import Archive
from pips_tourney.web.live import crowd as crowd_module
from pips_tourney.web.live import updates as live_module
from pips_tourney.web.live.crowd import Crowd
from pips_tourney.web.live.tables import Tables
from pips_tourney.web.live.updates import Live, Watch
from tests.patience import until
from tests.pips_tourney.web.nights import FOUR, all_rows, faulty_night, play_on, small_night

pytestmark = pytest.mark.unmeasured  # other tests reach these lines


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def told(watch: Watch, *, at_once: bool = False) -> dict[str, Any]:
    return {name: json.loads(data) for name, data in watch.look(at_once=at_once)}


def test_a_watch_tells_matches_at_once_and_standings_when_they_are_due(tmp_path: Path) -> None:
    path, clock = small_night(tmp_path, played=12), Clock()
    watch = Watch(path, clock)
    assert json.loads(watch.night)["played"] == 12
    assert told(watch) == {}
    with open_store(path) as store:
        play_on(store, 12, 14)
        news = told(watch)
        assert [row[0] for row in news["matches"]] == [13, 14]
        assert news["progress"]["played"] == 14
        assert "night" not in news
        clock.now += 60
        assert told(watch)["night"]["played"] == 14
        clock.now += 60
        assert told(watch) == {}
        play_on(store, 14, 15)
        assert told(watch, at_once=True)["night"]["played"] == 15
    watch.close()


def test_standings_follow_within_seconds_and_take_no_more_of_a_core_than_their_share(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, clock = small_night(tmp_path, played=20), Clock()  # all have a first rating
    cost = 0.0
    ticks = iter(lambda: cost, None)
    spent = [0.0]

    def thread_time() -> float:
        spent[0] += next(ticks)
        return spent[0]

    monkeypatch.setattr(live_module, "thread_time", thread_time)
    watch = Watch(path, clock)
    with open_store(path) as store:
        play_on(store, 20, 21)
        clock.now += live_module.FRESH_S - 0.1
        assert "night" not in told(watch)
        clock.now += 0.1
        cost = 1.0  # from here on every fold costs a second
        assert told(watch)["night"]["played"] == 21
        play_on(store, 21, 22)
        clock.now += 1 / live_module.SHARE - 0.1
        assert "night" not in told(watch)
        clock.now += 0.1
        assert told(watch)["night"]["played"] == 22
    assert live_module.FRESH_S + max(live_module.LOOK_S - 0.5, crowd_module.SLOWEST_S - live_module.FRESH_S) <= 5
    watch.close()


def test_a_first_rating_is_shown_at_once_and_bounded_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = small_night(tmp_path, played=0, deals=10, games='["wichita"]')
    clock, spent = Clock(), iter(range(1000))
    with read_store(path) as store:
        schedule = [*last_night(store).fixtures()]
    whole = {match.block: (at, match.combination) for at, match in enumerate(schedule)}.values()
    enough = [[at for at, bots in whole if bot in bots][FEWEST_DEALS - 1] for bot in FOUR[:3]]
    last = max(enough)
    assert min(enough) < last
    monkeypatch.setattr(live_module, "thread_time", lambda: next(spent))  # every fold takes a second
    watch = Watch(path, clock)
    with open_store(path) as store:
        play_on(store, 0, last)
        clock.now += 1 / live_module.FIRST_SHARE
        assert "night" in told(watch)
        play_on(store, last, last + 1)
        assert "night" not in told(watch), "all but the last bots have one, and that waits"
        clock.now += 1 / live_module.FIRST_SHARE
        assert told(watch)["night"]["played"] == last + 1
        play_on(store, last + 1, last + 3)
        clock.now += 1 / live_module.FIRST_SHARE
        assert "night" not in told(watch), "all have one"
    watch.close()


async def test_a_question_is_answered_amid_a_look(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a night of 36 bots a look takes a second, and all pages would wait for it."""
    path, answered = small_night(tmp_path, played=12), Event()
    monkeypatch.setattr(archive_module, "OFTEN", 1)
    live = Live(path)
    await live.open()

    def amid(night: Night, each: Callable[[ScheduleStep], object]) -> LiveSchedule:
        def until_asked(step: ScheduleStep) -> None:
            until(lambda: answered.is_set() or bool(live._questions), "nobody asks")
            each(step)

        return fold_night(night, until_asked)

    monkeypatch.setattr(archive_module, "fold_night", amid)
    with open_store(path) as store:
        play_on(store, 12, 14)
    live.watch._next_fold = 0.0
    looking = asyncio.create_task(live.freshen(now=True))
    await asyncio.sleep(0)  # it begins
    monkeypatch.setattr(live_module, "OLD_S", 0.0)
    await live.freshen()  # results were read, and nobody waits for standings
    assert await live.ask(lambda: len(live.watch.archive.played)) == 14
    assert not looking.done()
    answered.set()
    await looking
    live.close()


async def test_many_who_ask_at_once_wait_for_one_look(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    live, looks, clock = Live(small_night(tmp_path, played=12)), list[bool](), Clock()

    async def look(**_: bool) -> None:
        looks.append(True)
        await asyncio.sleep(0)
        live._read_s = clock.now
        live._read.set()

    monkeypatch.setattr(live, "look", look)
    monkeypatch.setattr(live_module, "monotonic", clock)
    await asyncio.gather(*(live.freshen() for _ in range(9)))
    assert len(looks) == 1, "the first of all"
    await live.freshen()
    assert len(looks) == 1, "it is not due"
    await asyncio.gather(live.freshen(now=True), live.freshen())
    assert len(looks) == 2
    clock.now += live_module.LOOK_S
    await live.freshen()
    assert len(looks) == 2, "it is due, but nobody waits for it"
    await asyncio.sleep(0)
    assert len(looks) == 3
    await live.freshen(now=True)
    clock.now += live_module.OLD_S + 0.1
    await live.freshen()
    assert len(looks) == 5 and live._read_s == clock.now, "nobody is told what is old"


def test_questions_amid_a_look_cost_the_standings_no_share(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spent, clock = [0.0], Clock()

    def answer() -> None:
        spent[0] += 10.0

    monkeypatch.setattr(archive_module, "OFTEN", 1)
    monkeypatch.setattr(live_module, "thread_time", lambda: spent[0])
    watch = Watch(small_night(tmp_path, played=12), clock, breathe=answer)
    assert spent[0] > 100 and watch._next_fold == clock.now + live_module.FRESH_S
    watch.close()


def test_standings_make_no_match_again_and_a_bot_that_joins_reads_nothing_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pages wait meanwhile: a night of 36 bots has 63,000 matches."""
    path = small_night(tmp_path, played=12)
    watch = Watch(path)
    monkeypatch.setattr(Archive, "_begin", Mock(side_effect=AssertionError))
    monkeypatch.setattr(live_schedule, "fixtures_of", Mock(side_effect=AssertionError))
    with office(path) as at:
        at.add({"name": "late", "sample": "random"}, tmp_path)
    with open_store(path) as store:
        play_on(store, 12, 14)
    assert told(watch, at_once=True)["night"]["played"] == 14
    watch.close()


def test_who_opens_the_page_first_sees_the_night_of_now(tmp_path: Path) -> None:
    path, clock = small_night(tmp_path, played=6), Clock()
    watch = Watch(path, clock)
    with open_store(path) as store:
        play_on(store, 6, 30)
        clock.now += 58  # and nobody looked
        watch.look()
    assert json.loads(watch.night)["played"] == 30
    watch.close()


def without_time(night: str) -> dict[str, Any]:
    return {name: part for name, part in json.loads(night).items() if name != "made"}


@pytest.mark.parametrize("max_faults", [None, 2])
def test_standings_that_grow_are_those_of_a_walk_whatever_the_order_of_the_results(
    tmp_path: Path, max_faults: int | None
) -> None:
    path, luck = faulty_night(tmp_path, max_faults=max_faults), Random(7)
    with open_store(path) as store:
        rows = [*all_rows(store)]
        luck.shuffle(rows)
        watch = Watch(path, Clock())
        while rows:
            some, rows = rows[:9], rows[9:]
            store.add(some)
            watch.look(at_once=True)
            fresh = Watch(path, Clock())
            assert without_time(watch.night) == without_time(fresh.night)
            with read_store(path) as read:
                walked = as_json(standings(last_night(read)))
            shown = json.loads(watch.night)
            assert [table["rows"] for table in walked["tables"]] == [
                [{name: row[name] for name in before} for row, before in zip(table["rows"], told["rows"], strict=True)]
                for table, told in zip(shown["tables"], walked["tables"], strict=True)
            ]
            fresh.close()
        watch.close()


def test_a_pause_is_told_with_its_reason_and_the_pace_begins_anew(tmp_path: Path) -> None:
    path, clock = small_night(tmp_path, played=12), Clock()
    with open_store(path) as store:
        watch = Watch(path, clock)
        assert watch.progress()["state"] == "playing"
        clock.now += 4
        play_on(store, 12, 20)
        told(watch)
        assert watch.progress()["left_s"] is not None
        with office(path) as at:
            at.pause("pizza")
        progress = told(watch)["progress"]
        assert (progress["state"], progress["paused"], progress["left_s"]) == ("paused", "pizza", None)
        clock.now += 600
        with office(path) as at:
            at.resume()
        progress = told(watch)["progress"]
        assert (progress["state"], progress["paused"], progress["left_s"]) == ("playing", None, None)
        clock.now += 2
        play_on(store, 20, 24)
        assert told(watch)["progress"]["per_s"] == 2.0
    assert told(watch)["progress"]["state"] == "stopped"
    watch.close()


def test_the_more_look_on_the_less_often_they_are_told() -> None:
    crowd, pauses = Crowd(), []
    for size in (1, 30, 1000):
        while len(crowd) < size:
            crowd.join()
        pauses.append(crowd.pause_s(live_module.LOOK_S))
    assert pauses == [live_module.LOOK_S, 30 * crowd_module.A_SPECTATOR_S, crowd_module.SLOWEST_S]
    assert sorted(set(pauses)) == pauses


def test_the_time_left_is_told_from_the_pace_of_the_last_minute(tmp_path: Path) -> None:
    path, clock = small_night(tmp_path, played=12), Clock()
    watch = Watch(path, clock)
    assert watch.progress()["left_s"] is None
    with open_store(path) as store:
        clock.now += 4
        play_on(store, 12, 20)
        told(watch)
        progress = watch.progress()
    assert (progress["per_s"], progress["left_s"]) == (2.0, (progress["scheduled"] - 20) / 2)
    assert sum(played for _, played, _ in progress["contests"]) == 20
    with office(path) as at:
        at.annul(next(iter(watch.archive.schedule)), "a power cut")
    clock.now += 2
    told(watch)
    assert watch.progress()["left_s"] is None, "what is left out is no pace"
    clock.now += 300
    told(watch)
    assert watch.progress()["left_s"] is None
    watch.close()


def test_another_night_in_the_same_file_is_read_anew(tmp_path: Path) -> None:
    path = small_night(tmp_path, played=6)
    watch = Watch(path, Clock())
    before = watch.progress()["scheduled"]
    small_night(tmp_path, played=6, deals=3)
    news = told(watch, at_once=True)
    assert 2 * news["progress"]["scheduled"] == 3 * before
    assert {row[0] for row in news["matches"]} >= {1}
    watch.close()


def names(news: bytes) -> list[str]:
    return re.findall(r"^event: (\w+)\r$", news.decode(), re.MULTILINE)


async def test_nobody_looks_so_nothing_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_module, "LOOK_S", 0.001)
    path = small_night(tmp_path, played=6)
    live, looks = Live(path), 0
    await live.open()
    look = live.watch.look

    def counted(**how: Any) -> list[tuple[str, str]]:
        nonlocal looks
        looks += 1
        return look(**how)

    monkeypatch.setattr(live.watch, "look", counted)
    looking = asyncio.create_task(live.keep_looking())
    for _ in range(20):
        await asyncio.sleep(0)
    assert looks == 0
    spectator = live.spectate()
    assert names(await anext(spectator)) == ["progress", "night"]
    with open_store(path) as store:
        play_on(store, 6, 7)
    news = b""
    while "matches" not in names(news):
        news = await anext(spectator)
    assert names(news)[:2] == ["matches", "progress"]
    assert b"data: [[7," in news
    assert looks > 0
    await spectator.aclose()
    assert not len(live.crowd)
    looking.cancel()
    live.close()


async def test_silence_is_broken_before_somebody_between_cuts_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crowd_module, "PING_S", 0.0)
    crowd = Crowd()
    queue = crowd.join()
    news = crowd.news(queue)
    assert await anext(news) == await anext(news) == b": nothing new\r\n\r\n"
    crowd.tell(b"news")
    monkeypatch.setattr(crowd_module, "PING_S", 60.0)
    assert await anext(news) == b"news"
    crowd.send_home()
    assert [piece async for piece in news] == [] and not len(crowd)


async def test_the_lobby_of_a_hosted_night_is_told_when_it_changes(tmp_path: Path) -> None:
    live = Live(small_night(tmp_path, played=0))
    await live.open()
    tables = Tables(live, open_cards=False)
    spectator = live.spectate()
    assert "lobby" not in names(await anext(spectator))
    guest = {"player": "ada", "here": True, "check": None, "rtt_ms": 3}
    line = {"tables": [], "referees": [], "lobby": {"begun": False, "when_all_here": False, "guests": [guest]}}
    for _ in range(2):
        tables.hear(json.dumps(line).encode())
    news = await anext(spectator)
    assert names(news) == ["lobby"]
    assert json.loads(news.decode().partition("data: ")[2]) == line["lobby"]
    another = live.spectate()
    assert names(await anext(another))[0] == "lobby"
    for each in (spectator, another):
        await each.aclose()
    live.close()


async def test_who_cannot_keep_up_is_sent_away(tmp_path: Path) -> None:
    live = Live(small_night(tmp_path, played=6))
    await live.open()
    spectator = live.spectate()
    await anext(spectator)
    for number in range(crowd_module.QUEUED + 1):
        live.crowd.tell(str(number).encode())
    assert [news async for news in spectator] == []
    live.close()


@pytest.mark.parametrize("error", [StoreError("the disk is gone"), IndexError("the disk is gone")])
async def test_a_look_that_fails_is_logged_and_the_next_one_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, error: Exception
) -> None:
    live = Live(small_night(tmp_path, played=6))
    await live.open()

    def broken(_: Store) -> int:
        raise error

    monkeypatch.setattr(Store, "version", broken)
    await live.look()
    assert "the disk is gone" in caplog.text
    live.close()
