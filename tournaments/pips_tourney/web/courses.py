"""What matches teach, for the screen: each is found once, by a process of its own."""

from __future__ import annotations

import asyncio
import json
import sys
from collections import OrderedDict
from pathlib import Path
from typing import Any, Final

from pips_tourney.errors import TourneyError

SECONDS: Final = {"match": 6.0, "bot": 30.0, "luck": 0.0}
"""The CPU time of the rollouts for one match, and for one bot."""
PROCESS: Final = "pips_tourney.web.lessons"
KEPT: Final = 64
"""How many answers a server keeps."""
MOST_WAITING: Final = 8
"""How many may be asked for at once."""
LONGEST_S: Final = {"match": 300.0, "bot": 900.0, "luck": 1800.0}
"""How long one may take: its process has what others leave of the machine."""


class NoCourse(TourneyError):
    """Something about matches that cannot be told."""


class Courses:
    """Finds the courses of a night's matches and more, one after the other."""

    def __init__(self, database: Path) -> None:
        self._database = database
        self._found: OrderedDict[tuple[str, str, int], Any] = OrderedDict()
        self._turn = asyncio.Lock()
        self._waiting = 0

    async def json(self, what: str, of: str, upto: int = 0) -> Any:
        """The course of a `match`, where a `bot` loses, or the `luck` of the night.

        `upto` is how many results there are: of more it may say something else.
        `NoCourse` says why there is none.
        """
        key = (what, of, upto)
        if key in self._found:
            self._found.move_to_end(key)
            return self._found[key]
        if self._waiting >= MOST_WAITING:
            raise NoCourse("much is being analysed: try again in a minute")
        self._waiting += 1
        try:
            async with self._turn:
                if key not in self._found:
                    self._found[key] = await self._find(what, of)
                    if len(self._found) > KEPT:
                        self._found.popitem(last=False)
                self._found.move_to_end(key)
                return self._found[key]
        finally:
            self._waiting -= 1

    async def _find(self, what: str, of: str) -> Any:
        words = [sys.executable, "-m", PROCESS, str(self._database), str(SECONDS[what]), what, of]
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
