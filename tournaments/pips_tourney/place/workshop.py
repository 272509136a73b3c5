"""The workshop of a place: bots are written, played and handed in on one page."""

from __future__ import annotations

from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, Route

from pips_tourney.league.read import read_league
from pips_tourney.people.store import Person
from pips_tourney.place.hand_ins import BotVersion, HandIns
from pips_tourney.place.site import COOKIE, PlaceSite, form_mark
from pips_tourney.web.numbers import number_of
from pips_tourney.web.workshop import routes, workshop_page

OPENED = 5
"""How many of one's versions the page offers, the newest ones."""


class PlaceWorkshop:
    """Handlers for everybody with an invite."""

    def __init__(self, site: PlaceSite, hand_ins: HandIns) -> None:
        self._site, self._hand_ins = site, hand_ins

    def routes(self) -> list[BaseRoute]:
        return [
            Route("/workshop/", self.page),
            Route("/workshop/version/{version}", self.version),
            Mount("/workshop", routes=routes(f"{self._site.public.prefix}/workshop/")),
        ]

    async def page(self, request: Request) -> Response:
        person, prefix = self._site.known(request), self._site.public.prefix
        if person is None:
            return self._site.to("/enter")
        league = await run_in_threadpool(read_league, self._site.desk.league)
        games = [{"name": game.name, "seats": game.seats, "options": game.options} for game in league.file.games]
        home = (f"{prefix}/organiser", "Organiser") if person.organiser else (f"{prefix}/mine", "My bot")
        hands_in = {} if person.organiser else {
            "form": form_mark(request.cookies.get(COOKIE, "")), "hand_in": f"{prefix}/mine",
            "versions": [{"id": version.id, "bot": version.bot} for version in self._own(person)[:OPENED]],
        }  # fmt: skip
        return await workshop_page(games, home=home, whose=person.id, **hands_in)

    async def version(self, request: Request) -> Response:
        """The text of a version that is one file, without its tests."""
        person, number = self._site.visitor(request), number_of(request.path_params["version"])
        for version in self._own(person):
            if version.id == number:
                return PlainTextResponse(await run_in_threadpool(_text, self._hand_ins.files(version)))
        raise HTTPException(404, "You have no such version.")

    def _own(self, person: Person) -> list[BotVersion]:
        """A person's versions, newest first."""
        return self._hand_ins.of(person)[::-1]


def _text(folder: Path) -> str:
    files = [path for path in folder.rglob("*.py") if path.is_file() and not path.name.startswith("test_")]
    if len(files) != 1:
        raise HTTPException(422, f"This version has {len(files)} files in Python: the editor takes one. Download it.")
    return files[0].read_text(encoding="utf-8", errors="replace")
