"""A night with guests: their bots dial in, and another process hosts and plays it."""

from __future__ import annotations

import asyncio
import json
import sys
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pips_referee.loop import loop_pipe
from pips_tourney.night.log.store import runner_of
from pips_tourney.people.presence import GuestNote, noted_guests
from pips_tourney.people.store import People, Person
from pips_tourney.place.nights import NightPages
from pips_tourney.place.pages.site import API, Told

LONGEST_LINE: Final = 1 << 24
PARTS: Final = [("matches", "Matches"), ("versions", "Ratings"), ("more", "Feedback and tools")]
FAILED: Final = "its author sees why"
"""What other people read about a check that failed."""


@dataclass
class Guests:
    """The data and the extra pages of a night with guests."""

    kind: ClassVar[str] = "guests"
    league: Path
    database: Path
    people: People
    dial: str
    """The address at which bots dial in, as their authors type it."""
    told: deque[str] = field(default_factory=deque)
    nights: NightPages = field(init=False)
    _host_told: list[str] = field(default_factory=list)
    """The last lines of the host, which always sends all of them."""

    def __post_init__(self) -> None:
        self.nights = NightPages(self.database)

    @property
    def folder(self) -> Path:
        return self.people.folder

    @property
    def is_playing(self) -> bool:
        return runner_of(self.database) is not None

    def bots_of(self, person: Person) -> list[str]:
        return [each.bot for each in self.people.everybody()] if person.organiser else [person.bot]

    def last_told(self) -> list[str]:
        return [*self._host_told, *self.told]

    async def work(self) -> None:
        """Read the host's messages until it closes the pipe."""
        reader = asyncio.StreamReader(LONGEST_LINE)
        await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), loop_pipe(sys.stdin.buffer)
        )
        while line := await reader.readline():
            self._hear(line)

    def _hear(self, line: bytes) -> None:
        said: dict[str, Any] = json.loads(line)
        self._host_told = said.pop("told", [])
        for guest in (said.get("lobby") or {}).get("guests", ()):
            guest["check"] = guest["check"] and FAILED
        self.nights.hear(json.dumps(said).encode())

    def routes(self) -> list[Route]:
        return [Route(f"{API}/{{what}}", self.no_hand_in, methods=["GET", "POST"])]

    async def no_hand_in(self, _: Request) -> Response:
        raise HTTPException(
            404,
            f"Bots run on their authors' machines: `pips-bot join {self.dial}` lets one play, {API}/me describes it.",
        )

    async def mine(self, person: Person) -> dict[str, Any]:
        return {
            "lines": lines_of(self._notes().get(person.bot)),
            "dial": self.dial,
            "script": "guest.js",
            "parts": PARTS,
        }

    async def me(self, person: Person) -> dict[str, Any]:
        """Where a person's bot is, and the result of its check."""
        note = self._notes().get(person.bot)
        here, since, check = (note.here, note.since or None, note.check) if note else (False, None, None)
        return {"guest": {"here": here, "since": since, "check": check, "said": lines_of(note)}}

    def organiser(self) -> dict[str, Any]:
        notes = self._notes()
        where = {person.id: " ".join(lines_of(notes.get(person.bot))) for person in self.people.everybody()}
        return {"dial": self.dial, "where": where}

    def acts(self) -> Mapping[str, Callable[[dict[str, str]], Told]]:
        return {}

    def _notes(self) -> dict[str, GuestNote]:
        return {note.player: note for note in noted_guests(self.database)}


def lines_of(guest: GuestNote | None) -> list[str]:
    """Where a bot on another machine is, and the result of its check."""
    return (
        ["The night is not hosted now."] if guest is None else [line for line in (guest.where, guest.checked) if line]
    )
