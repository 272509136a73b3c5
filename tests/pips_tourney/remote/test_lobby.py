"""The lobby: bots that are here, checks, the start of the night, news to players."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, cast
from unittest.mock import Mock

import pytest

from pips.v1 import record_pb2, referee_pb2
from pips_referee.match import FaultKind
from pips_referee.records.record import Header, write_record
from pips_tourney.arena.arena import Arena
from pips_tourney.arena.exchange import VoidMatch
from pips_tourney.engines import EngineError, PlayedMatch
from pips_tourney.engines.match_queue import MatchQueue
from pips_tourney.league.read import read_league
from pips_tourney.night.plan.fixtures import fixtures
from pips_tourney.night.plan.from_league import make_programme
from pips_tourney.people.presence import forget_guests, noted_guests
from pips_tourney.people.store import People
from pips_tourney.remote import lobby as lobby_module
from pips_tourney.remote.lobby import Hosting, WaitingRoom
from pips_tourney.secret import Secret
from tests.patience import PATIENCE_S

SECRET = Secret(bytes(32))
STORES = ExitStack()
LEAGUE = """
games = ["serpent", "wichita"]
deals = { count = 1 }
remote = { grace_s = 1, rtt_ms = 40, drops = 3 }
bots = [{ name = "ada", remote = true }, { name = "bo", remote = true }, { name = "cy", sample = "random" }]
"""


class FakeArena:
    """An arena whose connected bots and checks are as a test says."""

    def __init__(self) -> None:
        self.why_lost = ""
        self.here: dict[str, list[str]] = {}
        self.told: list[referee_pb2.RunMatchRequest] = []
        self.fault: str = ""
        self.bot_name = "Fox"
        self.is_spoilt = False

    def tell(self, request: referee_pb2.RunMatchRequest) -> None:
        self.told.append(request)

    async def listed(self) -> list[referee_pb2.ConnectedBot]:
        return [
            referee_pb2.ConnectedBot(process=f"{player}/*/*", bot_name=self.bot_name, games=games, rtt_us=3100)
            for player, games in self.here.items()
        ]

    async def play(self, order: referee_pb2.MatchOrder) -> bytes:
        if self.is_spoilt:
            raise VoidMatch("the machine's doing")
        header = Header.read(order.header)
        match = header.new_match()
        if self.fault:
            match.fault(0, FaultKind.TIMEOUT, "late", self.fault)
        return write_record(header, match)

    def news(self, player: str) -> list[str]:
        return [told.news.line for told in self.told if told.news.process == f"{player}/*/*"]


class Room:
    """A lobby, its arena, and what the organiser was informed of."""

    def __init__(self, folder: Path, **hosting: Any) -> None:
        (folder / "night.toml").write_text(LEAGUE, encoding="utf-8")
        league = read_league(folder / "night.toml")
        programme = make_programme(league)
        self.schedule = list(fixtures(programme))
        self.people = STORES.enter_context(People(folder))
        self.hosting = Hosting("0.0.0.0:7700", "c", "k", self.people, **hosting)
        self.hosting.expect(league, programme)
        self.arena, self.said = FakeArena(), list[str]()
        self.feed = MatchQueue(iter(self.schedule), lambda _: set(), SECRET)
        self.lobby = WaitingRoom(cast(Arena, self.arena), self.hosting, self.feed, self.said.append)

    async def during(self, what: Callable[[], Awaitable[object]]) -> None:
        """Do something while the lobby is looked after."""
        keeping = asyncio.create_task(self.lobby.keep())
        try:
            async with asyncio.timeout(PATIENCE_S):
                await what()
        finally:
            keeping.cancel()
            with suppress(asyncio.CancelledError):
                await keeping

    async def until(self, line: str) -> None:
        await until(lambda: line in self.said)


async def until(holds: Callable[[], bool]) -> None:
    for _ in iter(holds, True):
        await asyncio.sleep(0)


def _nothing(*_: object) -> None:
    pass


@pytest.fixture(autouse=True)
def closed_stores() -> Iterator[None]:
    with STORES:
        yield


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lobby_module, "LOOK_S", 0.0)
    monkeypatch.setattr(lobby_module, "NEWS_S", 0.0)


@pytest.fixture
def stdin(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """The end of a pipe at which somebody types."""
    reading, writing = os.pipe()
    with os.fdopen(reading) as file:
        monkeypatch.setattr(sys, "stdin", file)
        yield writing


async def test_it_begins_when_all_are_here_and_checked(tmp_path: Path) -> None:
    room = Room(tmp_path, when_all_here=True)
    room.arena.here = {"ada": ["serpent", "wichita"]}

    async def come() -> None:
        beginning = asyncio.create_task(room.lobby.begin())
        await room.until("ada: ✓ its check passed")
        assert not beginning.done()
        shown = room.hosting.shown()
        assert (shown["begun"], shown["when_all_here"]) == (False, True)
        room.arena.here["bo"] = []
        await beginning

    await room.during(come)
    assert "ada is here with Fox: 1 of 2 are here" in room.said
    assert "  here: ada (✓, 3 ms away); not here: bo" in room.said
    assert "  here: ada (✓, 3 ms away), bo (✓, 3 ms away)" in room.said
    assert room.said[-1] == "The night begins: 2 of 2 are here."
    assert room.arena.news("ada") == [
        "Waiting for the start: 1 of 2 are here.",
        "Your bot's check passed.",
        "Waiting for the start: 2 of 2 are here.",
        "The night begins.",
    ]


async def test_beside_the_database_stands_who_is_here_and_since_when(tmp_path: Path) -> None:
    database = tmp_path / "night.db"
    room = Room(tmp_path, when_all_here=True, database=database)
    assert [guest.text for guest in noted_guests(database)] == ["ada (never seen)", "bo (never seen)"]
    room.arena.here = {"ada": ["serpent", "wichita"]}
    room.arena.fault = "it thinks too long"

    async def come() -> None:
        beginning = asyncio.create_task(room.lobby.begin())
        await until(lambda: any(line.startswith("ada: ✗") for line in room.said))
        ada, bo = noted_guests(database)
        assert (ada.here, bo.here, bo.since) == (True, False, "")
        assert ada.check and re.fullmatch(r"ada \(since \d\d:\d\d:\d\d UTC, 3 ms away, its check failed\)", ada.text)
        room.arena.here["bo"] = []
        await beginning
        room.arena.here = {}
        await room.until("bo has gone: 0 of 2 are here")

    await room.during(come)
    assert not any(guest.here for guest in noted_guests(database))
    (tmp_path / "night.db.guests").write_text("[{}]", encoding="utf-8")
    assert noted_guests(database) == ()
    forget_guests(database)
    assert not (tmp_path / "night.db.guests").exists()


async def test_what_a_bot_says_is_one_line_that_cannot_act_on_the_terminal(tmp_path: Path) -> None:
    room = Room(tmp_path)
    room.arena.bot_name, room.arena.fault = "\x1b[2JFox\nbo: ✓ its check passed", "\x1b]0;boom\x07"
    room.arena.here = {"ada": ["serpent"]}
    result = r"ada: ✗ serpent: \x1b]0;boom\x07; wichita: it plays serpent"
    await room.during(lambda: room.until(result))
    assert r"ada is here with \x1b[2JFox\nbo: ✓ its check passed: 1 of 2 are here" in room.said
    assert all(line.isprintable() for line in room.said)


async def test_it_begins_when_somebody_presses_enter(tmp_path: Path, stdin: int) -> None:
    room = Room(tmp_path)

    async def press() -> None:
        beginning = asyncio.create_task(room.lobby.begin())
        await room.until("The lobby is open at 0.0.0.0:7700. The night begins when you press Enter.")
        os.write(stdin, b"\n")
        await beginning

    await room.during(press)
    assert room.said[-1] == "The night begins without ada, bo: 0 of 2 are here."
    os.close(stdin)


async def test_without_a_way_to_begin_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (tmp_path / "file").open("w+") as file:
        monkeypatch.setattr(sys, "stdin", file)
        with pytest.raises(EngineError, match="nothing would begin the night"):
            await Room(tmp_path).lobby.begin()


async def test_who_was_here_before_an_interruption_is_waited_for(tmp_path: Path) -> None:
    room = Room(tmp_path)
    room.hosting.begun = True
    room.arena.here = {"ada": [], "bo": []}
    await room.during(room.lobby.begin)
    assert not [line for line in room.said if "check" in line]
    room = Room(tmp_path)
    room.hosting.begun = True
    began = asyncio.get_running_loop().time()
    await room.during(room.lobby.begin)
    assert asyncio.get_running_loop().time() - began >= 1, "they may be gone for good"


@pytest.mark.parametrize(
    ("games", "fault", "spoilt", "found"),
    [
        (["serpent"], "", False, "✗ wichita: it plays serpent"),
        ([], "2 s for an answer that had 1 s", False, "✗ serpent: 2 s for an answer that had 1 s; wichita: 2 s"),
        ([], "", True, "✓ its check passed"),
    ],
)
async def test_a_check_finds_what_is_wrong(
    tmp_path: Path, games: list[str], fault: str, spoilt: bool, found: str
) -> None:
    room = Room(tmp_path, when_all_here=True)
    room.arena.here = {"ada": games, "bo": games}
    room.arena.fault, room.arena.is_spoilt = fault, spoilt
    await room.during(room.lobby.begin)
    assert [line for line in room.said if line.startswith(f"ada: {found}")]


async def test_who_is_invited_is_told_to_the_referee_whenever_it_changes(tmp_path: Path) -> None:
    room = Room(tmp_path)

    def invited() -> list[list[str]]:
        found = [told.invited for told in room.arena.told if told.HasField("invited")]
        assert all((one.grace_ms, one.most_rtt_ms, one.drops) == (1000, 40, 3) for one in found)
        return [[guest.process for guest in one.guests] for one in found]

    async def change() -> None:
        await until(lambda: len(invited()) == 1)
        room.people.player_code("bo")
        await until(lambda: len(invited()) == 2)
        room.people.revoke(1)
        await until(lambda: len(invited()) == 3)
        room.people.do("DROP TABLE people")
        await until(lambda: "no such table" in room.said[-1])

    await room.during(change)
    assert invited() == [[], ["bo/*/*"], []]


async def test_players_hear_how_they_do_and_when_it_is_over(tmp_path: Path) -> None:
    room = Room(tmp_path)
    room.hosting.begun = True
    room.arena.here = {"ada": [], "bo": []}
    fixture = next(match for match in room.schedule if set(match.seating) == {"ada", "cy"})
    passed_on = Mock()

    async def play() -> None:
        await room.lobby.begin()
        for places, faults in (([1, 2], []), ([2, 1], [record_pb2.Fault(seat=0)]), ([1, 1], [])):
            room.lobby.hear(passed_on, fixture, PlayedMatch(_record(places, faults)))
        await until(lambda: bool(room.arena.news("ada")))
        ending = asyncio.create_task(room.lobby.end(over=True))
        await asyncio.sleep(0)
        assert not ending.done(), "they are still here"
        room.arena.here.clear()
        await ending

    await room.during(play)
    faulty = int(fixture.seating[0] == "ada")
    assert passed_on.call_count == 3
    assert room.arena.news("ada")[0] == f"Playing: 3 matches so far, 1 won, {faulty} lost by a fault."
    assert room.arena.news("ada")[-1].startswith(f"The night is over: 3 matches, 1 won, {faulty} lost by a fault.")
    assert room.arena.told[-1].news.over


async def test_a_night_that_is_stopped_is_not_over(tmp_path: Path) -> None:
    room = Room(tmp_path)
    await room.lobby.end(over=False)
    assert "It may go on" in room.arena.news("ada")[0]
    assert not any(told.news.over for told in room.arena.told)


async def test_matches_wait_for_those_who_are_away(tmp_path: Path) -> None:
    room = Room(tmp_path)
    room.arena.here = {"bo": []}

    def away() -> set[tuple[str, ...]]:
        return {match.seating for match in room.schedule if room.feed.is_away(match)}

    async def come() -> None:
        await room.until("bo is here with Fox: 1 of 2 are here")
        assert {"ada" in seating for seating in away()} == {True}
        room.arena.here = {"ada": []}
        await room.until("bo has gone: 1 of 2 are here")
        assert {"bo" in seating for seating in away()} == {True}

    await room.during(come)


def _record(places: list[int], faults: list[record_pb2.Fault]) -> bytes:
    return record_pb2.MatchRecord(outcome=record_pb2.MatchOutcome(places=places, faults=faults)).SerializeToString()
