"""Play a night at the terminal: progress and pages meanwhile, standings at its end.

Pages need the extra `league`, like everything that plays a night.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import click

from pips_tourney.cli.nights.progress import Progress
from pips_tourney.cli.nights.tables import show
from pips_tourney.cli.terminal import FILE, told
from pips_tourney.night.log.commitment import read_beacon
from pips_tourney.night.log.store import Row
from pips_tourney.play.evening import Announcement, RunConfig, Watcher
from pips_tourney.play.runner import run_night
from pips_tourney.system import hands_on_sockets
from pips_tourney.web.beside import Beside, PlaceAround

BEACON = click.option(
    "--beacon", metavar="TEXT|@FILE", help="The text of the beacon that the commitment names, or a file that holds it."
)
DATABASE = click.option(
    "--db", "database", type=FILE, help="The night's file; by default named after the league, in this folder."
)
SECRET = click.option("--secret-file", type=FILE, help="64 hexadecimal digits: a night that can be reproduced.")
NEW = click.option("--new", is_flag=True, help="Play another night; the old file is kept beside it.")
CONTINUE = click.option("--continue", "go_on", is_flag=True, help="Go on although the league or a bot has changed.")


@dataclass(frozen=True, slots=True)
class Pages:
    """How a night is served while it is played. Without a `port` there are no pages."""

    port: int | None
    host: str = "127.0.0.1"
    open_cards: bool = False
    lobby: Callable[[], dict[str, Any] | None] = lambda: None
    """Returns the players who have dialled in, if the night is hosted."""
    stay: bool | None = None
    """Whether the pages stay after the night.

    None: only if somebody is at the terminal to end them.
    """
    place: PlaceAround | None = None
    """The pages of a place around those of the night."""


class Served:
    """Another watcher's night, also served as pages. A `run.Watcher`."""

    def __init__(self, watcher: Watcher, beside: Beside) -> None:
        self._watcher = watcher
        self._beside = beside

    def begins(self, announcement: Announcement) -> None:
        if self._beside.begin(announcement.under_way, announcement.referees):
            click.echo(f"Look on at {self._beside.link}", err=True)
        self._watcher.begins(announcement)

    def stored(self, rows: Sequence[Row]) -> None:
        self._watcher.stored(rows)

    def ends(self) -> None:
        self._watcher.ends()

    def told(self, line: str) -> None:
        self._watcher.told(line)
        self._beside.told(line)


@contextmanager
def watched(watcher: Watcher, database: Path, pages: Pages) -> Iterator[Watcher]:
    """The watcher of a night.

    If a port is given, the night is served while it is played, and afterwards until
    Ctrl-C.
    """
    if pages.port is None:
        yield watcher
        return
    if not hands_on_sockets():
        click.echo(
            "Here the pages are a command of their own, for a second terminal: "
            f"pips-tourney serve {database} --listen 127.0.0.1:{pages.port}",
            err=True,
        )
        yield watcher
        return
    with Beside(
        database, pages.host, pages.port, open_cards=pages.open_cards, lobby=pages.lobby, place=pages.place
    ) as beside:
        yield Served(watcher, beside)
        if pages.stay if pages.stay is not None else sys.stdin.isatty() and sys.stderr.isatty():
            click.echo(f"The pages stay at {beside.link} until Ctrl-C.", err=True)
            with suppress(KeyboardInterrupt):
                beside.stay()
    click.echo(f"The pages have ended. Look on with: pips-tourney serve {database}", err=True)


def beacon_of(beacon: str | None) -> str | None:
    """The text that `--beacon` gives, directly or in a file (`@FILE`)."""
    return read_beacon(Path(beacon[1:])) if beacon is not None and beacon.startswith("@") else beacon


def play_and_show(config: RunConfig, pages: Pages, *, as_json: bool = False) -> NoReturn:
    """Play, then exit with the night's status."""
    with told(), watched(Progress(), config.database, pages) as watcher:
        evening = run_night(config, watcher)
        show(evening.standings, as_json=as_json)
        if not as_json and evening.season is not None and len(evening.season.nights) > 1:
            show(evening.season)
        for line in evening.told(config):
            click.echo(line, err=True)
        if evening.interrupted:
            sys.exit(evening.exit_code)
    sys.exit(evening.exit_code)
