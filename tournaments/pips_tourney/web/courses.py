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


class NoCourse(TourneyError):
    """A match whose course cannot be told."""


class Courses:
    """Finds the courses of a night's matches, one after the other."""

    def __init__(self, database: Path) -> None:
        self._database = database
        self._found: OrderedDict[str, dict[str, Any]] = OrderedDict()
        self._turn = asyncio.Lock()

    async def json(self, match_id: str) -> dict[str, Any]:
        """The course of that match; `NoCourse` says why there is none."""
        async with self._turn:
            if match_id not in self._found:
                self._found[match_id] = await self._find(match_id)
                if len(self._found) > KEPT:
                    self._found.popitem(last=False)
            self._found.move_to_end(match_id)
            return self._found[match_id]

    async def _find(self, match_id: str) -> dict[str, Any]:
        words = [sys.executable, "-m", PROCESS, str(self._database), match_id, str(SECONDS)]
        process = await asyncio.create_subprocess_exec(*words, stdout=asyncio.subprocess.PIPE)
        try:
            said, _ = await process.communicate()
        finally:
            if process.returncode is None:
                process.kill()
        if process.returncode:
            raise NoCourse(f"match {match_id} could not be analysed: exit status {process.returncode}")
        found: dict[str, Any] = json.loads(said)
        if "error" in found:
            raise NoCourse(found["error"])
        return found
