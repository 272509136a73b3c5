"""The addresses for taking a seat and playing.

Beside a night they are missing, or only for members, against quick bots, because the
night's time belongs to its bots.
"""

from __future__ import annotations

import secrets
from typing import Any, Final

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from pips_referee.errors import UnreadableAnswer
from pips_tourney.web.door import VISITOR
from pips_tourney.web.live.seats import AllTaken, NoSeat, Published, Seats, offers
from pips_tourney.web.numbers import whole

BROWSER: Final = "pips-browser"
"""The cookie that identifies a browser, because a browser has only one seat."""
MARK: Final = 32
"""The cookie's length."""


class SeatHandlers:
    """The handlers, with their common seats."""

    def __init__(
        self, offered: list[dict[str, Any]] | None = None, published: Published = dict, *, members: bool = False
    ) -> None:
        self.offers = offers() if offered is None else offered
        self._seats, self._members = Seats(offered=self.offers, published=published), members
        self.handlers = {AllTaken: _all_taken, NoSeat: _no_seat, UnreadableAnswer: _not_an_answer}

    def routes(self) -> list[Route]:
        return [
            Route("/api/seats", self.take_seat, methods=["POST"]),
            Route("/api/seats/{seat}", self.seat),
            Route("/api/seats/{seat}", self.answer, methods=["POST"]),
            Route("/api/seats/{seat}", self.leave, methods=["DELETE"]),
            Route("/api/seats/{seat}/replay", self.own_replay),
        ]

    def close(self) -> None:
        """End all seats."""
        self._seats.close()

    async def take_seat(self, request: Request) -> Response:
        member = str(request.scope.get(VISITOR, ""))
        if self._members and not member:
            raise HTTPException(401, "enter with your invite first")
        browser = member.rjust(MARK, "-") if self._members else request.cookies.get(BROWSER, "")
        seat = self._seats.take(await _body(request), browser if len(browser) == MARK else "")
        answer = JSONResponse(await run_in_threadpool(seat.state, 0))
        if len(browser) != MARK:
            mark = secrets.token_hex(MARK // 2)
            self._seats.belongs(seat, mark)
            answer.set_cookie(BROWSER, mark, httponly=True, samesite="strict")
        return answer

    async def seat(self, request: Request) -> Response:
        return JSONResponse(await run_in_threadpool(self._seats[request.path_params["seat"]].state, 0))

    async def answer(self, request: Request) -> Response:
        """Take an answer. With `weigh`, only say whether a stack is legal."""
        seat, said = self._seats[request.path_params["seat"]], await _body(request)
        number, seen = (whole(said.get(name), name) for name in ("number", "seen"))
        typed = str(said.get("answer", ""))
        if said.get("weigh"):
            why_not = await run_in_threadpool(seat.weigh, number, typed)
            return JSONResponse({"legal": not why_not, "why": why_not})
        await run_in_threadpool(seat.answer, number, typed)
        return JSONResponse(await run_in_threadpool(seat.state, seen))

    async def leave(self, request: Request) -> Response:
        self._seats.leave(request.path_params["seat"])
        return JSONResponse({})

    async def own_replay(self, request: Request) -> Response:
        return JSONResponse(await run_in_threadpool(self._seats[request.path_params["seat"]].replay))


async def _body(request: Request) -> dict[str, Any]:
    """The JSON object in the body, which no form of another site can send."""
    if request.headers.get("content-type", "").partition(";")[0] != "application/json":
        raise HTTPException(415, "this takes JSON")
    try:
        body = await request.json()
    except ValueError:
        body = None
    if not isinstance(body, dict):
        raise HTTPException(400, "this takes a JSON object")
    return body


async def _all_taken(_: Request, error: Exception) -> Response:
    return JSONResponse({"error": str(error)}, 503, {"retry-after": "60"})


async def _no_seat(_: Request, error: Exception) -> Response:
    return JSONResponse({"error": str(error)}, 404)


async def _not_an_answer(_: Request, error: Exception) -> Response:
    return JSONResponse({"error": str(error)}, 422)
