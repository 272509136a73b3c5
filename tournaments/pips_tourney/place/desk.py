"""The desk of a place: it checks what waits, and sees that the night plays it.

The book says what was handed in, the night's log which bots play. Whatever is in the
first and not in the second is brought over; so a place that was killed goes on.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pips_tourney.errors import TourneyError
from pips_tourney.night.director import Office, office
from pips_tourney.night.season import is_over
from pips_tourney.place.book import CHECKING, READY, REFUSED, Book, BotVersion, in_turn

CHECK_S: Final = 120.0
"""How long a check may take."""
POLL_S: Final = 0.5
AGAIN_S: Final = 5.0
"""The pause before a night is played on whose process has failed."""
END_S: Final = 30.0
_LOG: Final = logging.getLogger(__name__)


@dataclass
class Desk:
    """What a place works with. `versions` is the folder of all hand-ins."""

    league: Path
    database: Path
    book: Book
    versions: Path
    told: deque[str] = field(default_factory=lambda: deque(maxlen=50))
    """The last lines of the night, for the organiser."""
    _awake: asyncio.Event = field(default_factory=asyncio.Event)
    _playing: asyncio.subprocess.Process | None = None

    def wake(self) -> None:
        """Something was handed in."""
        self._awake.set()

    def folder(self, version: BotVersion) -> Path:
        """The folder of a version's files."""
        return next(path for path in (self.versions / version.folder).iterdir() if path.is_dir())

    async def work(self) -> None:
        """Check and play until cancelled; no process of ours is left then."""
        tasks = [asyncio.create_task(self._keep_checking()), asyncio.create_task(self._keep_playing())]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def end_night(self) -> None:
        """Play the night to its end, reveal its secret, and open the next one."""
        self._ending.touch()
        if self._playing is not None and self._playing.stdin is not None:
            self._playing.stdin.close()

    @property
    def _ending(self) -> Path:
        """There while the night is to be ended, also after a kill."""
        return self.versions.with_name("ending")

    async def _keep_checking(self) -> None:
        while True:
            turn = await asyncio.to_thread(lambda: in_turn(self.book.versions()))
            if turn:
                await self._check(turn[0])
            await self._bring_over()
            if not turn:
                self._awake.clear()
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._awake.wait(), POLL_S)

    async def _check(self, version: BotVersion) -> None:
        self.book.set_state(version.id, CHECKING, "The check plays a few deals of each game.")
        words = ("check", str(self.folder(version)), str(self.league))
        code, out, err = await self._run(words, CHECK_S)
        try:
            found = json.loads(out.strip().splitlines()[-1]) if code == 0 else None
        except (ValueError, IndexError):
            found = None
        if found is None:
            self.told.append(f"{version.bot} could not be checked: {err.strip()[-400:] or f'exit code {code}'}")
            why = f"took longer than {CHECK_S:.0f} s" if code is None else "failed on this machine"
            self.book.set_state(version.id, REFUSED, f"The check {why}. The organiser sees why. Hand it in again.")
        else:
            self.book.set_state(version.id, READY if found["ok"] else REFUSED, str(found["said"]))

    async def _run(self, words: Sequence[str], seconds: float) -> tuple[int | None, str, str]:
        child = await self._start(words, err=asyncio.subprocess.PIPE)
        try:
            async with asyncio.timeout(seconds):
                assert child.stdout is not None and child.stderr is not None
                out, err = await asyncio.gather(child.stdout.read(), child.stderr.read())
                return await child.wait(), out.decode(errors="replace"), err.decode(errors="replace")
        except TimeoutError:
            return None, "", ""
        finally:
            await _end(child)

    @staticmethod
    async def _start(words: Sequence[str], err: int) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            sys.executable, "-m", "pips_tourney.place.child", *words,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=err,
            start_new_session=True, limit=1 << 20,
        )  # fmt: skip

    async def _keep_playing(self) -> None:
        while True:
            over = self.database.exists() and await asyncio.to_thread(is_over, self.database)
            if over:
                self._ending.unlink(missing_ok=True)
            how = "new" if over else "last" if self._ending.exists() else "open"
            code = await self._play(how)
            if code not in (0, 1, 130):
                await asyncio.sleep(AGAIN_S)

    async def _play(self, how: str) -> int:
        words = ("play", str(self.league), str(self.database), how)
        self._playing = child = await self._start(words, err=asyncio.subprocess.STDOUT)
        assert child.stdout is not None
        try:
            async for line in child.stdout:
                self.told.append(line.decode(errors="replace").rstrip())
            return await child.wait()
        finally:
            self._playing = None
            await _end(child)

    async def _bring_over(self) -> None:
        """Have the night play the newest ready version of everybody, none older."""
        if not self.database.exists():
            return
        try:
            await asyncio.to_thread(self._bring)
        except TourneyError as error:
            _LOG.warning("the night did not take a version: %s", error)
            self.told.append(str(error))

    def _bring(self) -> None:
        newest: dict[int, BotVersion] = {}
        ready = [version for version in self.book.versions() if version.state == READY]
        newest.update((version.person, version) for version in ready)
        if not ready:
            return
        with office(self.database) as at:
            for version in newest.values():
                self._enter(at, version, [each for each in ready if each.person == version.person])

    def _enter(self, at: Office, version: BotVersion, own: Sequence[BotVersion]) -> None:
        if at.night.is_ended():
            return
        if version.bot not in at.bots():
            at.add({"path": str(self.folder(version)), "name": version.bot}, Path())
        for older in own:
            if older.id != version.id and older.bot in at.bots() and older.bot not in at.decisions.out:
                at.withdraw(older.bot, f"its author handed in version {version.number}", from_start=False)


async def _end(child: asyncio.subprocess.Process) -> None:
    """End a process by its input, and by force if it does not go."""
    if child.stdin is not None:
        child.stdin.close()
    try:
        async with asyncio.timeout(END_S):
            await child.wait()
    except TimeoutError:
        with suppress(ProcessLookupError):
            child.kill()
        await child.wait()
