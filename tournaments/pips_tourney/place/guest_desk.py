"""The desk of a hosted night: its bots run elsewhere, and another process plays it."""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import dataclass, field
from typing import Any, Final

from pips_referee.loop import loop_pipe
from pips_tourney.errors import TourneyError
from pips_tourney.night.log.store import runner_of
from pips_tourney.people.presence import GuestNote, noted_guests
from pips_tourney.people.store import Person
from pips_tourney.place.desk import Desk

LONGEST_LINE: Final = 1 << 24
FAILED: Final = "its author sees why"
"""What everybody else is told of a check that failed."""


class NoDesk(TourneyError):
    """Something that a hosted night does not have."""


@dataclass
class GuestDesk(Desk):
    """What the pages of a hosted night work with."""

    over: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the host has closed the pipe to this process."""
    said: list[str] = field(default_factory=list)
    """The last lines of the host, which sends all of them every time."""

    def bots_of(self, person: Person) -> list[str]:
        return [each.bot for each in self.people.everybody()] if person.organiser else [person.bot]

    def guest(self, person: Person) -> GuestNote | None:
        found = [note for note in noted_guests(self.database) if note.player == person.bot]
        return found[0] if found else None

    @property
    def is_playing(self) -> bool:
        return runner_of(self.database) is not None

    @property
    def frozen_at(self) -> int | None:
        """Never: nothing is handed in, and the host ends the night."""
        return None

    def last_told(self) -> list[str]:
        return [*self.said, *super().last_told()]

    def end_night(self) -> None:
        raise NoDesk("a hosted night ends when all of it is played; `pips-tourney serve --new` begins another")

    async def work(self) -> None:
        """Hear what the host says, until it closes the pipe."""
        reader = asyncio.StreamReader(LONGEST_LINE)
        await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), loop_pipe(sys.stdin.buffer)
        )
        while line := await reader.readline():
            self._hear(line)
        self.over.set()

    def _hear(self, line: bytes) -> None:
        said: dict[str, Any] = json.loads(line)
        self.said = said.pop("told", [])
        for guest in (said.get("lobby") or {}).get("guests", ()):
            guest["check"] = guest["check"] and FAILED
        self.on_tables(json.dumps(said).encode())
