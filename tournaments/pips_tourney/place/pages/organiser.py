"""The organiser's pages: people and their invites, the night, the gradebook, health."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pips_tourney.night.director import Office, office
from pips_tourney.night.log.earlier_nights import moved_aside
from pips_tourney.night.log.kinds import ABSENT, ANNUL, REINSTATE, REPLAY, RESTORE, WITHDRAW
from pips_tourney.night.plan.decisions import BY_NEWER
from pips_tourney.night.preview import preview
from pips_tourney.people.store import Person
from pips_tourney.place.desk.grades import feedback_prefixes, grades
from pips_tourney.place.desk.hand_ins import WHY_OUT
from pips_tourney.place.desk.health import health
from pips_tourney.place.pages.mine import SHORT_LIST, saved
from pips_tourney.place.pages.shown import feedback_zip, match_list
from pips_tourney.place.pages.site import PlaceSite, Takes, Told
from pips_tourney.web.archive import Archive
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
"""The director's acts that forms request, by the end of the address."""
UNDO: Final = {"withdraw": "reinstate", "annul": "restore", "replay-match": "undo-replay", "reinstate": "withdraw"}
"""By act, the act that takes it back."""
BY_AUTHORS: Final = (*WHY_OUT.values(), BY_NEWER)
"""The beginnings of reasons that are not the organiser's own decisions."""
CORRECTIONS: Final = {
    WITHDRAW: ("Withdrawn: {}", "reinstate", "bot"),
    ABSENT: ("Left out: {}", "reinstate", "bot"), REINSTATE: ("", "", "bot"),
    ANNUL: ("Annulled: match {} and its deal", "restore", "match"), RESTORE: ("", "", "match"),
    REPLAY: ("To be played again: match {}", "undo-replay", "match"),
}  # fmt: skip
"""By kind of entry: what is said of it, the act that takes it back, what it names."""
NAMED: Final = 8
"""How many letters of an id name a match on a page."""


def _of(words: Words, what: str) -> tuple[str, str]:
    """The subject of a form, and the reason."""
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
            Route("/organiser/feedback.zip", self.feedback, methods=["GET", "POST"]),
            Route("/organiser/{what}", self.act, methods=["POST"]),
        ]

    async def page(self, request: Request) -> Response:
        self._site.organiser(request)
        return await self._shown(request, "", {})

    async def grades(self, request: Request) -> Response:
        self._site.organiser(request)
        name, database = self._night(request.query_params.get("night", ""))
        text = await run_in_threadpool(grades, database, self._people)
        return saved(f"\ufeff{text}", f"grades-{name}.csv", "text/csv; charset=utf-8")

    async def feedback(self, request: Request) -> Response:
        """Everybody's feedback as one archive; a form has Moodle's worksheet for it."""
        self._site.organiser(request)
        name, database = self._night(request.query_params.get("night", ""))
        worksheet = None
        if request.method == "POST":
            sheet = (await self._site.form(request))[1].get("worksheet")
            worksheet = b"" if sheet is None or isinstance(sheet, str) else await sheet.read()
        prefixes = await run_in_threadpool(feedback_prefixes, database, self._people, worksheet)
        content = await run_in_threadpool(feedback_zip, database, prefixes)
        return saved(content, f"feedback-{name}.zip", "application/zip")

    def _night(self, asked: str) -> tuple[str, Path]:
        """A night's name in files, and its database; without a number, the current one.

        Raises 404 and 422.
        """
        database = self._site.desk.database
        earlier, number = moved_aside(database), number_of(asked)
        if not asked:
            self._check_begun()
            return f"night-{1 + max(earlier, default=0)}-so-far", database
        if number is None or number not in earlier:
            raise HTTPException(404, "There is no such night.")
        return f"night-{number}", earlier[number]

    async def act(self, request: Request) -> Response:
        """Do what a form requests, or show what it would do."""
        self._site.organiser(request)
        _, form = await self._site.form(request)
        words = {name: value for name, value in form.items() if isinstance(value, str)}
        what = request.path_params["what"]
        told = await run_in_threadpool(self._do, what, words)
        return await self._shown(request, what, words, told)

    def _do(self, what: str, words: dict[str, str]) -> Told:
        asked = number_of(words.get("person", ""))
        number = -1 if asked is None else asked
        whose = [person for person in self._people.everybody() if person.id == number]
        match what:
            case "renew":
                if not whose:
                    raise HTTPException(404, "Nobody here has this number.")
                made = [(person, self._people.new_code(person.id)) for person in whose]
                self._site.note_invites(made, [])
                return Told(
                    "The old invite no longer works, and its visits and token have ended.",
                    [(person.name, code) for person, code in made],
                )
            case "revoke":
                self._people.revoke(number)
                self._site.note_invites([], [person.name for person in whose])
                return Told("The invite no longer works, and its visits and token have ended.")
            case _ if what in ACTS:
                return self._direct(partial(ACTS[what], words), only_shown=words.get("how") == "preview")
            case _ if what in (acts := self._takes.acts()):
                return acts[what](words)
        raise HTTPException(404, "There is no such page.")

    def _direct(self, act: Callable[[Office], str], *, only_shown: bool) -> Told:
        self._check_begun()
        if only_shown:
            found = preview(self._site.desk.database, act)
            moved = [row for row in found.moved if row[2:4] != row[4:]]
            return Told(f"Nothing was decided. It would say: {found.told}", moved=moved)
        with office(self._site.desk.database) as at:
            return Told(act(at))

    def _check_begun(self) -> None:
        if not self._site.nights.is_open:
            raise HTTPException(422, "The night has not begun: wait a moment.")

    async def _shown(self, request: Request, what: str, words: dict[str, str], told: Told | None = None) -> Response:
        desk, ask, own = self._site.desk, self._site.nights.ask, self._takes.organiser()
        asked, told, everybody = request.query_params, told or Told(""), self._people.everybody()
        of, who, only, begins = (asked.get(name, "") for name in ("of", "who", "only", "match"))
        facts = await run_in_threadpool(health, desk.folder, desk.database, is_playing=desk.is_playing)
        night = await ask(lambda archive: _of_night(archive, of, begins), now=True) or _NO_NIGHT
        undo = UNDO.get(what, "") if told.line and words.get("how") == "do" else ""
        return self._site.page(
            request, f"organiser_{self._takes.kind}.html", "Organiser", told=told.line, invited=told.invited,
            moved=told.moved, people=everybody, shown=_found(own.get("absent", []) if only else everybody, who),
            who=who, only=only, of=of, begins=begins, query=f"?{request.url.query}" if request.url.query else "",
            log=desk.last_told(), words=words, what=what, undo=undo, nights=[*moved_aside(desk.database)],
            tab=words.get("tab", "people"), shown_only=words.get("how") == "preview",
            **night | own | {"health": facts | own.get("health", {})},
        )  # fmt: skip


_NO_NIGHT: Final = {"paused": False, "bots": [], "out": {}, "decided": [], "matches": []}


def _of_night(archive: Archive, of: str, begins: str) -> dict[str, Any]:
    """The organiser's view of the night, with its last matches.

    Only matches of the bot `of`, if it names one, and with ids that begin with
    `begins`.
    """
    decisions, bots = archive.decisions, sorted(entrant.name for entrant in archive.night.programme.entrants)
    return {
        "paused": decisions.paused is not None, "bots": bots, "out": decisions.out,
        "decided": _decided(archive),
        "matches": match_list(archive, [of] if of in bots else [], begins=begins, most=SHORT_LIST),
    }  # fmt: skip


def _decided(archive: Archive) -> list[dict[str, str]]:
    """The corrections of the night, newest first; those in force can be taken back."""
    found, in_force = list[dict[str, str]](), dict[tuple[str, str], dict[str, str]]()
    for entry in archive.night.store.log(*CORRECTIONS):
        said, why = entry.payload, entry.payload["reason"]
        said_of, undo, about = CORRECTIONS[entry.kind]
        key = about, said.get("block", said[about])
        if undo and (entry.kind != REPLAY or said["attempt"]):
            if not why.startswith(BY_AUTHORS):
                in_force.get(key, {}).update(undo="")  # it was asked for twice
                line = f"{said_of.format(said[about][:NAMED] if about == 'match' else said[about])} ({why})."
                is_over = about == "bot" and said["bot"] not in archive.decisions.out
                in_force[key] = {"line": line, "undo": "" if is_over else undo, "about": about, "value": said[about]}
                found.append(in_force[key])
        elif (row := in_force.pop(key, None)) is not None:
            row |= {"line": f"{row['line']} Taken back ({why}).", "undo": ""}
    return found[::-1]


def _found(people: Sequence[Person], who: str) -> list[Person]:
    """The people whose name, bot or team contains these letters."""
    wanted = who.strip().casefold()
    return [each for each in people if wanted in f"{each.name}\n{each.bot}\n{each.team}".casefold()]
