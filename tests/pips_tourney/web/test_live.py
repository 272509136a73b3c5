"""What spectators are told, and what it costs: nothing while nobody looks, standings no oftener than they are worth."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest

from pips_tourney.night.store import Store, StoreError, open_store
from pips_tourney.web import crowd as crowd_module
from pips_tourney.web import live as live_module
from pips_tourney.web.crowd import Crowd
from pips_tourney.web.live import Live, Watch
from tests.pips_tourney.web.nights import play_on, small_night


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def told(watch: Watch, **how: bool) -> dict[str, Any]:
    return {name: json.loads(data) for name, data in watch.look(**how)}


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


def test_standings_are_worked_out_again_no_sooner_than_their_cost_allows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, clock, cost = small_night(tmp_path, played=12), Clock(), iter(range(0, 100, 1))
    monkeypatch.setattr(live_module, "thread_time", lambda: float(next(cost)))  # every fold costs a second
    watch = Watch(path, clock)
    with open_store(path) as store:
        play_on(store, 12, 13)
    clock.now += 1 / live_module.SHARE - 1
    assert "night" not in told(watch)
    clock.now += 1
    assert "night" in told(watch)
    watch.close()


def test_the_more_look_on_the_less_often_they_are_told() -> None:
    crowd, pauses = Crowd(), []
    for size in (1, 50, 1000):
        while len(crowd) < size:
            crowd.join()
        pauses.append(crowd.pause_s(live_module.LOOK_S))
    assert pauses == [live_module.LOOK_S, 50 * crowd_module.A_SPECTATOR_S, crowd_module.SLOWEST_S]
    assert sorted(set(pauses)) == pauses


def test_ratings_over_the_night_end_where_the_standings_are(tmp_path: Path) -> None:
    path = small_night(tmp_path)
    watch = Watch(path, Clock())
    tables = json.loads(watch.night)["tables"]
    assert [table["label"] for table in tables] == ["serpent", "wichita", "pippip", "dominion", "overall"]
    for table in tables:
        count, elos = table["curve"][-1]
        assert count == table["counted"]
        assert elos == {row["bot"]: round(row["elo"]) for row in table["rows"] if row["elo"] is not None}
    watch.close()


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

    def counted(*, at_once: bool = False) -> list[tuple[str, str]]:
        nonlocal looks
        looks += 1
        return look(at_once=at_once)

    monkeypatch.setattr(live.watch, "look", counted)
    looking = asyncio.create_task(live.keep_looking())
    for _ in range(20):
        await asyncio.sleep(0)
    assert looks == 0
    spectator = live.spectate()
    assert names(await anext(spectator)) == ["progress", "night"]
    with open_store(path) as store:
        play_on(store, 6, 7)
    news = await anext(spectator)
    assert names(news)[:2] == ["matches", "progress"]
    assert b"data: [[7," in news
    assert looks > 0
    await spectator.aclose()
    assert not len(live.crowd)
    looking.cancel()
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


async def test_a_look_that_fails_is_logged_and_the_next_one_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    live = Live(small_night(tmp_path, played=6))
    await live.open()

    def broken(_: Store) -> int:
        raise StoreError("the disk is gone")

    monkeypatch.setattr(Store, "version", broken)
    await live.look()
    assert "the disk is gone" in caplog.text
    live.close()
