"""A place's tasks: checking waiting versions, and making the night play them.

The book records what was handed in, the night's log which bots play. Versions in the
book that the night lacks are brought over, so a place that was killed continues.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from time import monotonic
from typing import Any, Final

from pips_tourney.night.begin import is_over
from pips_tourney.night.log.earlier_nights import moved_aside
from pips_tourney.people.store import People, Person
from pips_tourney.place.desk.calendar import Calendar
from pips_tourney.place.desk.carry_over import CarryOver
from pips_tourney.place.desk.changes import next_change, next_scrimmage, play_beside
from pips_tourney.place.desk.hand_ins import CHECKING, FINAL, READY, REFUSED, WAITING, BotVersion, HandIns, in_turn
from pips_tourney.place.desk.health import NEARLY, DiskBound
from pips_tourney.place.desk.processes import end, read_all, start
from pips_tourney.place.nights import NightPages
from pips_tourney.play.signals import cancel_once

CHECK_S: Final = 120.0
"""The longest time for a check, in seconds."""
CHECKS_AT_ONCE: Final = 2
CLOCK_S: Final = 0.5
"""Seconds between two looks at whether a night should end."""
DISK_S: Final = 60.0
"""Seconds between two counts of the disk space that the place takes."""
GIVES_WAY_S: Final = 60.0
"""How long checks alone can keep a scrimmage or a comparison waiting, in seconds."""
AGAIN_S: Final = 5.0
"""Seconds before a night whose process has failed is resumed."""
_LOG: Final = logging.getLogger(__name__)


@dataclass
class Desk:
    """The state of a place and its tasks."""

    league: Path
    database: Path
    hand_ins: HandIns
    calendar: Calendar
    secret_file: Path | None = None
    """The secret of the first night, if that night is to be repeated."""
    disk_gb: float = 10.0
    told: deque[str] = field(default_factory=lambda: deque(maxlen=50))
    """The last lines of the night, for the organiser."""
    nights: NightPages = field(init=False)
    disk: DiskBound = field(init=False)
    carry_over: CarryOver = field(init=False)
    _awake: asyncio.Event = field(default_factory=asyncio.Event)
    _playing: asyncio.subprocess.Process | None = None
    _settled: bool = False
    """The night has all versions handed in before its end, so it may be played out."""

    def __post_init__(self) -> None:
        self.nights = NightPages(self.database)
        self.carry_over = CarryOver(self.database, self.hand_ins, self.told.append)
        self.hand_ins.disk = self.disk = DiskBound(self.database, self.hand_ins.folder, self.disk_gb)

    @property
    def people(self) -> People:
        return self.hand_ins.people

    @property
    def folder(self) -> Path:
        return self.hand_ins.folder

    def wake(self) -> None:
        """Look at once: a version was handed in, or a night has begun or is to end."""
        self._awake.set()

    @property
    def night(self) -> int:
        """The number of the night, from 1."""
        return 1 + len(moved_aside(self.database))

    @property
    def logs(self) -> Path:
        """The folder with the output of the night's bots."""
        return self.hand_ins.folder.with_name("logs") / str(self.night)

    async def work(self) -> None:
        """Check and play until cancelled; afterwards none of its processes is left."""
        loops = (self._keep_checking, self._keep_playing_beside, self._keep_playing, self._keep_time, self._keep_room)
        tasks = [asyncio.create_task(self._go_on(each)) for each in loops]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:  # a task that is ending its process is not disturbed
                cancel_once(task)
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _go_on(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Restart a loop whenever it fails, and tell the organiser."""
        while True:
            try:
                await work()
            except Exception as error:  # noqa: BLE001 - it is reported, and nothing else would restart the loop
                _LOG.exception("the desk of the place")
                self.told.append(f"The place continues after an internal error: {error!r}")
                await asyncio.sleep(AGAIN_S)

    def end_night(self) -> None:
        """Freeze the night: versions handed in from now on play in the next one.

        Waiting versions are checked first. Then the night is played to its end, its
        secret is revealed, and the next night opens. Further calls change nothing.
        """
        if self.frozen_at is None:
            last = max((version.id for version in self.hand_ins.all()), default=0)
            making = self._ending.with_suffix(".part")
            making.write_text(str(last))
            making.replace(self._ending)  # after a kill the file is complete or absent

    @property
    def frozen_at(self) -> int | None:
        """The last version that plays in this night; None while the night is open."""
        try:
            return int(self._ending.read_text())
        except (FileNotFoundError, ValueError):
            return None

    @property
    def _ending(self) -> Path:
        """A file that exists while the night is to end, even after a kill."""
        return self.hand_ins.folder.with_name("ending")

    async def _keep_time(self) -> None:
        while True:
            if await asyncio.to_thread(self.calendar.is_due):
                self.end_night()
                self.calendar.note()
                self.wake()
            await asyncio.sleep(CLOCK_S)

    async def _keep_room(self) -> None:
        """Count the disk space that the place takes, and warn before it is too much."""
        warned = False
        while True:
            await asyncio.to_thread(lambda: self.disk.look(self.hand_ins.owners()))
            if (nearly := self.disk.part >= NEARLY) and not warned:
                self.told.append(f"The disk is nearly full: the place takes {self.disk}. See `disk_gb` in the docs")
            warned = nearly
            await asyncio.sleep(DISK_S)

    async def _keep_checking(self) -> None:
        checks: dict[int, asyncio.Task[None]] = {}
        try:
            while True:
                self._awake.clear()
                last = self.frozen_at
                turn = await asyncio.to_thread(lambda: in_turn(self.hand_ins.all(), self.frozen_at))
                self._begin_checks(turn, checks)
                in_it = await self.carry_over.bring_over(self.frozen_at)
                waits = any(last is None or version.id <= last for version in turn)
                if last is not None and in_it and not waits:
                    self._play_out()
                with suppress(TimeoutError):  # missing files may be back
                    await asyncio.wait_for(self._awake.wait(), AGAIN_S)
                for version in [number for number, check in checks.items() if check.done()]:
                    checks.pop(version).result()  # raises the check's error
        finally:
            for check in checks.values():
                cancel_once(check)
            await asyncio.gather(*checks.values(), return_exceptions=True)

    def _begin_checks(self, turn: Sequence[BotVersion], checks: dict[int, asyncio.Task[None]]) -> None:
        """Check the first waiting versions, several at once."""
        for version in turn:
            if len(checks) < CHECKS_AT_ONCE and version.id not in checks:
                checks[version.id] = asyncio.create_task(self._check(version))
                checks[version.id].add_done_callback(lambda _: self.wake())

    def _play_out(self) -> None:
        """Close the night to new versions, so that it ends."""
        if not self._settled:
            self._settled = True
            if self._playing is not None and self._playing.stdin is not None:
                self._playing.stdin.close()

    async def _check(self, version: BotVersion) -> None:
        if not self.carry_over.has_files(version):
            said = "Its files are gone from this place. Hand it in again."
            self.carry_over.refuse(version, "could not be checked: its files are gone", said)
            return
        self.hand_ins.set_state(version.id, CHECKING, "The check plays a few deals of each game.")
        found: dict[str, Any] = {}
        plays = False

        def hear(line: bytes) -> None:
            nonlocal plays
            with suppress(ValueError):
                said = json.loads(line)
                if "progress" in said:
                    plays = True
                    self.hand_ins.set_state(version.id, CHECKING, str(said["progress"]))
                elif "ok" in said:
                    found.update(said)

        code, err = await self._run(("check", str(self.hand_ins.files(version)), str(self.league)), CHECK_S, hear)
        if code is None and plays:
            slow = f"matches took longer than {CHECK_S:.0f} s in all: let it answer faster."
            self.carry_over.refuse(version, f"is refused: its {slow}", f"Its {slow}")
        elif code != 0 or not found:
            why = f"it had not begun after {CHECK_S:.0f} s" if code is None else f"exit code {code}"
            told = f"could not be checked: {err.strip()[-400:] or why}"
            said = "The check failed on this machine. The organiser sees why. Hand it in again."
            self.carry_over.refuse(version, told, said)
        else:
            self.hand_ins.set_state(version.id, READY if found["ok"] else REFUSED, str(found["said"]))
            self.hand_ins.set_mark(version.id, str(found.get("mark", "")))

    async def _keep_playing_beside(self) -> None:
        """Play scrimmages, and what versions change, in turn.

        Each gives way to checks for at most `GIVES_WAY_S`.
        """
        for next_of in cycle((next_scrimmage, next_change)):
            until = monotonic() + GIVES_WAY_S
            while (  # noqa: ASYNC110 - checks and the clock, not another task, end it
                (to_do := await asyncio.to_thread(next_of, self.hand_ins, self.league, self.database))
                and self.queue()
                and monotonic() < until
            ):
                await asyncio.sleep(AGAIN_S / 2)
            if to_do is None:
                await asyncio.sleep(AGAIN_S / 2)
            elif why := await play_beside(self.hand_ins, *to_do, self._run):
                self.told.append(why)

    async def _run(self, words: Sequence[str], seconds: float, hear: Callable[[bytes], None]) -> tuple[int | None, str]:
        return await read_all(words, seconds, hear)

    async def _keep_playing(self) -> None:
        while True:
            how = await asyncio.to_thread(self._how)
            if how is None:
                await asyncio.sleep(AGAIN_S)
                continue
            code = await self._play(how)
            if code not in (0, 1, 130):
                await asyncio.sleep(AGAIN_S)

    def _how(self) -> str | None:
        """How to play now; None if the night after the deadline has passed."""
        if not (self.database.exists() and is_over(self.database)):
            return "last" if self._settled and self.frozen_at is not None else "open"
        self._ending.unlink(missing_ok=True)
        self._settled = False
        if not self.calendar.is_closed:
            self.people.set_setting(FINAL, "")
            return "new"
        nights, begun = len(moved_aside(self.database)), self.people.setting(FINAL)
        if begun and nights > int(begun):
            return None
        self.people.set_setting(FINAL, str(nights))
        self.end_night()
        return "new"

    async def _play(self, how: str) -> int:
        words = ["play", str(self.league), str(self.database), how, str(self.logs)]
        if self.secret_file is not None and how != "new" and not moved_aside(self.database):
            words.append(str(self.secret_file.absolute()))
        self._playing = child = await start(words, err=asyncio.subprocess.STDOUT)
        assert child.stdout is not None
        try:
            async for line in child.stdout:
                self._hear(line)
            return await child.wait()
        finally:
            self._playing = None
            await end(child)

    def _hear(self, line: bytes) -> None:
        """Handle a line from the night: for its tables, or for the organiser."""
        try:
            said = json.loads(line)
        except ValueError:
            said = None
        if isinstance(said, dict) and "tables" in said:
            self.nights.hear(line)
        elif isinstance(said, dict) and "begun" in said:
            self.nights.begins()
            self.wake()
        else:
            told = said["told"] if isinstance(said, dict) and "told" in said else line.decode(errors="replace")
            self.told.append(str(told).rstrip())

    def bots_of(self, person: Person) -> list[str]:
        return [version.bot for version in self.hand_ins.of(person)]

    @property
    def is_playing(self) -> bool:
        return self._playing is not None

    def last_told(self) -> list[str]:
        return [*self.told]

    def queue(self) -> int:
        """How many versions wait for their check."""
        return sum(version.state in (WAITING, CHECKING) for version in in_turn(self.hand_ins.all()))
