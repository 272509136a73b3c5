"""The pages of a place for a hosted night, served by a process beside its host."""

from __future__ import annotations

import asyncio
import socket
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pips_referee.loop import fast_loop
from pips_tourney.league.read import read_league
from pips_tourney.place.calendar import Calendar
from pips_tourney.place.connections import make_room
from pips_tourney.place.guest_desk import GuestDesk
from pips_tourney.place.hand_ins import HandIns
from pips_tourney.place.serve import pages_of, server_of, write_invites
from pips_tourney.place.site import PlaceSite
from pips_tourney.remote.certificates import host_folder, host_people
from pips_tourney.web.door import Door

LAST_S: Final = 0.5
"""How long spectators have to get the last news."""


@dataclass(frozen=True, slots=True)
class HostedPages:
    """What the pages of a hosted night are to show, and where."""

    league: Path
    database: Path
    dial: str
    """Where bots dial in, as their authors type it."""
    address: str
    """Where the pages are, as people type it."""
    pages: tuple[Path, Path] | None = None
    """The certificate of the pages and its key."""
    open_cards: bool = False
    token: str | None = None
    """With it spectators without an invite see the night on screen."""


def serve_hosted(asked: HostedPages, listener: socket.socket) -> None:
    """Serve until the host closes the pipe. Raises the errors of league and invites."""
    league, folder = read_league(asked.league), host_folder(asked.league)
    players = [bot.name for bot in league.file.bots if bot.remote]
    with host_people(folder) as people:
        if made := people.expect(players):
            _say(f"{len(made)} invites are in {_write_lines(folder, asked, made)}")
        _say(f"For the organiser alone: {asked.address}enter#{people.organiser()}")
        hand_ins = HandIns(people, folder)
        desk = GuestDesk(asked.league, asked.database, hand_ins, Calendar(people), dial=asked.dial)
        house = frozenset(bot.name for bot in league.file.bots)
        site = PlaceSite(desk, league.name, house, asked.pages is not None, False, asked.address)
        site.nights.open_cards = asked.open_cards
        site.spectators = Door(site.show_night, asked.token)
        make_room()
        with asyncio.Runner(loop_factory=fast_loop()) as runner:
            runner.run(_serve(site, desk, listener, asked.pages))


async def _serve(
    site: PlaceSite, desk: GuestDesk, listener: socket.socket, certificate: tuple[Path, Path] | None
) -> None:
    server = server_of(site, pages_of(site), certificate)
    serving = asyncio.create_task(server.serve([listener]))
    ending = asyncio.create_task(desk.over.wait())
    await asyncio.wait([serving, ending], return_when=asyncio.FIRST_COMPLETED)
    if not serving.done():
        await site.nights.end()
        await asyncio.sleep(LAST_S)
        server.should_exit = True
    ending.cancel()
    await serving


def _write_lines(folder: Path, asked: HostedPages, made: Sequence[tuple[str, str]]) -> Path:
    rows = [[bot, code, f"{asked.address}enter#{code}", join_line(asked.dial, code)] for bot, code in made]
    return write_invites(folder, ("bot", "code", "link", "join"), rows)


def join_line(dial: str, code: str) -> str:
    """What a player types to let a bot dial in."""
    return f"PIPS_TOKEN={code} pips-bot join {dial} my_bot.py"


def _say(line: str) -> None:
    """Say it on a line of its own, whatever the host has begun to say."""
    print(f"\n{line}", file=sys.stderr, flush=True)
