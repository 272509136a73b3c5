"""Analyses of matches for the screen; each is computed once, in a separate process."""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter, OrderedDict
from pathlib import Path
from typing import Any, Final, NamedTuple

from pips_tourney.errors import TourneyError

SECONDS: Final = {"match": 6.0, "bot": 30.0, "luck": 0.0}
"""By kind of analysis, the CPU time of its rollouts, in seconds."""
PROCESS: Final = "pips_tourney.web.match.lessons"
KEPT: Final = 64
"""How many results a server caches."""
MOST_WAITING: Final = 8
"""How many analyses may be open at once."""
MOST_OF_ONE: Final = 3
"""How many open analyses a visitor may have, as long as others can begin some."""
FOR_OTHERS: Final = 2
"""How many free places stay for others: one address may stand for many visitors."""
LONGEST_S: Final = {"match": 300.0, "bot": 900.0, "luck": 1800.0}
"""Seconds that an analysis may take, as it runs on the machine's idle time."""

OVER: Final = "this night is no longer shown here: open its page again"


class NoCourse(TourneyError):
    """An analysis of matches that is not possible."""


class WhoAsks(NamedTuple):
    """The visitor's address, or the person known to the pages around these."""

    name: str = ""
    is_person: bool = False


NOBODY: Final = WhoAsks()


class Courses:
    """Computes the courses of a night's matches and other analyses, one at a time."""

    def __init__(self, database: Path, *, idle: bool = True) -> None:
        self._database, self._idle = database, idle
        self._found: OrderedDict[tuple[str, str, int], Any] = OrderedDict()
        self._turn = asyncio.Lock()
        self._begun: dict[tuple[str, str, int], asyncio.Task[Any]] = {}
        """The analyses in progress. Requests for the same one share a task."""
        self._askers = Counter[WhoAsks]()
        self._closed = False

    async def close(self) -> None:
        """End the current analyses and their process; no new one can start."""
        self._closed = True
        begun = [*self._begun.values()]
        for task in begun:
            task.cancel()
        await asyncio.gather(*begun, return_exceptions=True)
        self._begun.clear()

    async def json(self, what: str, of: str, upto: int = 0, asker: WhoAsks = NOBODY) -> Any:
        """The steps of a `match`, the mistakes of a `bot`, or the `luck` of the night.

        `upto` is the number of results; with more, the analysis may differ. No `asker`
        gets all places. Raises `NoCourse` if there is none.
        """
        key = (what, of, upto)
        if key in self._found:
            self._found.move_to_end(key)
            return self._found[key]
        if key not in self._begun:
            if self._closed:
                raise NoCourse(OVER)
            self._check_room(asker)
            self._askers[asker] += 1
            self._begun[key] = begun = asyncio.create_task(self._keep(key, asker))
            begun.add_done_callback(_seen)
        finding = self._begun[key]
        await asyncio.wait([finding])  # a visitor who leaves does not end it for the others
        if finding.cancelled():
            raise NoCourse(OVER)
        return finding.result()

    def _check_room(self, asker: WhoAsks) -> None:
        """Raise `NoCourse` if no place is free for this visitor."""
        free, own = MOST_WAITING - len(self._begun), self._askers[asker]
        if free <= 0:
            raise NoCourse("too many analyses are waiting: try again in a minute")
        if own >= MOST_OF_ONE and (asker.is_person or free <= FOR_OTHERS):
            asked = "that you asked for" if asker.is_person else "asked for from your address"
            raise NoCourse(f"{own} analyses {asked} are not there yet: wait for one of them")

    async def _keep(self, key: tuple[str, str, int], asker: WhoAsks) -> Any:
        """Compute the analysis in turn, and cache it."""
        what, of, _ = key
        try:
            async with self._turn:
                self._found[key] = await self._find(what, of)
                if len(self._found) > KEPT:
                    self._found.popitem(last=False)
                return self._found[key]
        finally:
            self._askers -= Counter([asker])  # drops visitors without open analyses
            del self._begun[key]

    async def _find(self, what: str, of: str) -> Any:
        words = [sys.executable, "-m", PROCESS, str(self._database), str(SECONDS[what]), what, of]
        words += ["idle"] * self._idle
        process = await asyncio.create_subprocess_exec(*words, stdout=asyncio.subprocess.PIPE)
        named = f"{what} {of}".rstrip()
        try:
            async with asyncio.timeout(LONGEST_S[what]):
                said, _ = await process.communicate()
        except TimeoutError:
            raise NoCourse(f"{named} was not analysed within {LONGEST_S[what]:g} s: others need the machine") from None
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        if process.returncode:
            raise NoCourse(f"{named} could not be analysed: exit status {process.returncode}")
        found: dict[str, Any] = json.loads(said)
        if "error" in found:
            raise NoCourse(found["error"])
        return found["found"]


def _seen(task: asyncio.Task[Any]) -> None:
    """Read the task's error, in case every visitor has left."""
    if not task.cancelled():
        task.exception()
