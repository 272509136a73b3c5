"""The API of a place for programs: JSON, described in docs/openapi.json.

A program sends its token. A cookie is enough for reading, but never for a hand-in, so
that no page of another site can hand in.
"""

from __future__ import annotations

from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from pips_tourney.people.store import Person
from pips_tourney.place.pages.shown import plays_from, tables
from pips_tourney.place.pages.site import API, PlaceSite, Takes
from pips_tourney.web.archive import Archive


class Api:
    """Handlers for programs."""

    def __init__(self, site: PlaceSite, takes: Takes) -> None:
        self._site, self._takes = site, takes

    def routes(self) -> list[Route]:
        return [Route(f"{API}/standings", self.standings), Route(f"{API}/me", self.me)]

    async def standings(self, request: Request) -> Response:
        self._site.visitor(request)
        return JSONResponse({"league": self._site.league, "tables": await self._site.nights.ask(tables) or []})

    async def me(self, request: Request) -> Response:
        """The token's bot, its version or guest, and its standings."""
        if (person := self._site.visitor(request)).organiser:
            raise HTTPException(403, "The organiser has no bot: use an author's token.")
        return JSONResponse(await self.about(person))

    async def about(self, person: Person) -> dict[str, Any]:
        bots, ask = self._site.desk.bots_of(person), self._site.nights.ask
        return {
            "bot": person.bot, "version": None, "guest": None, **await self._takes.me(person),
            "standings": await ask(lambda archive: _rows_of(archive, bots)) or [],
            "plays_from": await ask(lambda archive: plays_from(archive, bots[-1])) or "" if bots else "",
        }  # fmt: skip


def _rows_of(archive: Archive, bots: list[str]) -> list[dict[str, Any]]:
    """The rows of these versions in the standings, the newest version last."""
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
