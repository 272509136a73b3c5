"""The pages of a place, and what can be done on them."""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from pips_tourney.errors import TourneyError
from pips_tourney.place.book import Person
from pips_tourney.place.desk import Desk
from pips_tourney.place.hand_in import MOST_FILES, UPLOAD_BYTES, HandInError, keep_hand_in, packed
from pips_tourney.place.limits import Bounds, WrongCodes
from pips_tourney.place.shown import about_bot, match_list, tables
from pips_tourney.place.versions import check_pace, hand_in_again, shown_versions

COOKIE: Final = "pips-place"
_HERE: Final = Path(__file__)
_TEMPLATES: Final = Environment(
    loader=FileSystemLoader(_HERE.with_name("templates")), autoescape=True, undefined=StrictUndefined
)


@dataclass
class PlaceSite:
    """The handlers.

    `league` is the name that pages show; `secure` is whether they are served by TLS.
    """

    desk: Desk
    league: str
    house: frozenset[str] = frozenset()
    secure: bool = False
    wrong: WrongCodes = field(default_factory=WrongCodes)

    def app(self, more: Sequence[Route]) -> Starlette:
        """The application, with `more` pages; the desk works as long as it lives."""
        routes = [
            Route("/", self.standings),
            Route("/enter", self.enter_page),
            Route("/enter", self.enter, methods=["POST"]),
            Route("/leave", self.leave, methods=["POST"]),
            Route("/matches", self.matches),
            Route("/mine", self.mine),
            Route("/mine", self.hand_in, methods=["POST"]),
            Route("/mine/{version:int}.zip", self.download),
            Route("/mine/{version:int}/again", self.again, methods=["POST"]),
            *more,
            Mount("/static", StaticFiles(directory=_HERE.with_name("static"))),
        ]
        return Starlette(
            routes=routes,
            middleware=[Middleware(Bounds, most_bytes=UPLOAD_BYTES + (1 << 20), large=("/mine",))],
            exception_handlers={HTTPException: self._refused, TourneyError: self._mistake},
            lifespan=self._lifespan,
        )

    @asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        working = asyncio.create_task(self.desk.work())
        yield
        working.cancel()
        with suppress(asyncio.CancelledError):
            await working

    def page(self, request: Request, name: str, title: str, *, status: int = 200, **values: Any) -> Response:
        """A page; what is on it is escaped."""
        cookie = request.cookies.get(COOKIE, "")
        values = {"script": "", "told": "", **values, "title": title, "league": self.league}
        shown = {"visitor": self.desk.book.visitor(cookie), "form": form_mark(cookie), **values}
        return HTMLResponse(_TEMPLATES.get_template(name).render(shown), status)

    def visitor(self, request: Request) -> Person:
        """The person that asks. Raises 401 for somebody without an invite."""
        if (person := self.desk.book.visitor(request.cookies.get(COOKIE, ""))) is None:
            raise HTTPException(401, "Enter with your invite first.")
        return person

    async def form(self, request: Request) -> tuple[Person, FormData]:
        """The sender of a form, and the form. Raises 403 for one of another page."""
        person = self.visitor(request)
        check_origin(request)
        form = await request.form(max_files=MOST_FILES, max_fields=20, max_part_size=UPLOAD_BYTES)
        mark = form.get("form")
        if not isinstance(mark, str) or not hmac.compare_digest(
            mark.encode(errors="replace"), form_mark(request.cookies[COOKIE]).encode()
        ):
            raise HTTPException(403, "This form is not from your own page: open the page again.")
        return person, form

    async def standings(self, request: Request) -> Response:
        if self.desk.book.visitor(request.cookies.get(COOKIE, "")) is None:
            return RedirectResponse("/enter", 303)
        shown = await run_in_threadpool(tables, self.desk.database)
        return self.page(request, "standings.html", "Standings", tables=shown)

    async def matches(self, request: Request) -> Response:
        self.visitor(request)
        lines = await run_in_threadpool(match_list, self.desk.database)
        return self.page(request, "matches.html", "Matches", lines=lines)

    async def enter_page(self, request: Request) -> Response:
        return self.page(request, "enter.html", "Enter", script="enter.js")

    async def enter(self, request: Request) -> Response:
        check_origin(request)
        address = request.client.host if request.client else ""
        if not self.wrong.may_try(address):
            raise HTTPException(429, "Too many wrong codes came from your address: wait a minute.")
        code = (await request.form(max_files=0, max_fields=5)).get("code", "")
        cookie = await run_in_threadpool(self.desk.book.enter, code if isinstance(code, str) else "")
        if cookie is None:
            self.wrong.wrong(address)
            raise HTTPException(403, "Nobody has this code: ask for another invite.")
        person = self.desk.book.visitor(cookie)
        answer = RedirectResponse("/organiser" if person and person.organiser else "/mine", 303)
        answer.set_cookie(COOKIE, cookie, httponly=True, samesite="strict", secure=self.secure, max_age=120 * 86400)
        return answer

    async def leave(self, request: Request) -> Response:
        await self.form(request)
        self.desk.book.leave(request.cookies[COOKIE])
        answer = RedirectResponse("/enter", 303)
        answer.delete_cookie(COOKIE, httponly=True, samesite="strict", secure=self.secure)
        return answer

    async def mine(self, request: Request, *, told: str = "", status: int = 200) -> Response:
        person = self.visitor(request)
        if person.organiser:
            return RedirectResponse("/organiser", 303)
        own = self.desk.book.versions(person.id)
        sections = await run_in_threadpool(about_bot, self.desk.database, [version.bot for version in own])
        versions = shown_versions(own, self.desk.book.versions())
        return self.page(
            request, "mine.html", person.bot, told=told, status=status, versions=versions, sections=sections
        )

    async def hand_in(self, request: Request) -> Response:
        person, form = await self.form(request)
        if person.organiser:
            raise HTTPException(403, "The organiser has no bot: invite yourself under another name.")
        try:
            check_pace(self.desk.book.versions(person.id))
            uploads = await _uploads(form)
            folder = await run_in_threadpool(keep_hand_in, uploads, self.desk.versions, person.bot)
        except HandInError as error:
            return await self.mine(request, told=f"Not handed in: {error}.", status=422)
        finally:
            await form.close()
        await run_in_threadpool(self.desk.book.hand_in, person, folder)
        self.desk.wake()
        return RedirectResponse("/mine", 303)

    async def again(self, request: Request) -> Response:
        person, _ = await self.form(request)
        if not await run_in_threadpool(hand_in_again, self.desk, person, request.path_params["version"]):
            raise HTTPException(404, "You have no such version.")
        self.desk.wake()
        return RedirectResponse("/mine", 303)

    async def download(self, request: Request) -> Response:
        person = self.visitor(request)
        for version in self.desk.book.versions(None if person.organiser else person.id):
            if version.id == request.path_params["version"]:
                content = await run_in_threadpool(packed, self.desk.folder(version))
                named = {"content-disposition": f'attachment; filename="version-{version.number}.zip"'}
                return Response(content, media_type="application/zip", headers=named)
        raise HTTPException(404, "You have no such version.")

    async def _refused(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        return self.page(request, "told.html", "That did not work", status=error.status_code, told=error.detail)

    async def _mistake(self, request: Request, error: Exception) -> Response:
        return self.page(request, "told.html", "That did not work", status=422, told=str(error))


def form_mark(cookie: str) -> str:
    """What a form of a visit carries, which no other site can know."""
    return sha256(b"form " + cookie.encode(errors="replace")).hexdigest()


def check_origin(request: Request) -> None:
    """Raise 403 when a page of another site sends this."""
    origin = request.headers.get("origin")
    foreign = request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none")
    if foreign or (origin is not None and urlsplit(origin).netloc != request.headers.get("host")):
        raise HTTPException(403, "Another site sent this form: open the page again.")


async def _uploads(form: FormData) -> list[tuple[str, bytes]]:
    """The files of a hand-in, or its text."""
    files = [each for each in form.getlist("files") if isinstance(each, UploadFile) and each.filename]
    uploads = [(each.filename or "", await each.read()) for each in files]
    text, name = form.get("text"), form.get("name")
    if not uploads and isinstance(text, str) and text.strip():
        uploads = [(name if isinstance(name, str) and name else "bot.py", text.replace("\r\n", "\n").encode())]
    return uploads
