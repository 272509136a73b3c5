"""An author's own pages: their bot, and its results in the night."""

from __future__ import annotations

from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pips_tourney.place.pages.shown import (
    about_bot,
    above_boss,
    curve,
    match_list,
    newest_of,
    plays_from,
    rated_versions,
    records_zip,
    what_next,
)
from pips_tourney.place.pages.site import PlaceSite, Takes

SHORT_LIST: Final = 12


class BotPages:
    """Handlers for everybody with an invite."""

    def __init__(self, site: PlaceSite, takes: Takes) -> None:
        self._site, self._takes = site, takes

    def routes(self) -> list[Route]:
        return [
            Route("/mine", self.mine),
            Route("/mine/records.zip", self.records),
            Route("/mine/token", self.token, methods=["POST"]),
        ]

    async def mine(
        self, request: Request, *, told: str = "", status: int = 200, token: str = "", typed: str = ""
    ) -> Response:
        """An author's page; `typed` is the text of a refused hand-in."""
        person = self._site.visitor(request)
        if person.organiser:
            return self._site.to("/organiser")
        desk, ask = self._site.desk, self._site.nights.ask
        bots = desk.bots_of(person)
        sections = await ask(lambda archive: about_bot(archive, bots)) or [] if bots else []
        rated = await ask(lambda archive: rated_versions(archive, desk.database, bots)) or []
        lost = await ask(lambda archive: match_list(archive, bots, lost=True, most=SHORT_LIST)) or [] if bots else []
        of_kind, now = await self._takes.mine(person), newest_of(rated)
        return self._site.page(
            request, f"mine_{self._takes.kind}.html", f"My bot: {person.bot}", status=status, told=told,
            token=token, typed=typed, person=person, sections=sections, newest=bots[-1] if bots else "",
            since=await ask(lambda archive: plays_from(archive, bots[-1])) if bots else "",
            rated=rated, now=now, curve=curve(rated), lost=lost,
            above=await ask(lambda archive: above_boss(archive, bots[-1])) or [] if bots else [],
            matches=await ask(lambda archive: match_list(archive, bots, most=SHORT_LIST)) or [] if bots else [],
            **{"next": what_next(bool(rated), lost)} | of_kind,
        )  # fmt: skip

    async def token(self, request: Request) -> Response:
        """Make a token for programs; the page shows it once."""
        person, _ = await self._site.form(request)
        return await self.mine(request, token=self._site.desk.people.new_token(person.id))

    async def records(self, request: Request) -> Response:
        """The records of the visitor's own matches whose deals are over."""
        person = self._site.visitor(request)
        bots = self._site.desk.bots_of(person)
        if not bots or not self._site.nights.is_open:
            raise HTTPException(404, "Your bot has played nothing yet.")
        await self._site.heavy(request, person)
        return saved(await records_zip(self._site.nights.ask, bots), "records.zip", "application/zip")


def saved(content: bytes | str, name: str, kind: str) -> Response:
    """A file for the browser to save. No visitor can choose the name."""
    return Response(content, media_type=kind, headers={"content-disposition": f'attachment; filename="{name}"'})
