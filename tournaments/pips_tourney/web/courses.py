"""How matches went, for the screen: each is found once, by a process of its own."""

from __future__ import annotations

import asyncio
import json
import sys
from collections import OrderedDict
from pathlib import Path
from typing import Any, Final

from pips_tourney.errors import TourneyError

SECONDS: Final = 6.0
"""The CPU time of the rollouts of one match."""
PROCESS: Final = "pips_tourney.web.course"
KEPT: Final = 64
"""How many matches' courses a server keeps."""
MOST_WAITING: Final = 8
"""How many may be asked for at once."""
LONGEST_S: Final = 300.0
"""How long one may take: its process has what others leave of the machine."""


class NoCourse(TourneyError):
    """A match whose course cannot be told."""


class Courses:
    """Finds the courses of a night's matches, one after the other."""

    def __init__(self, database: Path) -> None:
        self._database = database
        self._found: OrderedDict[str, dict[str, Any]] = OrderedDict()
        self._turn = asyncio.Lock()
        self._waiting = 0

    async def json(self, match_id: str) -> dict[str, Any]:
        """The course of that match; `NoCourse` says why there is none."""
        if self._waiting >= MOST_WAITING:
            raise NoCourse("many matches are being analysed: try again in a minute")
        self._waiting += 1
        try:
            async with self._turn:
                if match_id not in self._found:
                    self._found[match_id] = await self._find(match_id)
                    if len(self._found) > KEPT:
                        self._found.popitem(last=False)
                self._found.move_to_end(match_id)
                return self._found[match_id]
        finally:
            self._waiting -= 1

    async def _find(self, match_id: str) -> dict[str, Any]:
        words = [sys.executable, "-m", PROCESS, str(self._database), match_id, str(SECONDS)]
        process = await asyncio.create_subprocess_exec(*words, stdout=asyncio.subprocess.PIPE)
        try:
            async with asyncio.timeout(LONGEST_S):
                said, _ = await process.communicate()
        except TimeoutError:
            raise NoCourse(
                f"match {match_id} was not analysed within {LONGEST_S:g} s: others need the machine"
            ) from None
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        if process.returncode:
            raise NoCourse(f"match {match_id} could not be analysed: exit status {process.returncode}")
        found: dict[str, Any] = json.loads(said)
        if "error" in found:
            raise NoCourse(found["error"])
        return found
