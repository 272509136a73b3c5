"""The tables under way as spectators see them.

Boards come from a real referee, without a card that is hidden from somebody.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from pips_referee.match import Match
from pips_referee.records.record import Header
from pips_referee.records.record_json import to_json
from pips_referee.service.table import Table
from pips_tourney.night.director import office
from pips_tourney.night.log.result import row_of
from pips_tourney.night.log.store import open_store
from pips_tourney.night.night import last_night
from pips_tourney.night.plan.fixtures import Fixture
from pips_tourney.web.live.tables import Tables
from pips_tourney.web.live.updates import Live
from tests.pips_referee.house import BareBot, House, open_house
from tests.pips_tourney.in_process import play
from tests.pips_tourney.web.nights import SECRET, small_night

GAMES = ("serpent", "wichita", "pippip", "dominion")
ANSWERS = 12
CARD = re.compile(r'"((?:[2-9]|10|[AJQK])[CDHS])"')


class Paced(BareBot):
    """Answers as often as the whole table may answer."""

    pace: asyncio.Semaphore

    async def reply(self, answerer: Any = None) -> None:
        await self.pace.acquire()
        await super().reply(answerer)


def a_deal(path: Path, game: str) -> list[Fixture]:
    """All matches of the first deal of that game."""
    with open_store(path) as store:
        schedule = [fixture for fixture in last_night(store).fixtures() if fixture.contest.label == game]
    return [fixture for fixture in schedule if fixture.block == schedule[0].block]


def store_results(path: Path, fixtures: list[Fixture]) -> None:
    with open_store(path) as store:
        store.add([row_of(play(Header.read(each.order(SECRET, {}).header), bytes(32))) for each in fixtures])


@asynccontextmanager
async def at_table(house: House, fixture: Fixture) -> AsyncIterator[Match]:
    """That match, in which some answers were given."""
    pace, bots = asyncio.Semaphore(ANSWERS), []
    names = [f"{name}/{number}" for number, name in enumerate(fixture.seating)]
    for name in names:
        bot = Paced(house.bots)
        bot.pace = pace
        await bot.hello(house.token(name))
        bots.append(bot)
    await house.orders().order(fixture.header(SECRET), names)
    playing = [asyncio.create_task(bot.play()) for bot in bots]
    while not pace.locked():  # noqa: ASYNC110 - bots and referee are in this process
        await asyncio.sleep(0.001)
    [(table, _)] = house.registry.session(names[0]).seats.values()
    assert isinstance(table, Table)
    yield table.match
    for task in playing:
        task.cancel()
    await asyncio.gather(*playing, return_exceptions=True)


async def shown(tables: Tables, house: House) -> list[Any]:
    """The boards after a look."""
    tables.hear(json.dumps({"tables": [], "referees": [house.organiser_door]}).encode())
    await tables.look()
    spectator = tables.spectate()
    news = (await anext(spectator)).decode()
    await spectator.aclose()
    boards: list[Any] = json.loads(re.findall(r"data: (.*)\r", news)[0])["boards"]
    return boards


@pytest.mark.parametrize("game", GAMES)
async def test_a_board_has_what_lies_open_and_nothing_else(tmp_path: Path, game: str) -> None:
    path = small_night(tmp_path, played=0)
    *before, fixture = a_deal(path, game)
    store_results(path, before)
    live = Live(path)
    await live.open()
    tables = Tables(live, open_cards=False)
    async with open_house(tmp_path) as house, at_table(house, fixture) as match:
        [board] = await shown(tables, house)
        seen = [event.seen_by_all(match.seats) for event in match.log]
        assert (board["id"], board["game"], board["names"]) == (fixture.match_id, game, list(fixture.seating))
        assert board["say"]
        on_the_board = set(CARD.findall(json.dumps(board["table"])))
        told: list[Any] = [to_json(event) for event in seen]
        called = {f"{rank}{suit}" for event in told for suit in event.get("suits", ()) for rank in "KQ"}
        public = called.union(CARD.findall(json.dumps(told)))
        everything = set(CARD.findall(json.dumps([to_json(event) for event in match.log])))
        assert on_the_board <= public
        assert (everything > public) is (game != "dominion")
        hidden = board["table"].get("hidden", board["table"].get("hands", []))
        if isinstance(hidden, list) and game != "dominion":
            assert any(hidden)
            assert not any(card for hand in hidden for card in hand)
        await tables.close()
    live.close()


async def test_a_match_whose_deal_others_still_play_is_shown_to_those_alone_who_may_see_all(tmp_path: Path) -> None:
    path = small_night(tmp_path, played=0)
    fixture = a_deal(path, "serpent")[-1]
    live = Live(path)
    await live.open()
    closed, opened = (Tables(live, open_cards=open_cards) for open_cards in (False, True))
    async with open_house(tmp_path) as house, at_table(house, fixture):
        assert await shown(closed, house) == []
        [board] = await shown(opened, house)
        assert None not in [card for hand in board["table"]["hidden"] for card in hand]
        assert await shown(opened, house) == [board], "nothing has happened since"
        await closed.close()
        await opened.close()
    live.close()


async def test_a_board_is_taken_away_when_another_match_of_its_deal_is_played_again(tmp_path: Path) -> None:
    path = small_night(tmp_path, played=0)
    *before, fixture = a_deal(path, "serpent")
    store_results(path, before)
    live = Live(path)
    await live.open()
    tables = Tables(live, open_cards=False)
    async with open_house(tmp_path) as house, at_table(house, fixture):
        assert [board["id"] for board in await shown(tables, house)] == [fixture.match_id]
        with office(path) as at:
            at.replay(before[0].match_id, "a power cut")
        await live.look()
        assert await shown(tables, house) == []
        await tables.close()
    live.close()


async def test_while_nobody_looks_no_referee_is_asked(tmp_path: Path) -> None:
    live = Live(small_night(tmp_path, played=1))
    await live.open()
    tables = Tables(live, open_cards=False)
    tables.hear(b'{"tables": [{"id": "x"}], "referees": [["unix:/nowhere/at/all", "token"]]}')
    looking = asyncio.create_task(tables.keep_looking())
    for _ in range(20):
        await asyncio.sleep(0)
    assert not tables._referees
    spectator = tables.spectate()
    assert b'"list":[{"id":"x"}]' in await anext(spectator)
    tables.over()
    assert b"data: null" in await anext(spectator)
    await spectator.aclose()
    looking.cancel()
    await tables.close()
    live.close()
