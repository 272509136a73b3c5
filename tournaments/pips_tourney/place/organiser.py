"""The organiser's pages: people and their invites, the night, the gradebook, health."""

from __future__ import annotations

from collections.abc import Callable

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
            case "pause" | "resume" | "withdraw" | "annul" | "replay-match":
                return self._direct(_act_of(what, words), only_shown=words.get("how") == "preview")
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
        facts = await run_in_threadpool(health, desk)
        told = told or Told("")
        return self._site.page(
            request, f"organiser_{self._takes.kind}.html", "Organiser", told=told.line, invited=told.invited,
            moved=told.moved, people=self._people.everybody(), paused=paused, log=desk.last_told(),
            here=self._site.here(request), words=words, bots=bots or [],
            **own | {"health": facts | own.get("health", {})},
        )  # fmt: skip


def _act_of(what: str, words: dict[str, str]) -> Callable[[Office], str]:
    """The director's act that a form asks for."""
    match, bot, reason = words.get("match", ""), words.get("bot", ""), words.get("reason", "")
    acts: dict[str, Callable[[Office], str]] = {
        "pause": lambda at: at.pause(reason),
        "resume": lambda at: at.resume(),
        "withdraw": lambda at: at.withdraw(bot, reason, from_start="start" in words),
        "annul": lambda at: at.annul(match, reason),
        "replay-match": lambda at: at.replay(match, reason),
    }
    return acts[what]
