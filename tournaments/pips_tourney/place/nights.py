"""The night on screen within a place: it always shows the current night."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Final, TypeVar

from starlette.types import ASGIApp

from pips_tourney.errors import TourneyError
from pips_tourney.web.archive import Archive
from pips_tourney.web.live.seating import SeatHandlers
from pips_tourney.web.server import Showing, Site

AGAIN_S: Final = 1.0
"""Seconds before a night that could not be read is opened again."""
SHARE: Final = 0.03
"""The most of one core that standings may take; beyond it they are updated later."""
T = TypeVar("T")
_LOG: Final = logging.getLogger(__name__)


class NightPages:
    """The pages of the current night, as an application to be mounted.

    They never show anything that only the organiser may see.
    """

    def __init__(self, database: Path) -> None:
        self._database = database
        self._app: ASGIApp | None = None
        self._site: Site | None = None
        self._file: tuple[int, int] | None = None
        """Which file is shown: another file may take over its name."""
        self._stack = AsyncExitStack()
        self._begun = asyncio.Event()
        self.seating: SeatHandlers | None = None
        """Seats for members; they last longer than a night."""
        self.open_cards = False
        """Whether everybody may see cards that others still have to play."""

    @property
    def app(self) -> ASGIApp | None:
        """The pages, once a night has begun."""
        return self._app

    @property
    def site(self) -> Site | None:
        """The site of the night, once a night has begun."""
        return self._site

    @property
    def is_open(self) -> bool:
        """Whether the current night has begun and is shown."""
        return self._site is not None and self._which() == self._file

    async def ask(self, question: Callable[[Archive], T], *, now: bool = False) -> T | None:
        """The answer to a question about the night; None if there is no night.

        The data may be some seconds old, unless `now` is set. Each fresh look is also
        sent to all spectators.
        """
        site = self._site
        if site is None or site.live is None:
            return None
        live = site.live
        await live.freshen(now=now)
        return await live.ask(lambda: question(live.watch.archive))

    def hear(self, line: bytes) -> None:
        """Handle a line from the night about its tables."""
        if self._site is not None and self._site.tables is not None:
            self._site.tables.hear(line)

    async def end(self) -> None:
        """Show the last state of a night that has ended."""
        if (site := self._site) is not None and site.live is not None and site.tables is not None:
            site.tables.over()
            await site.live.look(at_once=True)

    def begins(self) -> None:
        """Look whether another night has begun, and show it."""
        self._begun.set()

    async def keep_open(self) -> None:
        """Show the current night, until cancelled."""
        try:
            while True:
                self._begun.clear()
                if self._which() != self._file:
                    await self._change()
                is_shown = self._which() == self._file
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._begun.wait(), None if is_shown else AGAIN_S)
        finally:
            await self._close()

    def _which(self) -> tuple[int, int] | None:
        with suppress(FileNotFoundError):
            found = self._database.stat()
            return found.st_dev, found.st_ino
        return None

    async def _change(self) -> None:
        await self._close()
        which = self._which()
        if which is None:
            return
        showing = Showing(self._database, None, self.open_cards, play=False, public=True, share=SHARE, idle=False)
        site, stack = Site(showing, self.seating), AsyncExitStack()
        try:
            await stack.enter_async_context(site.working())
        except TourneyError as error:  # the database is being made
            _LOG.debug("%s", error)
            await stack.aclose()
            return
        self._site, self._app, self._file, self._stack = site, site.inside(), which, stack

    async def _close(self) -> None:
        if self._site is not None:
            self._site.send_home()
        self._site, self._app, self._file = None, None, None
        stack, self._stack = self._stack, AsyncExitStack()
        await stack.aclose()
