"""Which bots of a night are alike: a page and JSON for the organiser."""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from collections.abc import Collection, Sequence
from contextlib import suppress
from typing import Any, Final

from anyio import from_thread
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from pips_tourney.place.desk.desk import Desk
from pips_tourney.place.desk.hand_ins import DELETED
from pips_tourney.place.desk.processes import read_all
from pips_tourney.place.pages.site import PlaceSite, Told
from pips_tourney.workshop.checks.likeness import Likeness

MOST_S: Final = 3600.0
"""The longest time for a comparison of all bots, in seconds."""
BEGUN: Final = "The bots are being compared, which takes some seconds for each. Then reload this page."


class AlikePages:
    """Compares the bots when the organiser asks, and remembers the last result."""

    def __init__(self, site: PlaceSite, desk: Desk) -> None:
        self._site, self._desk = site, desk
        self._comparing: asyncio.Task[None] | None = None
        self._found: dict[str, Any] | None = None
        self._told = ""

    def routes(self) -> list[Route]:
        return [Route("/organiser/alike", self.page), Route("/organiser/alike.json", self.as_json)]

    def begin(self, _: dict[str, str]) -> Told:
        """Start a comparison unless one runs. Raises 422 before the night begins."""
        if not self._desk.carry_over.names():
            raise HTTPException(422, "The night has not begun: wait a moment.")
        from_thread.run_sync(self._begin)
        return Told(BEGUN)

    def _begin(self) -> None:
        if self._comparing is None or self._comparing.done():
            self._told = BEGUN
            self._comparing = asyncio.create_task(self._compare())

    async def _compare(self) -> None:
        lines: list[bytes] = []
        words = ("alike", str(self._desk.league), str(self._desk.database))
        try:
            code, err = await self._run(words, lines)
        except (OSError, ValueError) as error:  # no process can start, or it printed an endless line
            code, err = None, str(error)
        self._told = "" if code == 0 else f"They could not be compared. {err.strip()[-400:]}"
        with suppress(ValueError, IndexError):
            self._found = json.loads(lines[-1]) if code == 0 else self._found

    async def _run(self, words: Sequence[str], lines: list[bytes]) -> tuple[int | None, str]:
        return await read_all(words, MOST_S, lines.append)

    async def page(self, request: Request) -> Response:
        self._site.organiser(request)
        versions, whose = self._desk.hand_ins.all(), defaultdict[int, list[str]](list)
        for person in self._desk.people.everybody():
            whose[person.owner].append(person.name)
        names = {version.bot: ", ".join(whose[version.person]) for version in versions}
        found = self._living()
        return self._site.page(request, "alike.html", "Which bots are alike", told=self._told, found=found, names=names)

    async def as_json(self, request: Request) -> Response:
        self._site.organiser(request)
        return JSONResponse(self._living() or Likeness((), 0, {}).as_json())

    def _living(self) -> dict[str, Any] | None:
        """The last result, without bots whose authors have left since."""
        gone = {version.bot for version in self._desk.hand_ins.all() if version.state == DELETED}
        return None if self._found is None else without(self._found, gone)


def without(found: dict[str, Any], gone: Collection[str]) -> dict[str, Any]:
    """A result, as JSON, without any of these bots."""
    groups = [[bot for bot in bots if bot not in gone] for bots in found["same_files"]]
    return found | {
        "pairs": [pair for pair in found["pairs"] if pair["one"] not in gone and pair["other"] not in gone],
        "left_out": {bot: why for bot, why in found["left_out"].items() if bot not in gone},
        "same_files": [bots for bots in groups if len(bots) > 1],
    }
