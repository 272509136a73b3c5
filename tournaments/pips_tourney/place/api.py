"""The place for programs: JSON, described in docs/openapi.json.

A program shows its token. A cookie is enough for reading, and never for a hand-in: so
no page of another site can hand in.
"""

from __future__ import annotations

from typing import Any, Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from pips_tourney.people.presence import GuestNote
from pips_tourney.people.store import Person
from pips_tourney.place.hand_ins import BotVersion, before
from pips_tourney.place.pages import lines_of
from pips_tourney.place.results import results_json
from pips_tourney.place.shown import plays_from, tables
from pips_tourney.place.site import PlaceSite
from pips_tourney.place.uploads import MOST_FILES, UPLOAD_BYTES
from pips_tourney.web.archive import Archive

AT: Final = "/api/v1"


class Api:
    """Handlers for programs."""

    def __init__(self, site: PlaceSite) -> None:
        self._site = site

    def routes(self) -> list[Route]:
        return [
            Route(f"{AT}/standings", self.standings),
            Route(f"{AT}/me", self.me),
            Route(f"{AT}/versions", self.versions),
            Route(f"{AT}/versions", self.hand_in, methods=["POST"]),
            Route(f"{AT}/results.json", self.results),
        ]

    async def standings(self, request: Request) -> Response:
        self._site.visitor(request)
        return JSONResponse({"league": self._site.league, "tables": await self._site.nights.ask(tables) or []})

    async def me(self, request: Request) -> Response:
        """The token's owner, the newest version, and where the bot stands."""
        return JSONResponse(await self._me(self._author(request)))

    async def _me(self, person: Person) -> dict[str, Any]:
        every = self._site.desk.hand_ins.all()
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
        person, every = self._author(request), self._site.desk.hand_ins.all()
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
        return JSONResponse(_version(version, self._site.desk.hand_ins.all()), 201)

    async def results(self, request: Request) -> Response:
        """What Gradescope's autograder reads of the bot's newest version.

        Of a bot that dials in there is none.
        """
        if self._site.dial:
            raise HTTPException(404, f"Nothing is handed in to a hosted night: ask {AT}/me how the bot fares.")
        return JSONResponse(results_json(await self._me(self._author(request))))

    def _author(self, request: Request) -> Person:
        if (person := self._site.visitor(request)).organiser:
            raise HTTPException(403, "The organiser has no bot: use an author's token.")
        return person


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
