"""The pages of a night, served: what there is at which address."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from sse_starlette import EventSourceResponse
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from pips_referee.errors import PipsError
from pips_referee.game import get_game
from pips_tourney.errors import TourneyError
from pips_tourney.web.door import Door
from pips_tourney.web.live import Live
from pips_tourney.web.matches import match_json
from pips_tourney.web.page import STATIC, page
from pips_tourney.web.seats import NoSeat, Seats, offers
from pips_tourney.workshop.human import NotAnAnswer

PING_S: Final = 15


@dataclass(frozen=True, slots=True)
class Showing:
    """What is served. `open_cards`: replays of matches whose deal is still being played; `play`: seats for persons."""

    database: Path | None
    token: str | None = None
    open_cards: bool = False
    play: bool = True


class Site:
    """The handlers, with what they share."""

    def __init__(self, showing: Showing) -> None:
        self._showing = showing
        self.live = None if showing.database is None else Live(showing.database)
        self._seats = Seats()
        self.opened = asyncio.Event()
        """Whether the night was read and requests are answered."""

    def app(self) -> Starlette:
        """The application."""
        routes = [
            Route("/", self.page),
            Route("/events", self.events),
            Route("/api/matches", self.matches),
            Route("/api/match/{match}", self.match),
            Route("/api/rules/{game}", self.rules),
            Mount("/static", StaticFiles(directory=STATIC)),
        ]
        if self._showing.play:
            routes += [
                Route("/api/seats", self.take_seat, methods=["POST"]),
                Route("/api/seats/{seat}", self.seat),
                Route("/api/seats/{seat}", self.answer, methods=["POST"]),
                Route("/api/seats/{seat}", self.leave, methods=["DELETE"]),
                Route("/api/seats/{seat}/replay", self.own_replay),
            ]
        return Starlette(
            routes=routes,
            middleware=[Middleware(Door, token=self._showing.token)],
            exception_handlers={TourneyError: _told, PipsError: _told, NotAnAnswer: _told, HTTPException: _refused},
            lifespan=self._lifespan,
        )

    @asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        if self.live is None:
            yield
        else:
            await self.live.open()
            looking = asyncio.create_task(self.live.keep_looking())
            self.opened.set()
            yield
            looking.cancel()
            with suppress(asyncio.CancelledError):
                await looking
            self.live.close()
        self._seats.close()

    async def page(self, _: Request) -> Response:
        live = self.live
        about: dict[str, Any] = {"mode": "live", "play": offers() if self._showing.play else None, "night": None}
        if live is not None:
            about |= {"night": json.loads(live.watch.night), "progress": await live.ask(live.watch.progress)}
            about["tables"] = json.loads(live.tables)
        return HTMLResponse(page(about), headers={"cache-control": "no-store"})

    async def events(self, _: Request) -> Response:
        live = self._night()

        return EventSourceResponse(live.spectate(), ping=PING_S)

    async def matches(self, request: Request) -> Response:
        live, after = self._night(), request.query_params.get("after", "0")
        if not after.isdecimal():
            raise HTTPException(400, "`after` is a match's number")
        rows = await live.ask(lambda: live.watch.matches(int(after)))
        return JSONResponse(rows)

    async def match(self, request: Request) -> Response:
        live, database = self._night(), self._showing.database
        assert database is not None
        match_id, seat = request.path_params["match"], request.query_params.get("seat", "")
        if seat and not seat.isdecimal():
            raise HTTPException(400, "`seat` is a number")
        if not self._showing.open_cards and not await live.ask(lambda: live.watch.archive.may_be_shown(match_id)):
            raise HTTPException(403, "this match can be watched when its deal has been played from every seat")
        shown = await run_in_threadpool(match_json, database, match_id, int(seat) if seat else None)
        return JSONResponse(shown)

    async def rules(self, request: Request) -> Response:
        return PlainTextResponse(get_game(request.path_params["game"]).rulebook())

    async def take_seat(self, request: Request) -> Response:
        seat = self._seats.take(await _body(request))
        return JSONResponse(await run_in_threadpool(seat.state, 0))

    async def seat(self, request: Request) -> Response:
        return JSONResponse(await run_in_threadpool(self._seats[request.path_params["seat"]].state, 0))

    async def answer(self, request: Request) -> Response:
        """An answer, or with `weigh` a question whether a stack is legal."""
        seat, said = self._seats[request.path_params["seat"]], await _body(request)
        number, typed, seen = int(said.get("number", 0)), str(said.get("answer", "")), int(said.get("seen", 0))
        if said.get("weigh"):
            why_not = seat.weigh(number, typed)
            return JSONResponse({"legal": not why_not, "why": why_not})
        seat.answer(number, typed)
        return JSONResponse(await run_in_threadpool(seat.state, seen))

    async def leave(self, request: Request) -> Response:
        self._seats.leave(request.path_params["seat"])
        return JSONResponse({})

    async def own_replay(self, request: Request) -> Response:
        return JSONResponse(await run_in_threadpool(self._seats[request.path_params["seat"]].replay))

    def _night(self) -> Live:
        if self.live is None:
            raise HTTPException(404, "no night is shown here")
        return self.live


async def _body(request: Request) -> dict[str, Any]:
    """A JSON object; another site's form cannot send that."""
    if request.headers.get("content-type", "").partition(";")[0] != "application/json":
        raise HTTPException(415, "this takes JSON")
    try:
        body = await request.json()
    except ValueError:
        body = None
    if not isinstance(body, dict):
        raise HTTPException(400, "this takes a JSON object")
    return body


async def _told(_: Request, error: Exception) -> Response:
    """What a person can mend, in a sentence."""
    return JSONResponse({"error": str(error)}, 404 if isinstance(error, NoSeat) else 422)


async def _refused(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return JSONResponse({"error": error.detail}, error.status_code)
