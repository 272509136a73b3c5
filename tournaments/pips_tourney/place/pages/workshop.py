"""The workshop of a place: one page for writing, playing and handing in bots."""

from __future__ import annotations

from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, Route

from pips_tourney.league.read import read_league
from pips_tourney.people.store import Person
from pips_tourney.place.desk.hand_ins import READY, BotVersion, HandIns
from pips_tourney.place.pages.site import COOKIE, PlaceSite, form_mark
from pips_tourney.web.browser.workshop import routes, workshop_page
from pips_tourney.web.numbers import number_of

OPENED = 5
"""How many versions of the visitor the page offers, newest first."""


class PlaceWorkshop:
    """Handlers for everybody with an invite."""

    def __init__(self, site: PlaceSite, hand_ins: HandIns) -> None:
        self._site, self._hand_ins = site, hand_ins

    def routes(self) -> list[BaseRoute]:
        return [
            Route("/workshop/", self.page),
            Route("/workshop/version/{version}", self.version),
            Route("/workshop/publish", self.publish, methods=["POST"]),
            Mount("/workshop", routes=routes(f"{self._site.public.prefix}/workshop/")),
        ]

    async def page(self, request: Request) -> Response:
        person, prefix = self._site.known(request), self._site.public.prefix
        if person is None:
            return self._site.to("/enter")
        league = await run_in_threadpool(read_league, self._site.desk.league)
        games = [{"name": game.name, "seats": game.seats, "options": game.options} for game in league.file.games]
        own, published = self._own(person), self._hand_ins.published()
        hands_in = {} if person.organiser else {
            "hand_in": f"{prefix}/mine",
            "versions": [{"id": each.id, "bot": each.bot, "ready": each.state == READY} for each in own[:OPENED]],
        }  # fmt: skip
        hands_in |= {
            "form": form_mark(request.cookies.get(COOKIE, "")),
            "published": [{"id": each.id, "bot": each.bot, "own": each in own} for each in published],
        }
        return await workshop_page(
            games, home=self._site.menu(person), league=self._site.league, whose=person.id, **hands_in
        )

    async def publish(self, request: Request) -> Response:
        """Publish one of the visitor's versions, or stop that."""
        person, form = await self._site.form(request)
        number = number_of(str(form.get("version", "")))
        for each in self._own(person):
            if each.id == number and "off" not in form:
                await run_in_threadpool(
                    _text, self._hand_ins.files(each)
                )  # others open the file that they play against
        if number is None or not self._hand_ins.publish(person, number, off="off" in form):
            raise HTTPException(404, "You have no such version that is ready.")
        return self._site.to("/workshop/")

    async def version(self, request: Request) -> Response:
        """The only file of one of the visitor's versions, or of a published one."""
        person, number = self._site.visitor(request), number_of(request.path_params["version"])
        for version in [*self._own(person), *self._hand_ins.published()]:
            if version.id == number:
                return PlainTextResponse(await run_in_threadpool(_text, self._hand_ins.files(version)))
        raise HTTPException(404, "You have no such version, and none is published.")

    def _own(self, person: Person) -> list[BotVersion]:
        """A person's versions, newest first."""
        return self._hand_ins.of(person)[::-1]


def _text(folder: Path) -> str:
    files = [path for path in folder.rglob("*.py") if path.is_file() and not path.name.startswith("test_")]
    if len(files) != 1:
        raise HTTPException(422, f"This version has {len(files)} files in Python: the editor takes one. Download it.")
    return files[0].read_text(encoding="utf-8", errors="replace")
