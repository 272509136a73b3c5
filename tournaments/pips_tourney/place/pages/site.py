"""The pages of a place, and the actions on them."""

from __future__ import annotations

import asyncio
import hmac
import logging
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar, Final, NamedTuple, Protocol
from urllib.parse import urlsplit
from weakref import WeakValueDictionary

import segno
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from pips_tourney.bots.archives import HandInError
from pips_tourney.errors import TourneyError
from pips_tourney.night.log.earlier_nights import moved_aside
from pips_tourney.night.log.store import StoreError
from pips_tourney.night.preview import Moved
from pips_tourney.people.store import People, PeopleError, Person
from pips_tourney.place.desk.uploads import MOST, UPLOAD_BYTES
from pips_tourney.place.nights import NightPages
from pips_tourney.place.pages.games import OfferedGame, games_of
from pips_tourney.place.requests.limits import UNTIL_SENT, Bounds, Paces
from pips_tourney.place.requests.proxy import SIGNED_IN, BehindProxy, PublicAddress, path_of
from pips_tourney.play.signals import cancel_once
from pips_tourney.web.door import AGAINST, MENU, OWN, SEES_ALL, VISITOR
from pips_tourney.web.page import pages_in
from pips_tourney.web.public import told_to_all
from pips_tourney.workshop.browser.own_wheel import WHEEL

COOKIE: Final = "pips-place"
API: Final = "/api/v1"
LOOKS: Final = ("pips_tourney.web", "static")
"""The package and the folder of styles, shared with the pages of a night."""
PERSON: Final = "pips.person"
"""The key in a request's scope for its person, once looked up."""
_LOG: Final = logging.getLogger(__name__)
_HERE: Final = Path(__file__)
LAST_S: Final = 0.5
"""Seconds in which spectators can receive the last news."""


class Told(NamedTuple):
    """The result of an act of the organiser."""

    line: str
    invited: Sequence[tuple[str, str]] = ()
    """Names and codes of new invites."""
    moved: Sequence[Moved] = ()
    """The table after the act."""


class Works(Protocol):
    """The work behind the pages: a place's tasks, or the connection to a host."""

    league: Path
    database: Path
    told: deque[str]
    """The last lines from the pages themselves, for the organiser."""
    nights: NightPages
    """The night on screen."""

    @property
    def people(self) -> People: ...
    @property
    def folder(self) -> Path: ...
    @property
    def is_playing(self) -> bool:
        """Whether a process is playing the night."""

    def bots_of(self, person: Person) -> list[str]:
        """The names of a person's bots, oldest first; for the organiser, all bots."""

    def last_told(self) -> list[str]:
        """The lines about the night and about errors on the organiser's page."""

    async def work(self) -> None:
        """Work until cancelled, or until all is done."""


class Takes(Protocol):
    """What a league accepts from its people: hand-ins, or bots that dial in."""

    kind: ClassVar[str]
    """The suffix of its templates' names."""

    def routes(self) -> Sequence[BaseRoute]:
        """Pages that no other `kind` has."""

    async def mine(self, person: Person) -> dict[str, Any]:
        """A person's page: the part that differs by `kind`."""

    async def me(self, person: Person) -> dict[str, Any]:
        """The data of `mine`, for programs."""

    def organiser(self) -> dict[str, Any]:
        """The organiser's page: the part that differs by `kind`."""

    def acts(self) -> Mapping[str, Callable[[dict[str, str]], Told]]:
        """The organiser's acts that differ by `kind`, by the end of the address."""


@dataclass
class PlaceSite:
    """The data and actions shared by all handlers, with sign-in and sign-out."""

    desk: Works
    league: str
    """The name that pages show."""
    address: str = ""
    """The address that people type."""
    public: PublicAddress = field(default_factory=PublicAddress)
    paces: Paces = field(default_factory=Paces)
    wrong_code_s: float = 2.0
    """Seconds before a wrong code is answered. Codes are too long to be guessed."""
    workshop: bool = False
    """Whether there is a page for writing and playing bots."""
    published: Callable[[], Mapping[str, Mapping[str, Any]]] = dict
    """The bots that all may play against: by number, entries of a league file."""
    has_bot: Callable[[Person], bool] = lambda _: False
    """Whether a person has a bot that can play a scrimmage."""
    note_invites: Callable[[Sequence[tuple[Person, str]], Sequence[str]], None] = lambda *_: None
    """Puts new codes into the file of invites, and removes people's lines by name."""
    spectators: ASGIApp | None = None
    """The night on screen for people without an invite, if they may see it."""
    is_over: bool = field(init=False, default=False)
    """Whether there is nothing left to serve."""
    _turns: WeakValueDictionary[int | str, asyncio.Lock] = field(init=False, default_factory=WeakValueDictionary)
    """By person, for one heavy answer at a time; by address, for one code."""
    _working: list[asyncio.Task[None]] = field(init=False, default_factory=list)
    _entering: asyncio.Lock = field(init=False, default_factory=asyncio.Lock)
    """Codes are looked up one at a time, of each address in turn."""

    def __post_init__(self) -> None:
        self.address = self.public.url or self.address

    @property
    def nights(self) -> NightPages:
        return self.desk.nights

    def app(self, more: Sequence[BaseRoute]) -> Starlette:
        """The application, with `more` pages; the place's tasks run with it."""
        routes = [
            Route("/", self.begin),
            Route("/enter", self.enter_page),
            Route("/enter", self.enter, methods=["POST"]),
            Route("/leave", self.leave, methods=["POST"]),
            Route("/poster", self.poster),
            *more,
            Mount("/night", self._night),
            Mount("/static", StaticFiles(directory=_HERE.with_name("static"), packages=[LOOKS])),
        ]
        bounds = Middleware(Bounds, large=("/mine", f"{API}/versions"), paces=self.paces, account=self._account)
        handlers: dict[Any, Any] = {HTTPException: self._refused, TourneyError: self._mistake}
        doors = [Middleware(BehindProxy, public=self.public), bounds]
        return Starlette(routes=routes, middleware=doors, exception_handlers=handlers, lifespan=self._lifespan)

    def to(self, path: str) -> RedirectResponse:
        """A redirect to another page of the place."""
        return RedirectResponse(f"{self.public.prefix}{path}", 303)

    def here(self, request: Request) -> str:
        """The address of the place as people type it, with a slash at its end."""
        return self.address or str(request.base_url)

    @asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        self._working = [asyncio.create_task(self._work()), asyncio.create_task(self.nights.keep_open())]
        yield
        self.stop_working()
        for task in self._working:
            with suppress(asyncio.CancelledError):
                await task

    def stop_working(self) -> None:
        """Begin to end the place's processes."""
        for task in self._working:
            cancel_once(task)

    async def _work(self) -> None:
        await self.desk.work()
        await self.nights.end()
        await asyncio.sleep(LAST_S)
        self.is_over = True

    async def _night(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The night on screen, for everybody with an invite."""
        if (person := self.known(HTTPConnection(scope))) is not None:
            of = {VISITOR: str(person.id), OWN: self.desk.bots_of(person), SEES_ALL: person.organiser}
            of |= {MENU: self.menu(person), AGAINST: lambda: self._against(HTTPConnection(scope), person)}
            await self.show_night({**scope, **of}, receive, send)
        else:
            await (self.spectators or self.to("/enter"))(scope, receive, send)

    def _against(self, request: HTTPConnection, person: Person) -> dict[str, Any]:
        """The published bots by name, and the form for scrimmages against them."""
        numbers = {bot["name"]: number for number, bot in self.published().items()}
        mark = form_mark(request.cookies.get(COOKIE, "")) if self.has_bot(person) else ""
        return {"numbers": numbers, "form": mark, "scrimmage": f"{self.public.prefix}/mine/scrimmage"}

    async def show_night(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The night on screen, once it has begun."""
        page = self.nights.app or self.page(Request(scope), "told.html", "The night has not begun")
        await page(scope, receive, send)

    def menu(self, person: Person) -> list[tuple[str, str]]:
        """The pages of the place and of its night, as addresses and names."""
        pages = [("", "Begin"), ("organiser", "Organiser") if person.organiser else ("mine", "My bot")]
        pages += [("workshop/#/workshop", "Workshop")] * self.workshop + [("night/#/play", "Play")] * self.seats
        pages += [("night/#/standings", "Standings"), ("night/#/cross", "Cross-table"), ("night/#/matches", "Matches")]
        pages += [("night/#/season", "Season")] * bool(moved_aside(self.desk.database))
        pages += [("night/#/screen", "Big screen")]
        return [(f"{self.public.prefix}/{page}", name) for page, name in pages]

    @property
    def seats(self) -> bool:
        """Whether members can play matches by hand."""
        return self.nights.seating is not None and bool(self.nights.seating.offers)

    def page(self, request: Request, name: str, title: str, *, status: int = 200, **values: Any) -> Response:
        """A page; all values on it are escaped."""
        cookie = request.cookies.get(COOKIE, "")
        visitor, prefix = self.known(request), self.public.prefix
        about = {"title": title, "league": self.league, "base": prefix, "workshop": self.workshop, "visitor": visitor}
        about |= {"menu": self.menu(visitor) if visitor else [], "current": f"{prefix}{path_of(request.scope)}"}
        about |= {"games": self.games, "here": self.here(request), "wheel": WHEEL, "seats": self.seats}
        form = form_mark(cookie) if visitor and cookie else ""
        shown = {"script": "", "told": "", "form": form, "wrong": status >= 400, **values, **about}
        return HTMLResponse(pages_in(_HERE.with_name("templates")).get_template(name).render(shown), status)

    def known(self, request: HTTPConnection) -> Person | None:
        """The person of a cookie or of a program's token, looked up once a request."""
        scope = request.scope
        if PERSON not in scope:
            kind, _, token = request.headers.get("authorization", "").partition(" ")
            is_program, book = kind.lower() == "bearer", self.desk.people
            person = book.of_token(token.strip()) if is_program else book.visitor(request.cookies.get(COOKIE, ""))
            scope[PERSON] = None if person is not None and _is_another(scope, person) else person
        found: Person | None = scope[PERSON]
        return found

    def _account(self, scope: Scope) -> str:
        """The number of a request's person; empty if there is none."""
        try:
            person = self.known(HTTPConnection(scope))
        except TourneyError:  # the page shows the error
            person = None
        return "" if person is None else str(person.id)

    def visitor(self, request: Request) -> Person:
        """The visitor. Raises 401 for a visitor without an invite."""
        if (person := self.known(request)) is None:
            raise HTTPException(401, "Enter with your invite first.")
        return person

    def organiser(self, request: Request) -> Person:
        """The organiser. Raises 401 and 403 for others."""
        if not (person := self.visitor(request)).organiser:
            raise HTTPException(403, "This page is the organiser's.")
        return person

    async def form(self, request: Request) -> tuple[Person, FormData]:
        """The sender of a form, and the form. Raises 403 for forms of other pages."""
        person, cookie = self.visitor(request), request.cookies.get(COOKIE, "")
        if self.desk.people.visitor(cookie) != person:  # programs with a token send no forms
            raise HTTPException(401, "Enter with your invite first.")
        check_origin(request)
        form = await read_form(request)
        mark = str(form.get("form")).encode(errors="replace")
        if not hmac.compare_digest(mark, form_mark(cookie).encode()):
            raise HTTPException(403, "This form is not from your own page: open the page again.")
        return person, form

    async def heavy(self, request: Request, person: Person) -> None:
        """Wait until the account's last heavy answer was sent; 499 if nobody waits."""
        await request.scope[UNTIL_SENT].enter_async_context(self._turns.setdefault(person.id, asyncio.Lock()))
        if await request.is_disconnected():
            raise HTTPException(499, "The client has gone.")

    async def begin(self, request: Request) -> Response:
        """The page that says what the place is, and how to begin."""
        if self.known(request) is None:
            return self.to("/enter")
        return self.page(request, "begin.html", self.league)

    def games(self) -> tuple[OfferedGame, ...]:
        return games_of(self.desk.league)

    async def enter_page(self, request: Request) -> Response:
        """The form for a code, unless a proxy names the signed-in user."""
        told = ""
        if (signed_in := request.scope.get(SIGNED_IN)) and self.known(request) is None:
            try:
                return self._entered(request, await run_in_threadpool(self.desk.people.enter_as, signed_in))
            except PeopleError as error:
                told = f"{error}: enter with your invite, or tell the organiser."
        return self.page(request, "enter.html", "Enter", script="enter.js", told=told)

    async def enter(self, request: Request) -> Response:
        check_origin(request)
        code = (await request.form(max_files=0, max_fields=5)).get("code", "")
        own = self._turns.setdefault(request.client.host if request.client else "", asyncio.Lock())
        async with own, self._entering:
            if await request.is_disconnected():
                raise HTTPException(499, "The client has gone.")
            cookie = await run_in_threadpool(self.desk.people.enter, code if isinstance(code, str) else "")
        if cookie is None:
            await asyncio.sleep(self.wrong_code_s)
            raise HTTPException(403, "Nobody has this code: ask for another invite.")
        return self._entered(request, cookie)

    def _entered(self, request: Request, cookie: str) -> Response:
        """A redirect to a visitor's own page, with the cookie of the visit."""
        person = self.desk.people.visitor(cookie)
        answer = self.to("/organiser" if person and person.organiser else "/mine")
        answer.set_cookie(
            COOKIE, cookie, max_age=120 * 86400, path=self.public.prefix or "/", secure=request.url.scheme == "https",
            httponly=True, samesite="strict",
        )  # fmt: skip
        return answer

    async def poster(self, request: Request) -> Response:
        """The address for a projector, in large letters and as a QR code."""
        at = self.here(request)
        code = segno.make(at, error="l").svg_data_uri(scale=8, border=2)
        return self.page(request, "poster.html", "Come here", address=at, code=code)

    async def leave(self, request: Request) -> Response:
        await self.form(request)
        self.desk.people.leave(request.cookies[COOKIE])
        answer = self.to("/enter")
        answer.delete_cookie(COOKIE, self.public.prefix or "/", httponly=True, samesite="strict")
        return answer

    async def _refused(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        told = "There is no such page." if error.detail == "Not Found" else error.detail
        return self._told(request, error.status_code, told)

    async def _mistake(self, request: Request, error: Exception) -> Response:
        """The page of an error. Only the organiser sees paths; the log has them too."""
        if isinstance(error, StoreError) and str(error) not in self.desk.told:
            self.desk.told.append(str(error))
            _LOG.warning("a page cannot be shown: %s", error)
        folders = self.desk.database.parent, self.desk.league.parent
        own = isinstance(error, HandInError)  # it names files as the author does
        return self._told(request, 422, str(error) if own else told_to_all(error, *folders))

    def _told(self, request: Request, status: int, what: str) -> Response:
        """A refusal: as JSON for a program, otherwise as a page."""
        if path_of(request.scope).startswith(API):
            return JSONResponse({"error": what}, status)
        return self.page(request, "told.html", "That did not work", status=status, told=what)


def _is_another(scope: Scope, person: Person) -> bool:
    """Whether a proxy names another signed-in user than the cookie's person."""
    signed_in = scope.get(SIGNED_IN, "").casefold()
    return bool(signed_in and person.course_id) and signed_in != person.course_id.casefold()


async def read_form(request: Request) -> FormData:
    """A request's form, whose files are closed once the answer was sent."""
    request.scope[UNTIL_SENT].push_async_callback(request.close)
    return await request.form(max_files=MOST.files, max_fields=20, max_part_size=UPLOAD_BYTES)


def form_mark(cookie: str) -> str:
    """The token in a visit's forms, which no other site can know."""
    return sha256(b"form " + cookie.encode(errors="replace")).hexdigest()


STRANGE_FORM: Final = (
    "This form does not come from the address of this place, so nothing was done: open the page again. "
    "Where a proxy stands before the place, its organiser sets `public_url` and `trusted_proxies`."
)


def check_origin(request: Request) -> None:
    """Raise 403 if a page of another site sends the request."""
    origin = request.headers.get("origin")
    foreign = request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none")
    if foreign or (origin is not None and urlsplit(origin).netloc != request.headers.get("host")):
        raise HTTPException(403, STRANGE_FORM)
