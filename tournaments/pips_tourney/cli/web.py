"""`pips-tourney web` and `report`, and the pages beside a night that is played.

Needs the extra `web`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pips_tourney.cli.terminal import FILE, check_place, database_of, nights_here, told, write
from pips_tourney.system import hands_on_sockets

if TYPE_CHECKING:
    from pips_tourney.night.store import Row
    from pips_tourney.play.evening import Announcement, Watcher
    from pips_tourney.web.beside import Beside, PlaceAround


@dataclass(frozen=True, slots=True)
class Pages:
    """The values of `--web` and the options beside it. `port` None: no pages."""

    port: int | None
    host: str
    open_cards: bool
    stay: bool | None
    """Whether they stay after the night.

    None: where somebody is at the terminal to end them.
    """
    lobby: Callable[[], dict[str, Any] | None] = lambda: None
    """The players who have dialled in, where the night is hosted."""
    place: PlaceAround | None = None
    """The pages of a place around those of the night."""


def web_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options of a command that plays a night and can serve it.

    They are `port`, `web_host`, `open_cards`, `stay`.
    """
    options = (
        click.option("--web", "port", type=click.IntRange(0, 65535), help="Serve the night as pages at this port."),
        click.option(
            "--web-host", default="127.0.0.1", show_default=True, help="Another address needs the token of the link."
        ),
        click.option(
            "--open-cards", is_flag=True, help="Spectators see every card, also of matches and deals under way."
        ),
        click.option(
            "--web-stay/--no-web-stay", "stay", default=None,
            help="The pages stay after the night, until Ctrl-C; by default where this is a terminal.",
        ),
    )  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command


class Served:
    """Another watcher's night, served beside it as pages. A `run.Watcher`."""

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

    Where a port is given, the night is served while it is played, and after it until
    Ctrl-C.
    """
    if pages.port is None:
        yield watcher
        return
    if not hands_on_sockets():
        click.echo(
            f"Here the pages are a command of their own, for a second terminal: pips-tourney web {database} "
            f"--port {pages.port}",
            err=True,
        )
        yield watcher
        return
    from pips_tourney.web.beside import Beside

    with Beside(
        database, pages.host, pages.port, open_cards=pages.open_cards, lobby=pages.lobby, place=pages.place
    ) as beside:
        yield Served(watcher, beside)
        if pages.stay if pages.stay is not None else sys.stdin.isatty() and sys.stderr.isatty():
            click.echo(f"The pages stay at {beside.link} until Ctrl-C.", err=True)
            with suppress(KeyboardInterrupt):
                beside.stay()
    click.echo(f"The pages have ended. Look on with: pips-tourney web {database}", err=True)


@click.command()
@click.argument("night", type=FILE, required=False)
@click.option("--port", type=click.IntRange(0, 65535), default=8080, show_default=True)
@click.option("--host", default="127.0.0.1", show_default=True, help="Another address needs the token of the link.")
@click.option("--open-cards", is_flag=True, help="A match may be watched though its deal is still being played.")
@click.option("--seats", "seats_alone", is_flag=True, help="Seats to play alone, and no night.")
def web(night: Path | None, port: int, host: str, *, open_cards: bool, seats_alone: bool) -> None:
    """Serve a NIGHT as pages, and seats to play against the sample bots.

    The NIGHT may be played elsewhere at the same time.

    Without a NIGHT it is the only one in this folder. Where there is none, seats alone
    are served.
    """
    from pips_tourney.web.address import link, listen, token_for
    from pips_tourney.web.serve import serve
    from pips_tourney.web.server import Showing

    with told():
        database = None if seats_alone or (night is None and not nights_here()) else database_of(night)
        if database is not None:
            _check_night(database)
        listener, token = listen(host, port), token_for(host)
        click.echo(f"Look on at {link(listener, token)}", err=True)
        with suppress(KeyboardInterrupt):
            serve(listener, Showing(database, token, open_cards))


@click.command()
@click.argument("night", type=FILE, required=False)
@click.option("-o", "--output", type=FILE, help="By default named after the night.")
@click.option("-m", "--match", "matches", multiple=True, help="The beginning of a match's id: its replay goes in.")
@click.option("--public", is_flag=True, help="Without paths, printed lines, and the organiser's reasons.")
@click.option(
    "--aliases", is_flag=True, help="Public, and with drawn names instead of the bots': it prints who is who."
)
@click.option(
    "--site",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write the whole league, all nights beside the NIGHT too, into this folder for a web space; it is public.",
)
def report(
    night: Path | None,
    output: Path | None,
    matches: tuple[str, ...],
    *,
    public: bool,
    aliases: bool,
    site: Path | None,
) -> None:
    """Write a NIGHT into one HTML file: all its pages, and replays of some matches."""
    if site is not None:
        if output is not None or matches or aliases:
            raise click.UsageError("--site writes all nights as everybody may read them: leave the other options out")
        _write_site(night, site)
        return
    from pips_tourney.web.public import Public, drawn_aliases
    from pips_tourney.web.report import bots_of
    from pips_tourney.web.report import report as whole_page

    with told():
        database = database_of(night)
        output = output or database.with_suffix(".html")
        check_place(output)
        drawn = drawn_aliases(bots_of(database)) if aliases else {}
        shown = Public(drawn) if public or aliases else None
        write(output, [whole_page(database, matches, shown)])
    for bot, alias in drawn.items():
        click.echo(f"{alias} is {bot}")
    click.echo(f"written to {output}")


def _write_site(night: Path | None, folder: Path) -> None:
    from pips_tourney.web.site_export import write_site

    with told():
        written = write_site(database_of(night), folder)
    click.echo(f"{len(written)} files written to {folder}; begin with {folder / 'index.html'}")


def own_certificate(folder: Path, host: str) -> tuple[Path, Path]:
    """A certificate for pages served at that host, and its key.

    The folder's own authority signs it. The terminal says where that is.
    """
    from pips_tourney.remote.certificates import AUTHORITY, site_files
    from pips_tourney.web.address import own_address, resolved, shown_host

    files = site_files(folder, [shown_host(resolved(host)), own_address(), "localhost", "127.0.0.1"])
    click.echo(f"Browsers know these pages by the authority in {folder / AUTHORITY}", err=True)
    return files.certificate, files.key


def _check_night(database: Path) -> None:
    """Raise `StoreError` when there is no night."""
    from pips_tourney.night.night import last_night
    from pips_tourney.night.store import read_store

    with read_store(database) as store:
        last_night(store)
