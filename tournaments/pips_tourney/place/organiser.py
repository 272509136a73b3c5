"""The organiser's pages: people and their invites, the night, the gradebook."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pips_tourney.place.roster import people_of
from pips_tourney.place.shown import decide, grades, is_paused
from pips_tourney.place.site import PlaceSite


class OrganiserPages:
    """Handlers for the organiser alone."""

    def __init__(self, site: PlaceSite) -> None:
        self._site = site
        self._book = site.desk.book

    def routes(self) -> list[Route]:
        return [
            Route("/organiser", self.page),
            Route("/organiser/grades.csv", self.grades),
            Route("/organiser/{what}", self.act, methods=["POST"]),
        ]

    async def page(self, request: Request) -> Response:
        self._check(request)
        return await self._shown(request)

    async def grades(self, request: Request) -> Response:
        self._check(request)
        text = await run_in_threadpool(grades, self._site.desk.database)
        named = {"content-disposition": 'attachment; filename="grades.csv"'}
        return Response(text, media_type="text/csv; charset=utf-8", headers=named)

    async def act(self, request: Request) -> Response:
        """Carry out what a form asks for."""
        person, form = await self._site.form(request)
        if not person.organiser:
            raise HTTPException(403, "This page is the organiser's.")
        words = {name: value for name, value in form.items() if isinstance(value, str)}
        told, invited = await run_in_threadpool(self._do, request.path_params["what"], words)
        return await self._shown(request, told, invited)

    def _do(self, what: str, words: dict[str, str]) -> tuple[str, list[tuple[str, str]]]:
        number = int(words["person"]) if words.get("person", "").isdecimal() else -1
        match what:
            case "invite":
                made = self._book.invite(people_of(words.get("names", ""), "the list"), self._site.house)
                return f"{len(made)} are invited.", [(person.name, code) for person, code in made]
            case "renew":
                names = {person.id: person.name for person in self._book.people()}
                if number not in names:
                    raise HTTPException(404, "Nobody here has this number.")
                return "The old invite is void.", [(names[number], self._book.new_code(number))]
            case "revoke":
                self._book.revoke(number)
                return "The invite is void, and its visits are over.", []
            case "end":
                self._site.desk.end_night()
                return "The night is played to its end; then the next one opens.", []
            case "pause" | "resume" | "annul":
                asked = (words.get("match", ""), words.get("reason", ""))
                return decide(self._site.desk.database, what, *asked), []
        raise HTTPException(404, "There is no such page.")

    def _check(self, request: Request) -> None:
        if not self._site.visitor(request).organiser:
            raise HTTPException(403, "This page is the organiser's.")

    async def _shown(self, request: Request, told: str = "", invited: Sequence[tuple[str, str]] = ()) -> Response:
        newest = {version.person: version for version in self._book.versions()}
        people = [(person, newest.get(person.id)) for person in self._book.people()]
        desk = self._site.desk
        paused = await run_in_threadpool(is_paused, desk.database)
        return self._site.page(
            request, "organiser.html", "Organiser", told=told, invited=invited, people=people, paused=paused,
            log=list(desk.told), here=str(request.base_url),
        )  # fmt: skip
