"""Serving a place: the files beside its league, its invites, and its address."""

from __future__ import annotations

import asyncio
import csv
import os
import socket
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import uvicorn
from starlette.routing import BaseRoute

from pips_referee.loop import fast_loop
from pips_tourney.errors import TourneyError
from pips_tourney.league.read import read_league
from pips_tourney.night.log.store import hold_lock
from pips_tourney.people.roster import read_roster
from pips_tourney.people.store import LIKE_A_VERSION, People, Person
from pips_tourney.place.api import Api
from pips_tourney.place.calendar import Calendar
from pips_tourney.place.connections import MOST, Guarded, make_room
from pips_tourney.place.desk import Desk
from pips_tourney.place.hand_ins import HandIns
from pips_tourney.place.organiser import OrganiserPages
from pips_tourney.place.pages import BotPages
from pips_tourney.place.site import PlaceSite
from pips_tourney.place.uploads import clear_parts
from pips_tourney.reports.exports import harmless

KEEP_ALIVE_S: Final = 5


class PlaceError(TourneyError):
    """A place that cannot be opened, and what to do."""


@dataclass(frozen=True, slots=True)
class PlaceConfig:
    """The options of `pips-tourney serve`."""

    league: Path
    database: Path
    roster: Path | None = None
    certificate: tuple[Path, Path] | None = None
    """Files of a certificate and its key."""
    secret_file: Path | None = None
    """The first night's secret, where it is to be repeated."""

    @property
    def folder(self) -> Path:
        return self.database.with_name(f"{self.database.stem}-place")


def serve_place(config: PlaceConfig, listener: socket.socket, address: str, told: Callable[[str], None]) -> None:
    """Serve until a signal.

    `address` is what people type, with a slash at its end. `told` gets the lines for
    the organiser. Raises the errors of league and roster, and `PlaceError`.
    """
    league = read_league(config.league)
    invited = [] if config.roster is None else read_roster(config.roster)
    league.sandbox([], others=["whatever is handed in"])
    config.folder.mkdir(mode=0o700, exist_ok=True)
    versions = config.folder / "versions"
    versions.mkdir(mode=0o700, exist_ok=True)
    with _held(config.folder / "place"), People(config.folder) as people:
        clear_parts(versions)
        house, place = frozenset(bot.name for bot in league.file.bots), league.file.place
        calendar = Calendar.of(people, place.every, place.deadline)
        desk = Desk(
            config.league.absolute(), config.database.absolute(), HandIns(people, versions.absolute()), calendar
        )
        _check_house(config.league, house, people)
        made = people.invite(invited, house | _names(desk), anonymous=place.anonymous)
        if made:
            told(f"{len(made)} invites are in {_write_invites(config.folder, address, made)}")
        told(f"For the organiser alone: {address}enter#{people.organiser()}")
        desk.secret_file = config.secret_file
        site = PlaceSite(desk, league.name, house, config.certificate is not None, place.anonymous, address)
        make_room()
        with asyncio.Runner(loop_factory=fast_loop()) as runner:
            runner.run(server_of(site, pages_of(site), config.certificate).serve([listener]))


def pages_of(site: PlaceSite) -> list[BaseRoute]:
    """All pages but those for everybody."""
    return [*BotPages(site).routes(), *OrganiserPages(site).routes(), *Api(site).routes()]


class _PlaceServer(uvicorn.Server):
    """A server that first ends its spectators' news."""

    def __init__(self, site: PlaceSite, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._site = site

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if self._site.nights.site is not None:
            self._site.nights.site.send_home()
        await super().shutdown(sockets)


def server_of(site: PlaceSite, pages: Sequence[BaseRoute], certificate: tuple[Path, Path] | None) -> uvicorn.Server:
    """A server of a place's pages, with the bounds that a network needs."""
    cert, key = certificate or (None, None)
    settings = uvicorn.Config(
        site.app(pages), http=Guarded, backlog=MOST, ws="none", ssl_certfile=cert, ssl_keyfile=key,
        log_level="warning", access_log=False, server_header=False, proxy_headers=False,
        timeout_keep_alive=KEEP_ALIVE_S, timeout_graceful_shutdown=2, h11_max_incomplete_event_size=1 << 14,
    )  # fmt: skip
    return _PlaceServer(site, settings)


def _check_house(league: Path, house: frozenset[str], people: People) -> None:
    """Raise `PlaceError` where a bot of the league has the name of somebody's bot."""
    bots = people.bots()
    if both := sorted(bot for bot in house if LIKE_A_VERSION.sub("", bot) in bots):
        raise PlaceError(
            f"{league} has a bot called {both[0]}, and so is the bot of somebody in this place: "
            "give the league's bot another name"
        )


def _names(desk: Desk) -> set[str]:
    """The names in the night. Raises `PlaceError` where it cannot be read."""
    try:
        return desk.names()
    except TourneyError as error:
        raise PlaceError(
            f"the night of this place cannot be read: {error}. Put back a copy of {desk.database}, or move it away: "
            "then the place begins another night"
        ) from None


def write_invites(folder: Path, head: Sequence[str], rows: Iterable[Sequence[str]]) -> Path:
    """Add lines to the file of invites, which its owner alone may read."""
    path = folder / "invites.csv"
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if os.fstat(descriptor).st_size == 0:
            writer.writerow(head)
        writer.writerows(map(harmless, row) for row in rows)
    return path


def _write_invites(folder: Path, address: str, made: list[tuple[Person, str]]) -> Path:
    rows = [[person.name, person.bot, code, f"{address}enter#{code}"] for person, code in made]
    return write_invites(folder, ("name", "bot", "code", "link"), rows)


@contextmanager
def _held(path: Path) -> Iterator[None]:
    """Hold the place: two processes would check and play the same."""
    lock = hold_lock(path)
    try:
        yield
    finally:
        os.close(lock)
