"""A simulated place: authors hand in, its desk checks and plays, it is killed."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final

from pips_tourney.errors import TourneyError
from pips_tourney.night.director import office
from pips_tourney.people.store import Invited, People
from pips_tourney.place.desk.calendar import Calendar
from pips_tourney.place.desk.desk import Desk
from pips_tourney.place.desk.hand_ins import CHECKING, READY, WAITING, BotVersion, HandIns
from pips_tourney.place.desk.uploads import clear_parts, keep_files
from pips_tourney.play.begin import opened
from pips_tourney.play.evening import RunConfig
from pips_tourney.play.runner import NightRunner
from tests.lab.nights.machine import Machine
from tests.lab.nights.night import Silent
from tests.lab.nights.virtual import VirtualLoop

AUTHORS: Final = ("eve", "flo")
HAND_INS: Final = 3
"""How often each author hands in."""
CHECK_S: Final = 1.0
BOT: Final = (
    b"from pips_sdk import run\nfrom pips_sdk.serpent import SerpentBot\n\n\nclass Mine(SerpentBot):\n    pass\n"
)


class Input:
    """The standard input of a child, whose end ends it."""

    def __init__(self, child: SimulatedChild) -> None:
        self._child = child

    def close(self) -> None:
        self._child.interrupt()


class SimulatedChild:
    """A process of `child.py` as its desk knows it."""

    def __init__(self, machine: Machine, words: Sequence[str]) -> None:
        self.stdin = Input(self)
        self.stdout, self.stderr = asyncio.StreamReader(), asyncio.StreamReader()
        self._machine = machine
        self._plays = words[0] == "play"
        self._code: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._live(words))

    async def wait(self) -> int:
        return await asyncio.shield(self._code)

    def kill(self) -> None:
        self._task.cancel()

    def interrupt(self) -> None:
        """SIGINT comes, as `child.py` sends itself: to the night if it listens."""
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        if not self._task.done() and not (self._plays and loop.signalled(signal.SIGINT)):
            self._task.cancel()

    async def _live(self, words: Sequence[str]) -> None:
        code = 130
        try:
            code = await (self._play(Path(words[1]), Path(words[2]), words[3]) if self._plays else self._check())
        except TourneyError as error:
            code = 2
            self.stderr.feed_data(f"{error}\n".encode())
        finally:
            self.stdout.feed_eof()
            self.stderr.feed_eof()
            self._code.set_result(code)

    async def _check(self) -> int:
        self._machine.passes("command")
        await asyncio.sleep(CHECK_S * self._machine.luck.random())
        if self._machine.refuses:
            self._machine.refuses -= 1
            return -9
        self._machine.passes("event")
        self.stdout.feed_data(json.dumps({"ok": True, "said": "fine"}).encode() + b"\n")
        return 0

    async def _play(self, league: Path, database: Path, how: str) -> int:
        config = RunConfig(league, database, 1, new=how == "new", go_on=how != "new", stays_open=how != "last")
        with opened(config) as begins:
            return (await NightRunner(begins, Silent(self._machine)).play()).exit_code


async def start_child(machine: Machine, words: Sequence[str], err: int) -> Any:
    """What `start` of the place's processes does."""
    return SimulatedChild(machine, words)


@dataclass
class Place:
    """A place, its authors, and what they were told."""

    machine: Machine
    league: Path
    acknowledged: dict[int, BotVersion] = field(default_factory=dict)
    """Hand-ins that were said to be kept, by number."""
    handed_in: dict[str, int] = field(default_factory=lambda: dict.fromkeys(AUTHORS, 0))
    """By author, how often."""

    @property
    def folder(self) -> Path:
        return self.league.with_name("night-place")

    async def serve(self) -> bool:
        """Serve until everything that was handed in is played; whether it is."""
        versions = self.folder / "versions"
        versions.mkdir(parents=True, exist_ok=True)
        database = self.league.with_name("night.db")
        people = People(self.folder)
        try:
            clear_parts(versions)
            people.invite([Invited(author, author) for author in AUTHORS])
            desk = Desk(self.league, database, HandIns(people, versions), Calendar(people))
            working = asyncio.create_task(desk.work())
            writing = [asyncio.create_task(self._write(desk, author)) for author in AUTHORS]
            try:
                while not self._is_done(desk.hand_ins, database):
                    if working.done():  # its pages would go on without it
                        self.machine.witness.breaks(f"the desk has ended: {working.exception()!r}")
                        return False
                    await asyncio.sleep(1.0)
            finally:
                for task in (working, *writing):
                    task.cancel()
                await asyncio.gather(working, *writing, return_exceptions=True)
            return True
        finally:
            people.close()

    async def _write(self, desk: Desk, author: str) -> None:
        """An author hands in now and then, and again where that failed."""
        luck = Random(f"{author} {self.handed_in[author]}")
        (person,) = [person for person in desk.people.everybody() if person.bot == author]
        while self.handed_in[author] < HAND_INS:
            await asyncio.sleep(4.0 * luck.random())
            with suppress(OSError, TourneyError):  # the page says that it did not work
                folder = await asyncio.to_thread(keep_files, [("bot.py", BOT)], desk.hand_ins.folder, author)
                version = await asyncio.to_thread(desk.hand_ins.add, person, folder)
                if not self.machine.is_killed:
                    self.acknowledged[version.id] = version
                    self.handed_in[author] += 1
                    self.machine.now.progress()
                    desk.wake()

    def lost(self) -> list[str]:
        """What was acknowledged and is missing from the disk, between two runs."""
        if not (self.folder / "place.db").exists():
            return [version.bot for version in self.acknowledged.values()]
        with People(self.folder) as people:
            there = {version.id: version for version in HandIns(people, self.folder).all()}
        return [
            version.bot
            for number, version in self.acknowledged.items()
            if number not in there or not (self.folder / "versions" / version.folder / version.bot.split()[0]).is_dir()
        ]

    def _is_done(self, hand_ins: HandIns, database: Path) -> bool:
        if set(self.handed_in.values()) != {HAND_INS} or not database.exists():
            return False
        versions = hand_ins.all()
        if any(version.state in (WAITING, CHECKING) for version in {each.person: each for each in versions}.values()):
            return False
        newest = {version.person: version for version in versions if version.state == READY}
        with office(database) as at:
            decisions, (scheduled, played) = at.decisions, at.night.count()
        own = {version.bot for version in newest.values()}
        older = {version.bot for version in versions if version.state == READY} - own
        added = decisions.added.keys()
        return own <= added and older & added <= decisions.out.keys() and 0 < scheduled == played
