"""A league that `pips-tourney serve` opens: as a place, or for a night with guests."""

from __future__ import annotations

import socket
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn

import click
import segno

from pips_referee.command.address import Address, is_loopback
from pips_tourney.cli.failure import Failed
from pips_tourney.cli.nights.playing import Pages, play_and_show
from pips_tourney.cli.places.invite import PORT, address_of
from pips_tourney.cli.terminal import told
from pips_tourney.people.store import People
from pips_tourney.place.backup import take_back
from pips_tourney.place.serve import PlaceConfig
from pips_tourney.place.serve import serve_place as serve_pages
from pips_tourney.play.evening import RunConfig
from pips_tourney.remote.certificates import AUTHORITY, host_folder, own_files, site_files
from pips_tourney.remote.lobby import Hosting
from pips_tourney.web.address import link, listen, own_address, resolved, shown_host
from pips_tourney.web.beside import PlaceAround


@dataclass(frozen=True, slots=True)
class PageDoor:
    """The address of the pages, and their certificate.

    With neither `tls` nor `cert` they are served without one.
    """

    at: Address
    tls: bool = False
    cert: Path | None = None
    key: Path | None = None
    open_cards: bool = False


def bring_back(backup: Path | None, night: Path) -> None:
    """Restore a place from its backup, if one is given."""
    if backup is not None:
        click.echo(f"{take_back(backup, night)} files of {backup} are back", err=True)


def serve_place(
    league: Path, night: Path, roster: Path | None, secret_file: Path | None, door: PageDoor, public_url: str | None
) -> None:
    """Serve a league as a place until Ctrl-C."""
    listener = listen(door.at.host, door.at.port)
    config = PlaceConfig(league, night, public_url or link(listener, None, "", door.tls or door.cert is not None))
    config.folder.mkdir(mode=0o700, exist_ok=True)
    config = replace(config, certificate=_certificate(door, config.folder))
    click.echo(f"The place is open at {config.address}", err=True)
    if sys.stderr.isatty():  # as a QR code for phones
        segno.make(config.address, error="l").terminal(out=sys.stderr, compact=True)
    serve_pages(config, listener, lambda line: click.echo(line, err=True), roster, secret_file)


def serve_guests(
    config: RunConfig, door: PageDoor, dial: str | None, stay: bool | None, *, when_all_here: bool
) -> NoReturn:
    """Play the night of a league whose bots dial in, with pages for their authors.

    It ends the process with the night's status.
    """
    dials = Address("0.0.0.0", PORT) if dial is None else address_of(dial, "--dial", "0.0.0.0")  # noqa: S104
    hosting = _hosting(config.league, dials, when_all_here=when_all_here)
    hosting.database = config.database
    with told():
        around = _around(config.league, dials, door)
    pages = Pages(door.at.port, door.at.host, door.open_cards, hosting.shown, stay, around)
    play_and_show(replace(config, hosting=hosting), pages)


def _certificate(door: PageDoor, folder: Path) -> tuple[Path, Path] | None:
    """The certificate of the pages, and its key.

    For `--tls`, the folder's own authority signs one; the terminal says where that is.
    """
    if door.cert is not None and door.key is not None:
        return door.cert, door.key
    if not door.tls:
        return None
    names = [shown_host(resolved(door.at.host)), own_address(), socket.gethostname(), "localhost", "127.0.0.1"]
    files = site_files(folder, names)
    click.echo(f"Browsers know these pages by the authority in {folder / AUTHORITY}", err=True)
    return files.certificate, files.key


def _hosting(league: Path, dials: Address, *, when_all_here: bool) -> Hosting:
    """How guests dial in; `Failed` if the address is taken."""
    _check_free(dials)
    folder = host_folder(league)
    with told():
        files = own_files(folder)
        certificate, key = str(files.certificate.absolute()), str(files.key.absolute())
        return Hosting(str(dials), certificate, key, People(folder), when_all_here)


def _around(league: Path, dials: Address, door: PageDoor) -> PlaceAround:
    """The guests' pages around those of the night."""
    everywhere = dials.host in {"0.0.0.0", "::"}  # noqa: S104 - compared, not bound
    dial = str(Address(own_address(), dials.port) if everywhere else dials)
    certificate = _certificate(door, host_folder(league))
    if certificate is None and not is_loopback(door.at.host):
        click.echo("The pages are served without TLS: anybody on the network can read invites. See --tls.", err=True)
    return PlaceAround([str(league), dial, *map(str, certificate or ("", ""))], secure=certificate is not None)


def _check_free(listen: Address) -> None:
    """Check, before the referee does, whether it can listen at that address."""
    try:
        family, kind, _, _, at = socket.getaddrinfo(listen.host, listen.port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind(at)
    except OSError as error:
        raise Failed(f"one cannot listen at {listen}: {error.strerror}") from None
