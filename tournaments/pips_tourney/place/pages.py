"""An author's own pages: hand-ins, their verdicts, and what the night says of them."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from pips_tourney.bots.logs import printed_in
from pips_tourney.people.presence import GuestNote
from pips_tourney.people.store import Person
from pips_tourney.place.hand_ins import CHECKING, WAITING, BotVersion, before
from pips_tourney.place.shown import (
    about_bot,
    match_list,
    plays_from,
    rated_versions,
    records_zip,
)
from pips_tourney.place.site import PlaceSite
from pips_tourney.place.uploads import HandInError, packed
from pips_tourney.reports.own_records import without_folders
from pips_tourney.web.courses import WhoAsks
from pips_tourney.web.numbers import number_of

LOGGED: Final = 400
"""Lines of a log on a page, the last ones."""
LOGGED_BYTES: Final = 1 << 16
"""What is read of the end of each log."""
SHORT_LIST: Final = 20


class BotPages:
    """Handlers for everybody with an invite."""

    def __init__(self, site: PlaceSite) -> None:
        self._site = site
        self._desk = site.desk
        self._people, self._hand_ins = site.desk.people, site.desk.hand_ins

    def routes(self) -> list[Route]:
        """Without those of hand-ins where bots run on other machines."""
        return self._shown() + ([] if self._site.dial else self._handed_in())

    def _shown(self) -> list[Route]:
        return [
            Route("/match/{match}/worst", self.worst),
            Route("/mine", self.mine),
            Route("/mine", self.hand_in, methods=["POST"]),
            Route("/mine/records.zip", self.records),
            Route("/mine/token", self.token, methods=["POST"]),
        ]

    def _handed_in(self) -> list[Route]:
        return [
            Route("/mine/log.txt", self.log),
            Route("/mine/name", self.name, methods=["POST"]),
            Route("/mine/{version}.zip", self.download),
            Route("/mine/{version}/again", self.again, methods=["POST"]),
        ]

    async def worst(self, request: Request) -> Response:
        """Show a match where its visitor's bot lost most by one answer."""
        person, match_id = self._site.visitor(request), request.path_params["match"]
        bots, site = self._site.bots_of(person), self._site.nights.site
        if site is None:
            raise HTTPException(404, "The night has not begun.")
        course = await site.course_of(match_id, WhoAsks(str(person.id), is_person=True))
        names = await self._site.nights.ask(lambda archive: archive.night.schedule[match_id].seating) or ()
        seat = next((seat for seat, name in enumerate(names) if name in bots), 0)
        frame = course["frames"][str(seat)][max(0, worst_step(course, seat) - 1)]
        return RedirectResponse(f"/night/#/match/{match_id}/{frame}?seat={seat}", 303)

    async def mine(self, request: Request, *, told: str = "", status: int = 200, token: str = "") -> Response:
        person = self._site.visitor(request)
        if person.organiser:
            return RedirectResponse("/organiser", 303)
        own, bots, ask = self._hand_ins.of(person), self._site.bots_of(person), self._site.nights.ask
        sections = await ask(lambda archive: about_bot(archive, bots)) or [] if bots else []
        database = self._desk.database
        return self._site.page(
            request, "mine.html", f"My bot: {person.bot}", status=status, told=told, token=token, person=person,
            versions=shown_versions(own, self._hand_ins.all()), sections=sections,
            waits=any(version.state in (WAITING, CHECKING) for version in own[-1:]),
            since=await ask(lambda archive: plays_from(archive, bots[-1])) if bots else "",
            guest=lines_of(self._desk.guest(person)), newest=bots[-1] if bots else "",
            rated=await ask(lambda archive: rated_versions(archive, database, bots)) or [],
            matches=await ask(lambda archive: match_list(archive, bots, most=SHORT_LIST)) or [] if bots else [],
            lost=await ask(lambda archive: match_list(archive, bots, lost=True, most=SHORT_LIST)) or [] if bots else [],
            deadline=self._desk.calendar.deadline, closed=self._desk.calendar.is_closed,
            script="guest.js" if self._site.dial else "mine.js",
        )  # fmt: skip

    async def hand_in(self, request: Request) -> Response:
        person, form = await self._site.form(request)
        try:
            await self._site.keep(person, form)
        except HandInError as error:
            return await self.mine(request, told=f"Not handed in: {error}.", status=422)
        return RedirectResponse("/mine", 303)

    async def again(self, request: Request) -> Response:
        person, _ = await self._site.form(request)
        if self._desk.calendar.is_closed:
            raise HTTPException(422, "The deadline is over.")
        number = number_of(request.path_params["version"])
        if number is None or not await run_in_threadpool(self._hand_ins.again, person, number):
            raise HTTPException(404, "You have no such version.")
        self._desk.wake()
        return RedirectResponse("/mine", 303)

    async def token(self, request: Request) -> Response:
        """Make a token for programs, which is shown once."""
        person, _ = await self._site.form(request)
        return await self.mine(request, token=self._people.new_token(person.id))

    async def name(self, request: Request) -> Response:
        """Give the bot another name, before its first version."""
        person, form = await self._site.form(request)
        self._check_author(person)
        taken = await run_in_threadpool(self._site.taken)
        self._people.rename(person, str(form.get("bot", "")), taken)
        return RedirectResponse("/mine", 303)

    async def download(self, request: Request) -> Response:
        person, number = self._site.visitor(request), number_of(request.path_params["version"])
        for version in self._hand_ins.of(person):
            if version.id == number:
                async with self._site.heavy(request, person):
                    path = await run_in_threadpool(packed, self._hand_ins.files(version))
                return FileResponse(path, filename=f"version-{version.number}.zip", media_type="application/zip")
        raise HTTPException(404, "You have no such version.")

    async def records(self, request: Request) -> Response:
        """The records of one's own matches whose deals are over."""
        person = self._site.visitor(request)
        bots = self._site.bots_of(person)
        async with self._site.heavy(request, person):
            content = await self._site.nights.ask(lambda archive: records_zip(archive, bots))
        if content is None or not bots:
            raise HTTPException(404, "Your bot has played nothing yet.")
        return saved(content, "records.zip", "application/zip")

    async def log(self, request: Request) -> Response:
        """What one's own processes have printed in this night, the last lines."""
        person = self._site.visitor(request)
        bots = self._site.bots_of(person)
        async with self._site.heavy(request, person):
            lines = await run_in_threadpool(self._last_lines, bots)
        return PlainTextResponse("\n".join(map(without_folders, lines)) + "\n")

    def _last_lines(self, bots: Sequence[str]) -> list[str]:
        found = (f"{bot}: {line}" for bot in bots for line in printed_in(self._desk.logs, bot, LOGGED_BYTES) if line)
        return list(deque(found, LOGGED))

    @staticmethod
    def _check_author(person: Person) -> None:
        if person.organiser:
            raise HTTPException(403, "The organiser has no bot: invite yourself under another name.")


def shown_versions(own: Sequence[BotVersion], every: Sequence[BotVersion]) -> list[dict[str, Any]]:
    """A person's versions, newest first, with how many are checked before each."""
    shown = [{**asdict(version), "before": before(version, every)} for version in reversed(own)]
    for older in shown[1:]:
        if older["state"] == WAITING:
            older["state"] = "replaced before its check"
    return shown


def worst_step(course: dict[str, Any], seat: int) -> int:
    """The step of a match that cost a seat most.

    It is that of its costliest mistake; without one, that after which it could expect
    least of what it could expect before.
    """
    if own := [mistake for mistake in course["mistakes"] if mistake["seat"] == seat]:
        return int(max(own, key=lambda mistake: mistake["cost"])["step"])
    hopes = [expected[seat] for expected in course["expected"]]
    return min(range(1, len(hopes)), key=lambda step: hopes[step] - hopes[step - 1], default=0)


def lines_of(guest: GuestNote | None) -> list[str]:
    """Where a bot on another machine is, and what its check has found."""
    return (
        ["The night is not hosted now."] if guest is None else [line for line in (guest.where, guest.checked) if line]
    )


def saved(content: bytes | str, name: str, kind: str) -> Response:
    """A file that the browser saves. Names are ours: no visitor chooses them."""
    return Response(content, media_type=kind, headers={"content-disposition": f'attachment; filename="{name}"'})
