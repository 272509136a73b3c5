"""The organiser's pages: people and their invites, the night, the gradebook, health."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pips_tourney.night.director import Office, office
from pips_tourney.night.preview import preview
from pips_tourney.place.grades import grades
from pips_tourney.place.health import health
from pips_tourney.place.pages import saved
from pips_tourney.place.shown import feedback_zip
from pips_tourney.place.site import PlaceSite, Takes, Told
from pips_tourney.web.numbers import number_of

Words = Mapping[str, str]
ACTS: Final[Mapping[str, Callable[[Words, Office], str]]] = {
    "pause": lambda words, at: at.pause(words.get("reason", "")),
    "resume": lambda _, at: at.resume(),
    "withdraw": lambda words, at: at.withdraw(*_of(words, "bot"), from_start="start" in words),
    "reinstate": lambda words, at: at.reinstate(*_of(words, "bot")),
    "annul": lambda words, at: at.annul(*_of(words, "match")),
    "restore": lambda words, at: at.restore(*_of(words, "match")),
    "replay-match": lambda words, at: at.replay(*_of(words, "match")),
    "undo-replay": lambda words, at: at.undo_replay(*_of(words, "match")),
}
"""The director's acts that forms ask for, by the ends of their addresses."""


def _of(words: Words, what: str) -> tuple[str, str]:
    """What a form is about, and the reason."""
    return words.get(what, ""), words.get("reason", "")


class OrganiserPages:
    """Handlers for the organiser alone."""

    def __init__(self, site: PlaceSite, takes: Takes) -> None:
        self._site, self._takes = site, takes
        self._people = site.desk.people

    def routes(self) -> list[Route]:
        return [
            Route("/organiser", self.page),
            Route("/organiser/grades.csv", self.grades),
            Route("/organiser/feedback.zip", self.feedback),
            Route("/organiser/{what}", self.act, methods=["POST"]),
        ]

    async def page(self, request: Request) -> Response:
        self._site.organiser(request)
        return await self._shown(request, {})

    async def grades(self, request: Request) -> Response:
        self._site.organiser(request)
        self._check_begun()
        text = await run_in_threadpool(grades, self._site.desk.database, self._people)
        return saved(f"\ufeff{text}", "grades.csv", "text/csv; charset=utf-8")

    async def feedback(self, request: Request) -> Response:
        """The feedback of everybody, as one archive."""
        self._site.organiser(request)
        self._check_begun()
        content = await run_in_threadpool(feedback_zip, self._site.desk.database)
        return saved(content, "feedback.zip", "application/zip")

    async def act(self, request: Request) -> Response:
        """Carry out what a form asks for, or show what it would do."""
        person, form = await self._site.form(request)
        if not person.organiser:
            raise HTTPException(403, "This page is the organiser's.")
        words = {name: value for name, value in form.items() if isinstance(value, str)}
        told = await run_in_threadpool(self._do, request.path_params["what"], words)
        return await self._shown(request, words, told)

    def _do(self, what: str, words: dict[str, str]) -> Told:
        asked = number_of(words.get("person", ""))
        number = -1 if asked is None else asked
        match what:
            case "renew":
                names = {person.id: person.name for person in self._people.everybody()}
                if number not in names:
                    raise HTTPException(404, "Nobody here has this number.")
                return Told("The old invite is void.", [(names[number], self._people.new_code(number))])
            case "revoke":
                self._people.revoke(number)
                return Told("The invite is void, and its visits are over.")
            case _ if what in ACTS:
                return self._direct(partial(ACTS[what], words), only_shown=words.get("how") == "preview")
            case _ if what in (acts := self._takes.acts()):
                return acts[what](words)
        raise HTTPException(404, "There is no such page.")

    def _direct(self, act: Callable[[Office], str], *, only_shown: bool) -> Told:
        self._check_begun()
        if only_shown:
            found = preview(self._site.desk.database, act)
            return Told(f"Nothing was decided. It would say: {found.told}", moved=found.moved)
        with office(self._site.desk.database) as at:
            return Told(act(at))

    def _check_begun(self) -> None:
        if not self._site.nights.is_open:
            raise HTTPException(422, "The night has not begun: wait a moment.")

    async def _shown(self, request: Request, words: dict[str, str], told: Told | None = None) -> Response:
        desk, ask, own = self._site.desk, self._site.nights.ask, self._takes.organiser()
        paused = await ask(lambda archive: archive.decisions.paused is not None, now=True)
        bots = await ask(lambda archive: sorted({*(e.name for e in archive.night.programme.entrants)}))
        out = await ask(lambda archive: sorted(archive.decisions.out), now=True)
        facts = await run_in_threadpool(health, desk)
        told = told or Told("")
        return self._site.page(
            request, f"organiser_{self._takes.kind}.html", "Organiser", told=told.line, invited=told.invited,
            moved=told.moved, people=self._people.everybody(), paused=paused, log=desk.last_told(),
            here=self._site.here(request), words=words, bots=bots or [], out=out or [],
            **own | {"health": facts | own.get("health", {})},
        )  # fmt: skip
