"""The pages of a night, served: the content of each address."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import segno
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Lifespan

from pips_referee.command.address import is_loopback
from pips_referee.errors import PipsError
from pips_referee.game import get_game
from pips_tourney.errors import TourneyError
from pips_tourney.night.log.store import StoreError
from pips_tourney.web.address import own_address
from pips_tourney.web.door import AGAINST, MENU, OWN, SEES_ALL, VISITOR, Door
from pips_tourney.web.live.tables import Tables
from pips_tourney.web.live.updates import SHARE, Live
from pips_tourney.web.match.courses import Courses, WhoAsks
from pips_tourney.web.numbers import number_of
from pips_tourney.web.page import STATIC, page
from pips_tourney.web.public import Public, told_to_all
from pips_tourney.web.season import SeasonPages

if TYPE_CHECKING:
    from pips_tourney.web.live.seating import SeatHandlers

_LOG: Final = logging.getLogger(__name__)
UPSETS: Final = 8
SMALL: Final = 2000
"""Shorter answers, in bytes, are not compressed. News are never compressed."""


@dataclass(frozen=True, slots=True)
class Showing:
    """The options of the pages.

    `open_cards` allows replays of matches whose deal is still being played. `play`
    offers seats for persons. `public` hides everything that is for the organiser only.
    `share` is the most of one core that standings may take. With `idle`, analyses use
    only idle time.
    """

    database: Path | None
    token: str | None = None
    open_cards: bool = False
    play: bool = True
    public: bool = False
    share: float = SHARE
    idle: bool = True


class Site:
    """The handlers, with their common state."""

    def __init__(self, showing: Showing, seating: SeatHandlers | None = None) -> None:
        self._showing = showing
        self._public = Public() if showing.public or showing.token is not None else None
        """Other machines never see what is for the organiser only."""
        self.live = None if showing.database is None else Live(showing.database, self._public, showing.share)
        self.tables = None if self.live is None else Tables(self.live, open_cards=showing.open_cards)
        self._season = None if showing.database is None else SeasonPages(showing.database)
        self._courses = None if showing.database is None else Courses(showing.database, idle=showing.idle)
        self._seating = _seating() if showing.play else seating
        self.opened = asyncio.Event()
        """Set once the night was read and requests are answered."""

    def app(self) -> Starlette:
        """The application, with its door."""
        return self.inside([Middleware(Door, token=self._showing.token)], self._lifespan)

    def inside(self, doors: Sequence[Middleware] = (), lifespan: Lifespan[Starlette] | None = None) -> Starlette:
        """The application inside another one, which calls `working` itself."""
        routes = [
            Route("/", self.page),
            Route("/events", self.events),
            Route("/tables", self.tables_now),
            Route("/api/matches", self.matches),
            Route("/api/match/{match}", self.match),
            Route("/api/match/{match}/course", self.course),
            Route("/api/bot/{bot}/losses", self.losses),
            Route("/api/luck", self.luck),
            Route("/api/upsets", self.upsets),
            Route("/api/season", self.season),
            Route("/api/rules/{game}", self.rules),
            Mount("/static", StaticFiles(directory=STATIC)),
        ]
        handlers: dict[Any, Any] = {TourneyError: self._told, PipsError: self._told, HTTPException: _refused}
        if self._seating is not None:
            routes += self._seating.routes()
            handlers |= self._seating.handlers
        return Starlette(
            routes=routes,
            middleware=[*doors, Middleware(GZipMiddleware, minimum_size=SMALL, compresslevel=1)],
            exception_handlers=handlers,
            lifespan=lifespan,
        )

    @asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        async with self.working():
            yield

    @asynccontextmanager
    async def working(self) -> AsyncIterator[None]:
        """Follow the night while the context lasts."""
        if self.live is None or self.tables is None:
            yield
        else:
            await self.live.open()
            looking = [asyncio.create_task(each.keep_looking()) for each in (self.live, self.tables)]
            self.opened.set()
            yield
            for task in looking:
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
            if self._courses is not None:
                await self._courses.close()
            await self.tables.close()
            self.live.close()
        if self._seating is not None and self._showing.play:
            self._seating.close()

    def _invitation(self, request: Request) -> dict[str, Any]:
        """The pages' address for the audience, with a QR code for phones.

        None if other machines cannot reach the pages.
        """
        if self._showing.token is None:
            return {}
        name = request.url.hostname or ""
        at = f"{own_address() if is_loopback(name) else name}:{request.url.port or 80}"
        code = segno.make(f"http://{at}/?token={self._showing.token}", error="l")
        return {"link": f"http://{at}/", "code": code.svg_data_uri(scale=4, border=2)}

    async def page(self, request: Request) -> Response:
        live = self.live
        about: dict[str, Any] = {"mode": "live", "play": None, "night": None, "home": request.scope.get(MENU)}
        about["own"] = [] if request.scope.get(SEES_ALL) else [*request.scope.get(OWN, ())]
        if self._seating is not None and (self._showing.play or VISITOR in request.scope):
            against = request.scope.get(AGAINST)
            about |= {"play": self._seating.offers, "against": against and against()}
        if live is not None:
            await live.freshen()
            about |= self._invitation(request) | {
                "night": json.loads(live.watch.night),
                "progress": await live.ask(live.watch.progress),
                "season": self._season is not None and self._season.is_there(),
            }
        return HTMLResponse(page(about), headers={"cache-control": "no-store"})

    async def events(self, _: Request) -> Response:
        return _news((await self._night()).spectate())

    async def tables_now(self, _: Request) -> Response:
        await self._night()
        assert self.tables is not None
        return _news(self.tables.spectate())

    def send_home(self) -> None:
        """End the news for all spectators."""
        if self.live is not None and self.tables is not None:
            self.live.crowd.send_home()
            self.tables.crowd.send_home()

    async def matches(self, request: Request) -> Response:
        live, after = await self._night(), request.query_params.get("after", "0")
        if (number := number_of(after)) is None:
            raise HTTPException(400, "`after` is a match's number")
        return Response(await live.ask(lambda: live.watch.matches(number)), media_type="application/json")

    async def match(self, request: Request) -> Response:
        live, database = await self._night(), self._showing.database
        assert database is not None
        seat = request.query_params.get("seat", "")
        number = number_of(seat)
        if seat and number is None:
            raise HTTPException(400, "`seat` is a number")
        match_id = await self._open_match(live, request)
        from pips_tourney.web.match.matches import (
            match_json,  # imported for the first match, with the games and their boards
        )

        own = None if self._public is None else request.scope.get(OWN, ())
        shown = await run_in_threadpool(match_json, database, match_id, number, own=own)
        return JSONResponse(shown if self._public is None else self._public.replay(shown))

    async def course(self, request: Request) -> Response:
        """A match step by step, if it may be shown."""
        live, courses = await self._night(), self._courses
        assert courses is not None
        match_id = await self._open_match(live, request)
        return JSONResponse(await courses.json("match", match_id, asker=asker_of(request)))

    async def losses(self, request: Request) -> Response:
        """A bot's mistakes, in deals played in every seating."""
        live, courses, bot = await self._night(), self._courses, request.path_params["bot"]
        assert courses is not None
        if bot not in await live.ask(lambda: [each.name for each in live.watch.archive.night.programme.entrants]):
            raise HTTPException(404, f"there is no bot {bot}")
        seen = await live.ask(lambda: live.watch.archive.seen)
        return JSONResponse(await courses.json("bot", bot, seen, asker_of(request)))

    async def luck(self, request: Request) -> Response:
        """The effect of luck on all bots, in deals played in every seating."""
        live, courses = await self._night(), self._courses
        assert courses is not None
        seen = await live.ask(lambda: live.watch.archive.seen)
        return JSONResponse(await courses.json("luck", "", seen, asker_of(request)))

    async def _open_match(self, live: Live, request: Request) -> str:
        """The match's whole id. Raises 404 if it is unknown, 403 amid its deal."""
        begin = request.path_params["match"]
        match_id = await live.ask(lambda: live.watch.archive.whole_id(begin))
        if why := await live.ask(lambda: live.watch.archive.why_unknown(match_id)):
            raise HTTPException(404, why)
        if not self._showing.open_cards and not await live.ask(lambda: live.watch.archive.may_be_shown(match_id)):
            raise HTTPException(403, "this match can be watched when its deal has been played from every seat")
        return match_id

    async def upsets(self, _: Request) -> Response:
        """Recent surprising matches, which the big screen replays."""
        live = await self._night()
        return JSONResponse(await live.ask(lambda: live.watch.archive.upsets(UPSETS)))

    async def season(self, _: Request) -> Response:
        if self._season is None:
            raise HTTPException(404, "no night is shown here")
        return JSONResponse(await run_in_threadpool(self._season.json))

    async def rules(self, request: Request) -> Response:
        return PlainTextResponse(get_game(request.path_params["game"]).rulebook())

    async def _night(self) -> Live:
        """The night, at most some seconds old, or a refusal."""
        if self.live is None:
            raise HTTPException(404, "no night is shown here")
        await self.live.freshen()
        return self.live

    async def _told(self, _: Request, error: Exception) -> Response:
        """An error that a person can fix, in a sentence."""
        database = self._showing.database
        if self._public is None or database is None:
            return JSONResponse({"error": str(error)}, 422)
        if isinstance(error, StoreError):  # visitors are not told what is wrong with the file
            _LOG.warning("%s", error)
        return JSONResponse({"error": told_to_all(error, database.parent)}, 422)


def _seating() -> SeatHandlers:
    from pips_tourney.web.live.seating import SeatHandlers  # imported with all games and sample bots

    return SeatHandlers()


def asker_of(request: Request) -> WhoAsks:
    """The visitor as known to the pages around these, otherwise their address."""
    if VISITOR in request.scope:
        return WhoAsks(str(request.scope[VISITOR]), is_person=True)
    return WhoAsks(request.client.host if request.client else "")


def _news(pieces: AsyncIterator[bytes]) -> Response:
    """Server-sent events that no proxy may cache."""
    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    return StreamingResponse(pieces, headers=headers, media_type="text/event-stream")


async def _refused(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return JSONResponse({"error": error.detail}, error.status_code)
