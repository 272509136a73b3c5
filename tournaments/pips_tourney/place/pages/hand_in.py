"""The pages of a league that takes hand-ins: versions, check results, the calendar."""

from __future__ import annotations

from base64 import b64decode
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, ClassVar, Final

from anyio import from_thread
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from pips_referee.records.record import read_record
from pips_referee.versions import KEY, difference
from pips_tourney.bots.archives import HandInError
from pips_tourney.bots.find import sample_names
from pips_tourney.bots.logs import printed_in
from pips_tourney.people.moments import WRITTEN, read_moment
from pips_tourney.people.roster import people_of
from pips_tourney.people.store import Person
from pips_tourney.place.desk.changes import (
    CHANGED,
    SCRIMMAGE,
    ask_scrimmage,
    found_of,
    newest_ready,
    pending,
    rivals,
)
from pips_tourney.place.desk.deletion import delete_person, withdraw_own
from pips_tourney.place.desk.desk import Desk
from pips_tourney.place.desk.hand_ins import CHECKING, FINAL, REFUSED, WAITING, WITHDRAWN, BotVersion, before
from pips_tourney.place.desk.results import results_json
from pips_tourney.place.desk.uploads import packed
from pips_tourney.place.pages.alike import AlikePages
from pips_tourney.place.pages.api import Api
from pips_tourney.place.pages.mine import BotPages
from pips_tourney.place.pages.shown import NextStep
from pips_tourney.place.pages.site import API, PlaceSite, Told, read_form
from pips_tourney.place.pages.workshop import PlaceWorkshop
from pips_tourney.reports.own_records import without_folders
from pips_tourney.web.browser.workshop import is_installed
from pips_tourney.web.match.frames import record_json
from pips_tourney.web.numbers import number_of
from pips_tourney.web.page import page
from pips_tourney.workshop.browser.own_wheel import WHEEL

LOGGED: Final = 400
"""How many lines of a log a page shows, from its end."""
LINE_SIGNS: Final = 2000
"""How many characters of each such line."""
LOGGED_BYTES: Final = 1 << 16
"""How many bytes at the end of each log are read."""


class HandInPages:
    """The pages about hand-ins.

    `house` are the bots of the league file. With `anonymous`, bots get random names.
    """

    kind: ClassVar[str] = "hand_ins"

    def __init__(
        self, site: PlaceSite, desk: Desk, house: frozenset[str] = frozenset(), *, anonymous: bool = False
    ) -> None:
        self._site, self._desk, self._hand_ins = site, desk, desk.hand_ins
        self._house, self._anonymous, self._alike = house, anonymous, AlikePages(site, desk)
        site.workshop, site.published = is_installed(), lambda: rivals(self._hand_ins, ())
        site.has_bot = lambda person: newest_ready(self._hand_ins, person) is not None

    def routes(self) -> list[BaseRoute]:
        return [
            Route("/workshop/scrimmage", self.lost),
            *PlaceWorkshop(self._site, self._hand_ins).routes(),
            Route("/mine", self.hand_in, methods=["POST"]),
            Route("/mine/log.txt", self.log),
            Route("/mine/name", self.name, methods=["POST"]),
            Route("/mine/scrimmage", self.scrimmage, methods=["POST"]),
            Route("/mine/{version}.zip", self.download),
            Route("/mine/{version}/changed/{deal}", self.changed),
            Route("/mine/{version}/again", self.again, methods=["POST"]),
            Route("/mine/{version}/final", self.final, methods=["POST"]),
            Route("/mine/withdraw", self.withdraw, methods=["POST"]),
            Route(f"{API}/versions", self.versions),
            Route(f"{API}/versions", self.hand_in_by_program, methods=["POST"]),
            Route(f"{API}/results.json", self.results),
            *self._alike.routes(),
        ]

    async def mine(self, person: Person) -> dict[str, Any]:
        own, every, calendar = self._hand_ins.of(person), self._hand_ins.all(), self._desk.calendar
        closed, ready = calendar.is_closed_for(person), newest_ready(self._hand_ins, person)
        met = found_of(self._hand_ins, ready, SCRIMMAGE) if ready else None
        return {
            "versions": shown_versions(own, every), "closed": closed,
            "deadline": calendar.deadline_of(person), "final": self._hand_ins.chosen().get(person.owner),
            "changes": found_of(self._hand_ins, own[-1], CHANGED) if own else None, **_next(own, closed=closed),
            "ready": ready, "scrimmage": met, "rivals": self._rivals() if ready else {},
            "parts": [("matches", "Matches"), ("versions", "Versions"), ("more", "Feedback and tools")],
            "waits": any(version.state in (WAITING, CHECKING) for version in own[-1:]) or "asked" in (met or {}),
            "script": "mine.js",
        }  # fmt: skip

    def _rivals(self) -> dict[str, dict[str, Any]]:
        games = [{*sample_names(game.name)} for game in self._site.games()]
        return rivals(self._hand_ins, sorted(set.intersection(*games)))

    async def me(self, person: Person) -> dict[str, Any]:
        """The newest version of a person's bot."""
        own, every = self._hand_ins.of(person), self._hand_ins.all()
        return {"version": _as_json(own[-1], every) if own else None}

    def organiser(self) -> dict[str, Any]:
        calendar, every = self._desk.calendar, self._hand_ins.all()
        versions: dict[int, list[BotVersion]] = {}
        for version in reversed(every):
            versions.setdefault(version.person, []).append(version)
        refused = {owner for owner, own in versions.items() if all(each.state == REFUSED for each in own)}
        absent = [each for each in self._desk.people.everybody() if each.owner not in versions.keys() - refused]
        authors = {each.owner: each.team or each.name for each in self._desk.people.everybody()}
        return {
            "absent": absent, "refused": sum(each.owner in refused for each in absent), "follows": self._follows(),
            "deadline": calendar.deadline, "own_deadlines": calendar.own(), "last": calendar.last,
            "same": [[(authors[each.person], each.bot) for each in group] for group in self._hand_ins.same_code()],
            "next_end": calendar.night_ends, "ending": self._desk.frozen_at is not None,
            "versions": versions,
            "health": {
                "Versions": len(every), "Waiting for their check": self._desk.queue(),
                "The place": str(self._desk.disk),
            },
        }  # fmt: skip

    def _follows(self) -> str:
        """What follows the end of this night; empty if no night is left to end."""
        if not self._desk.calendar.is_closed:
            return "The next night begins at once, with what is handed in from now on."
        return "" if self._desk.people.setting(FINAL) else "The deadline has passed: one last night follows."

    def acts(self) -> Mapping[str, Callable[[dict[str, str]], Told]]:
        return {
            "invite": self._invite, "delete": self._delete, "end": self._end, "deadline": self._set_deadline,
            "recheck": self._recheck, "alike": self._alike.begin,
        }  # fmt: skip

    def _invite(self, words: dict[str, str]) -> Told:
        people = people_of(words.get("names", ""), "the list")
        made = self._desk.people.invite(people, self._taken(), anonymous=self._anonymous)
        self._desk.calendar.extend(people)
        self._site.note_invites(made, [])
        return Told(f"{len(made)} are invited.", [(person.name, code) for person, code in made])

    def _delete(self, words: dict[str, str]) -> Told:
        """Delete a person, or say what that would delete."""
        told = delete_person(self._desk, self._person(words), only_shown=words.get("how") != "do")
        from_thread.run_sync(self._desk.wake)
        return Told(told)

    def _person(self, words: dict[str, str]) -> Person:
        """The person named by a form of the organiser. Raises 404."""
        number = number_of(words.get("person", ""))
        for person in self._desk.people.everybody():
            if person.id == number:
                return person
        raise HTTPException(404, "Nobody here has this number.")

    def _recheck(self, words: dict[str, str]) -> Told:
        """Check a person's newest version again, if it was refused."""
        own = self._hand_ins.of(self._person(words))
        if not own or own[-1].state != REFUSED:
            raise HTTPException(422, "Only a version that was refused is checked again.")
        self._hand_ins.set_state(own[-1].id, WAITING)
        from_thread.run_sync(self._desk.wake)
        return Told(f"{own[-1].bot} is checked again.")

    def _end(self, words: dict[str, str]) -> Told:
        """End the night of the form, which a browser may send again after a reload."""
        night = str(self._desk.night)
        if words.get("night") != night:
            raise HTTPException(422, f"This page is of an earlier night, so night {night} goes on: open it again.")
        follows = self._follows()
        self._desk.end_night()
        from_thread.run_sync(self._desk.wake)
        return Told(f"The night is played to its end. {follows}")

    def _set_deadline(self, words: dict[str, str]) -> Told:
        whose = self._person(words) if words.get("person") else None
        return Told(self._desk.calendar.set_deadline(words.get("deadline", ""), whose, at_once="at-once" in words))

    def _taken(self) -> set[str]:
        """Names that no new bot may have."""
        return {*self._house, *self._desk.carry_over.names()}

    async def hand_in(self, request: Request) -> Response:
        person, form = await self._site.form(request)
        try:
            await self._keep(request, person, form)
        except HandInError as error:
            text, told = form.get("text"), f"Not handed in: {error}."
            typed = text if isinstance(text, str) else ""
            return await BotPages(self._site, self).mine(request, told=told, status=422, typed=typed)
        return self._site.to("/mine")

    async def _keep(self, request: Request, person: Person, form: FormData) -> BotVersion:
        """Store the files of a form. Raises `HandInError`."""
        check_author(person)
        await self._site.heavy(request, person)
        if self._desk.calendar.is_closed_for(person):
            raise HandInError(f"the deadline was {self._desk.calendar.deadline_of(person):{WRITTEN}}")
        version = await run_in_threadpool(self._hand_ins.keep, person, await _uploads(form))
        self._desk.wake()
        return version

    async def again(self, request: Request) -> Response:
        person, _ = await self._site.form(request)
        if self._desk.calendar.is_closed_for(person):
            raise HTTPException(422, "The deadline has passed.")
        await self._site.heavy(request, person)
        number = number_of(request.path_params["version"])
        if number is None or not await run_in_threadpool(self._hand_ins.again, person, number):
            raise HTTPException(404, "You have no such version.")
        self._desk.wake()
        return self._site.to("/mine")

    async def final(self, request: Request) -> Response:
        """Choose the version that plays in the last night, or the newest one."""
        person, form = await self._site.form(request)
        number = number_of(request.path_params["version"])
        if self._desk.calendar.is_closed_for(person):
            raise HTTPException(422, "The deadline has passed.")
        if number is None or not self._hand_ins.choose(check_author(person), number, newest="newest" in form):
            raise HTTPException(404, "You have no such version that is ready.")
        return self._site.to("/mine")

    async def withdraw(self, request: Request) -> Response:
        """Withdraw the visitor's bot from this night, and from later ones."""
        person, _ = await self._site.form(request)
        await run_in_threadpool(withdraw_own, self._desk, check_author(person))
        self._desk.wake()
        return self._site.to("/mine")

    async def name(self, request: Request) -> Response:
        """Rename the visitor's bot before its first version."""
        person, form = await self._site.form(request)
        check_author(person)
        taken = await run_in_threadpool(self._taken)
        self._desk.people.rename(person, str(form.get("bot", "")), taken)
        return self._site.to("/mine")

    async def scrimmage(self, request: Request) -> Response:
        """Ask for some deals against a sample bot, or a version that is published."""
        person, form = await self._site.form(request)
        rival = self._rivals().get(str(form.get("against", "")))
        await run_in_threadpool(ask_scrimmage, self._hand_ins, check_author(person), rival)
        return self._site.to("/mine#scrimmage")

    async def lost(self, request: Request) -> Response:
        """The match that the visitor's bot lost in its scrimmage."""
        person = self._site.visitor(request)
        ready = newest_ready(self._hand_ins, person)
        record = (found_of(self._hand_ins, ready, SCRIMMAGE) or {}).get("lost") if ready else ""
        if not record:
            raise HTTPException(404, "Your bot has lost no match of a scrimmage.")
        match = read_record(b64decode(record))
        replays = {"own-lost": [record_json(match, seat) for seat in (None, *range(len(match.header.names)))]}
        about: dict[str, Any] = {"mode": "live", "play": None, "night": None, "own": [], "replays": replays}
        return HTMLResponse(page(about | {"home": self._site.menu(person)}))

    async def download(self, request: Request) -> Response:
        person, number = self._site.visitor(request), number_of(request.path_params["version"])
        for version in self._hand_ins.of(person):
            if version.id == number:
                await self._site.heavy(request, person)
                path = await run_in_threadpool(packed, self._hand_ins.files(version))
                return FileResponse(path, filename=f"version-{version.number}.zip", media_type="application/zip")
        raise HTTPException(404, "You have no such version.")

    async def changed(self, request: Request) -> Response:
        """A deal that a version changed, as that version plays it."""
        number, deal = (number_of(request.path_params[name]) for name in ("version", "deal"))
        for version in self._hand_ins.of(self._site.visitor(request)):
            found = found_of(self._hand_ins, version, CHANGED) if version.id == number else None
            deals = (found or {}).get("deals", [])
            if deal is not None and 1 <= deal <= len(deals):
                return PlainTextResponse(deals[deal - 1]["replay"])
        raise HTTPException(404, "There is no such deal.")

    async def log(self, request: Request) -> Response:
        """The last output of the visitor's own processes in this night."""
        person = self._site.visitor(request)
        await self._site.heavy(request, person)
        lines = await run_in_threadpool(self._last_lines, self._desk.bots_of(person))
        return PlainTextResponse("\n".join(lines) + "\n")

    def _last_lines(self, bots: Sequence[str]) -> list[str]:
        found = (f"{bot}: {line}" for bot in bots for line in printed_in(self._desk.logs, bot, LOGGED_BYTES) if line)
        return [without_folders(line[:LINE_SIGNS]) for line in deque(found, LOGGED)]

    async def versions(self, request: Request) -> Response:
        person, every = self._author(request), self._hand_ins.all()
        own, ready = self._hand_ins.of(person), newest_ready(self._hand_ins, person)
        plays = ready is not None and bool(pending(self._hand_ins, ready))
        return JSONResponse({"versions": [_as_json(version, every) for version in own], "scrimmage": plays})

    async def hand_in_by_program(self, request: Request) -> Response:
        """Take a hand-in: a form with files, as from a browser."""
        if not request.headers.get("authorization", "").lower().startswith("bearer "):
            raise HTTPException(401, "A hand-in needs a token, which your page makes.")
        person = self._author(request)
        if not request.headers.get("content-type", "").startswith("multipart/form-data"):
            raise HTTPException(415, "A hand-in is a form: multipart/form-data.")
        version = await self._keep(request, person, await read_form(request))
        note = difference(request.headers.get(KEY, ""), "This place")
        note += f" Its own: pip install {self._site.here(request)}files/{WHEEL}" if note else ""
        return JSONResponse({**_as_json(version, self._hand_ins.all()), "note": note}, 201)

    async def results(self, request: Request) -> Response:
        """The bot's newest version in the format of Gradescope's autograder."""
        return JSONResponse(results_json(await Api(self._site, self).about(self._author(request))))

    def _author(self, request: Request) -> Person:
        return check_author(self._site.visitor(request))


def check_author(person: Person) -> Person:
    """The person, unless it is the organiser. Raises 403."""
    if person.organiser:
        raise HTTPException(403, "The organiser has no bot: invite yourself under another name.")
    return person


def _next(own: Sequence[BotVersion], *, closed: bool) -> dict[str, NextStep]:
    """The author's next step, unless the bot plays."""
    state = own[-1].state if own else ""
    if state in (WAITING, CHECKING):
        return {"next": NextStep("wait for its check.")}
    lines = {
        "": "begin with the bot below, or hand in yours.", WITHDRAWN: "hand in again, if it is to play.",
        REFUSED: "fix what the check found, then hand in again.",
    }  # fmt: skip
    late = "the deadline has passed; your organiser alone can give you more time."
    return {"next": NextStep(late if closed else lines[state])} if state in lines else {}


def shown_versions(own: Sequence[BotVersion], every: Sequence[BotVersion]) -> list[dict[str, Any]]:
    """A person's versions, newest first, with how many checks come before each."""
    shown = [
        {**asdict(version), "at": f"{read_moment(version.at):{WRITTEN}}", "before": before(version, every)}
        for version in reversed(own)
    ]
    for older in shown[1:]:
        if older["state"] == WAITING:
            older["state"] = "replaced before its check"
    return shown


def _as_json(version: BotVersion, every: Sequence[BotVersion]) -> dict[str, Any]:
    whole = {**asdict(version), "before": before(version, every)}
    return {key: whole[key] for key in ("id", "number", "bot", "at", "state", "said", "before")}


async def _uploads(form: FormData) -> list[tuple[str, bytes]]:
    """The files of a hand-in, or its text as one file."""
    files = [each for each in form.getlist("files") if isinstance(each, UploadFile) and each.filename]
    uploads = [(each.filename or "", await each.read()) for each in files]
    text, name = form.get("text"), form.get("name")
    if not uploads and isinstance(text, str) and text.strip():
        uploads = [(name if isinstance(name, str) and name else "bot.py", text.replace("\r\n", "\n").encode())]
    return uploads
