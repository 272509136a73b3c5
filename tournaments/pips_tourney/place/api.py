"""The place for programs: JSON, described in docs/openapi.json.

A program shows its token. A cookie is enough for reading, and never for a hand-in: so
no page of another site can hand in.
"""

from __future__ import annotations

from typing import Any, Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from pips_tourney.night.guests import GuestNote
from pips_tourney.place.book import BotVersion, Person, before
from pips_tourney.place.hand_in import MOST_FILES, UPLOAD_BYTES
from pips_tourney.place.health import metrics
from pips_tourney.place.pages import BotPages, lines_of
from pips_tourney.place.results import results_json
from pips_tourney.place.shown import plays_from, tables
from pips_tourney.place.site import PlaceSite
from pips_tourney.web.archive import Archive
from pips_tourney.web.numbers import number_of

AT: Final = "/api/v1"
MOST: Final = 1000
"""Matches in one answer."""


class Api:
    """Handlers for programs."""

    def __init__(self, site: PlaceSite, pages: BotPages) -> None:
        self._site, self._pages = site, pages

    def routes(self) -> list[Route]:
        return [
            Route(f"{AT}/standings", self.standings),
            Route(f"{AT}/matches", self.matches),
            Route(f"{AT}/records/{{match}}", self.record),
            Route(f"{AT}/me", self.me),
            Route(f"{AT}/versions", self.versions),
            Route(f"{AT}/versions", self.hand_in, methods=["POST"]),
            Route(f"{AT}/results.json", self.results),
            Route(f"{AT}/events", self.events),
            Route("/metrics", self.metrics),
        ]

    async def standings(self, request: Request) -> Response:
        self._site.visitor(request)
        return JSONResponse({"league": self._site.league, "tables": await self._site.nights.ask(tables) or []})

    async def matches(self, request: Request) -> Response:
        """The matches after a number, oldest first."""
        self._site.visitor(request)
        if (after := number_of(request.query_params.get("after", "0"))) is None:
            raise HTTPException(400, "`after` is the number of a match.")
        found = await self._site.nights.ask(lambda archive: _matches(archive, after))
        return JSONResponse({"matches": found or []})

    async def record(self, request: Request) -> Response:
        return await self._pages.record(request.path_params["match"], self._site.visitor(request))

    async def me(self, request: Request) -> Response:
        """The token's owner, the newest version, and where the bot stands."""
        return JSONResponse(await self._me(self._author(request)))

    async def _me(self, person: Person) -> dict[str, Any]:
        every = self._site.desk.book.versions()
        own = [version for version in every if version.person == person.owner]
        bots, ask = self._site.bots_of(person), self._site.nights.ask
        return {
            "bot": person.bot,
            "version": _version(own[-1], every) if own else None,
            "guest": _guest(self._site.desk.guest(person)) if self._site.dial else None,
            "standings": await ask(lambda archive: _rows_of(archive, bots)) or [],
            "plays_from": await ask(lambda archive: plays_from(archive, bots[-1])) or "" if bots else "",
        }

    async def versions(self, request: Request) -> Response:
        person, every = self._author(request), self._site.desk.book.versions()
        return JSONResponse(
            {"versions": [_version(version, every) for version in every if version.person == person.owner]}
        )

    async def hand_in(self, request: Request) -> Response:
        """Take a hand-in: a form with files, as from a browser."""
        if not request.headers.get("authorization", "").lower().startswith("bearer "):
            raise HTTPException(401, "A hand-in needs a token, which your page makes.")
        person = self._author(request)
        if not request.headers.get("content-type", "").startswith("multipart/form-data"):
            raise HTTPException(415, "A hand-in is a form: multipart/form-data.")
        form = await request.form(max_files=MOST_FILES, max_fields=20, max_part_size=UPLOAD_BYTES)
        version = await self._site.keep(person, form)
        return JSONResponse(_version(version, self._site.desk.book.versions()), 201)

    async def results(self, request: Request) -> Response:
        """What Gradescope's autograder reads of the bot's newest version.

        Of a bot that dials in there is none.
        """
        if self._site.dial:
            raise HTTPException(404, f"Nothing is handed in to a hosted night: ask {AT}/me how the bot fares.")
        return JSONResponse(results_json(await self._me(self._author(request))))

    async def events(self, request: Request) -> Response:
        """The news of the night as server-sent events, as the pages get them."""
        self._site.visitor(request)
        if (site := self._site.nights.site) is None:
            raise HTTPException(503, "The night has not begun: try again in a moment.")
        return await site.events(request)

    async def metrics(self, request: Request) -> Response:
        """For Prometheus, which shows the organiser's token."""
        self._site.organiser(request)
        played, scheduled = await self._site.nights.ask(_count) or (0, 0)
        site = self._site.nights.site
        spectators = 0 if site is None or site.live is None else len(site.live.crowd)
        text = metrics(self._site.desk, played, scheduled, spectators)
        return PlainTextResponse(text, media_type="text/plain; version=0.0.4")

    def _author(self, request: Request) -> Person:
        if (person := self._site.visitor(request)).organiser:
            raise HTTPException(403, "The organiser has no bot: use an author's token.")
        return person


def _matches(archive: Archive, after: int) -> list[dict[str, Any]]:
    newer = [played for played in archive.played if played.number > after][:MOST]
    return [
        {
            "number": played.number,
            "id": played.fixture.match_id,
            "contest": played.fixture.part,
            "bots": list(played.fixture.seating),
            "places": list(played.places),
            "scores": list(played.scores),
            "faults": [{"seat": fault.seat, "kind": fault.kind} for fault in played.faults],
            "counts": played.counts,
        }
        for played in newer
    ]


def _rows_of(archive: Archive, bots: list[str]) -> list[dict[str, Any]]:
    """Where these versions stand, the newest last."""
    found = [
        {
            "contest": table["label"],
            **{key: row[key] for key in ("bot", "rank", "elo", "low", "high", "matches", "deals")},
        }
        for table in tables(archive)
        for row in table["rows"]
        if row["bot"] in bots
    ]
    return sorted(found, key=lambda row: bots.index(row["bot"]))


def _version(version: BotVersion, every: list[BotVersion]) -> dict[str, Any]:
    return {
        "id": version.id,
        "number": version.number,
        "bot": version.bot,
        "at": version.at,
        "state": version.state,
        "said": version.said,
        "before": before(version, every),
    }


def _guest(guest: GuestNote | None) -> dict[str, Any]:
    return {
        "here": guest is not None and guest.here,
        "since": (guest and guest.since) or None,
        "check": guest and guest.check,
        "said": lines_of(guest),
    }


def _count(archive: Archive) -> tuple[int, int]:
    return archive.count.total(), archive.scheduled.total()
