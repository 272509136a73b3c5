"""Serving a place: the files beside its league, its invite links, and its address."""

from __future__ import annotations

import asyncio
import os
import re
import socket
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import uvicorn
from starlette.routing import BaseRoute

from pips_referee.loop import fast_loop
from pips_tourney.errors import TourneyError
from pips_tourney.league.read import read_league
from pips_tourney.league.times import PlaceEntry
from pips_tourney.night.log.store import hold_lock
from pips_tourney.people.codes import InviteError
from pips_tourney.people.roster import read_roster
from pips_tourney.people.store import LIKE_A_VERSION, People, Person
from pips_tourney.people.tickets import TOKEN_VARIABLE
from pips_tourney.place.desk.calendar import Calendar
from pips_tourney.place.desk.desk import Desk
from pips_tourney.place.desk.hand_ins import HandIns
from pips_tourney.place.desk.invites import INVITES, write_invites
from pips_tourney.place.desk.seat import PublishedTable
from pips_tourney.place.desk.uploads import clear_parts
from pips_tourney.place.pages.api import Api
from pips_tourney.place.pages.downloads import Downloads
from pips_tourney.place.pages.games import seats_of
from pips_tourney.place.pages.guests import Guests
from pips_tourney.place.pages.hand_in import HandInPages
from pips_tourney.place.pages.mine import BotPages
from pips_tourney.place.pages.organiser import OrganiserPages
from pips_tourney.place.pages.site import PlaceSite, Takes
from pips_tourney.place.requests.connections import MOST, UNSENT_BYTES, Guarded, make_room
from pips_tourney.place.requests.proxy import PublicAddress
from pips_tourney.remote.certificates import host_folder, host_people
from pips_tourney.web.door import Door
from pips_tourney.workshop.browser.runtime import INSTALL

KEEP_ALIVE_S: Final = 5
_LINK: Final = re.compile(rb"https?://[^\s,\"]+/enter#")


class PlaceError(TourneyError):
    """A place that cannot be opened; the text says what to do."""


@dataclass(frozen=True, slots=True)
class PlaceConfig:
    """A league that is open to its people."""

    league: Path
    database: Path
    address: str
    """The address of the pages, as people type it, with a slash at its end."""
    certificate: tuple[Path, Path] | None = None
    """The files of a certificate and its key."""

    @property
    def folder(self) -> Path:
        return self.database.with_name(f"{self.database.stem}-place")


def serve_place(
    config: PlaceConfig,
    listener: socket.socket,
    told: Callable[[str], None],
    roster: Path | None = None,
    secret_file: Path | None = None,
) -> None:
    """Serve a league that takes hand-ins until a signal.

    `told` is called with lines for the organiser. `secret_file` has the first night's
    secret, if that night is to be repeated. Raises the errors of league and roster, and
    `PlaceError`.
    """
    league = read_league(config.league)
    invited = [] if roster is None else read_roster(roster)
    league.sandbox([], others=["whatever is handed in"])
    config.folder.mkdir(mode=0o700, exist_ok=True)
    versions = config.folder / "versions"
    versions.mkdir(mode=0o700, exist_ok=True)
    with _held(config.folder / "place"), People(config.folder) as people:
        clear_parts(versions)
        house, place = frozenset(bot.name for bot in league.file.bots), league.file.place
        calendar, hand_ins = Calendar.of(people, place.every, place.deadline), HandIns(people, versions.absolute())
        desk = Desk(
            config.league.absolute(), config.database.absolute(), hand_ins, calendar, secret_file, place.disk_gb
        )
        _check_house(config.league, house, people)
        made = people.invite(invited, house | _names(desk), anonymous=place.anonymous)
        calendar.extend(invited)
        site = PlaceSite(desk, league.name, config.address, public_address(place))
        _tell_invites(site, [invite_line(site, person.name, person.bot, code) for person, code in made], told)
        pages = HandInPages(site, desk, house, anonymous=place.anonymous)
        if not site.workshop:
            told(f"Without a workshop for its people, until `{INSTALL}` has run and the place opens again.")
        _serve(site, pages, listener, config)


def serve_guests(
    config: PlaceConfig, listener: socket.socket, dial: str, *, open_cards: bool = False, token: str | None = None
) -> None:
    """Serve a night whose bots dial in, until its host closes the pipe.

    With the `token`, spectators without an invite can see the night. Raises the errors
    of the league and of people.
    """
    league = read_league(config.league)
    with host_people(host_folder(config.league)) as people:
        made = people.expect([bot.name for bot in league.file.bots if bot.remote])
        guests = Guests(config.league, config.database, people, dial)
        site = PlaceSite(guests, league.name, config.address, public_address(league.file.place))
        _tell_invites(site, [invite_line(site, bot, bot, code) for bot, code in made], _say)
        site.nights.open_cards = open_cards
        site.spectators = Door(site.show_night, token)
        _serve(site, guests, listener, config)


def invite_line(site: PlaceSite, name: str, bot: str, code: str) -> dict[str, str]:
    """A person's line in the file of invites, by column."""
    line = {"name": name, "bot": bot, "code": code, "link": f"{site.address}enter#{code}"}
    if isinstance(site.desk, Guests):
        line["join"] = f"{TOKEN_VARIABLE}={code} pips-bot join {site.desk.dial} my_bot.py"
    return line


def _say(line: str) -> None:
    """Print on a line of its own, even if the host has printed part of a line."""
    print(f"\n{line}", file=sys.stderr, flush=True)


def _serve(site: PlaceSite, takes: Takes, listener: socket.socket, config: PlaceConfig) -> None:
    make_room()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, UNSENT_BYTES)
    with asyncio.Runner(loop_factory=fast_loop()) as runner:
        runner.run(server_of(site, pages_of(site, takes), config.certificate).serve([listener]))


def pages_of(site: PlaceSite, takes: Takes) -> list[BaseRoute]:
    """All pages that need an invite. Members get seats."""

    def published() -> dict[str, Callable[[], PublishedTable]]:
        of = partial(PublishedTable, site.desk.league, site.desk.database)
        return {bot["name"]: partial(of, bot) for bot in site.published().values()}

    def note_invites(made: Sequence[tuple[Person, str]], gone: Sequence[str]) -> None:
        try:
            lines = [invite_line(site, person.name, person.bot, code) for person, code in made]
            write_invites(site.desk.people.folder, lines, gone)
        except OSError as error:
            site.desk.told.append(f"{INVITES} is not up to date: {error.strerror}")

    site.nights.seating, site.note_invites = seats_of(site.desk.league, published), note_invites
    pages = BotPages(site, takes), OrganiserPages(site, takes), Api(site, takes), Downloads(site), takes
    return [route for each in pages for route in each.routes()]


class _PlaceServer(uvicorn.Server):
    """A server that ends the spectators' streams before its shutdown."""

    def __init__(self, site: PlaceSite, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._site = site

    async def on_tick(self, counter: int) -> bool:
        return await super().on_tick(counter) or self._site.is_over

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if self._site.nights.site is not None:
            self._site.nights.site.send_home()
        self._site.stop_working()
        await super().shutdown(sockets)


def server_of(site: PlaceSite, pages: Sequence[BaseRoute], certificate: tuple[Path, Path] | None) -> uvicorn.Server:
    """A server of a place's pages, with the bounds for a network."""
    cert, key = certificate or (None, None)
    settings = uvicorn.Config(
        site.app(pages), http=Guarded, backlog=MOST, ws="none", ssl_certfile=cert, ssl_keyfile=key,
        log_level="warning", access_log=False, server_header=False, proxy_headers=False,
        timeout_keep_alive=KEEP_ALIVE_S, timeout_graceful_shutdown=2, h11_max_incomplete_event_size=1 << 14,
    )  # fmt: skip
    return _PlaceServer(site, settings)


def _check_house(league: Path, house: frozenset[str], people: People) -> None:
    """Raise `PlaceError` if a bot of the league has the name of a person's bot."""
    bots = people.bots()
    if both := sorted(bot for bot in house if LIKE_A_VERSION.sub("", bot) in bots):
        raise PlaceError(
            f"{league} has a bot called {both[0]}, and so is the bot of somebody in this place: "
            "give the league's bot another name"
        )


def _names(desk: Desk) -> set[str]:
    """The names in the night. Raises `PlaceError` if it cannot be read."""
    try:
        return desk.carry_over.names()
    except TourneyError as error:
        raise PlaceError(
            f"the night of this place cannot be read: {error}. Put back a copy of {desk.database}, or move it away: "
            "then the place begins another night"
        ) from None


def public_address(place: PlaceEntry) -> PublicAddress:
    """The public address of a league's pages."""
    return PublicAddress(place.public_url or "", place.trusted_proxies, place.sign_in_header or "")


def _tell_invites(site: PlaceSite, lines: Sequence[Mapping[str, str]], told: Callable[[str], None]) -> None:
    """Tell the organiser where new invites are, and how to sign in."""
    people = site.desk.people
    _move_invites(people.folder / INVITES, site.address)
    if lines:
        told(f"{len(lines)} invites are in {write_invites(people.folder, lines)}")
    told(f"For the organiser alone: {site.address}enter#{organiser_code(people)}")


def organiser_code(people: People) -> str:
    """Return the organiser's code; it is new if the file of the last code is gone."""
    path = people.folder / "organiser.txt"
    with suppress(OSError, InviteError):
        if people.is_organisers(code := path.read_text(encoding="ascii").strip()):
            return code
    code = people.organiser()
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
        file.write(f"{code}\n")
    return code


def _move_invites(path: Path, address: str) -> None:
    """Let the links in the file of invites begin with the current address."""
    with suppress(FileNotFoundError):
        before = path.read_bytes()
        if (after := _LINK.sub(f"{address}enter#".encode().replace(b"\\", rb"\\"), before)) != before:
            part = path.with_name(f"{path.name}.part")  # a kill loses no code, which is kept nowhere else
            part.touch(0o600)
            part.write_bytes(after)
            part.replace(path)


@contextmanager
def _held(path: Path) -> Iterator[None]:
    """Lock the place, because two processes would check and play the same."""
    lock = hold_lock(path)
    try:
        yield
    finally:
        os.close(lock)
