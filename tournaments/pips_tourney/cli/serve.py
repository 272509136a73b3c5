"""`pips-tourney serve`: a league as a place. Needs the extra `web`."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

import click

from pips_tourney.cli.host import address_of
from pips_tourney.cli.terminal import FILE, told
from pips_tourney.cli.web import own_certificate
from pips_tourney.system import need_linux


@click.command()
@click.argument("league", type=FILE)
@click.option("--roster", type=FILE, help="CSV of names: everybody who is new gets an invite.")
@click.option("--db", "database", type=FILE, help="The night's file; by default named after the league.")
@click.option(
    "--listen",
    "at",
    default="127.0.0.1:8080",
    show_default=True,
    metavar="HOST:PORT",
    help="0.0.0.0:8080 for the whole network.",
)
@click.option("--tls", is_flag=True, help="Serve https, with a certificate of the league's own authority.")
@click.option("--cert", type=FILE, help="Serve https, with this certificate.")
@click.option("--key", type=FILE, help="The certificate's key.")
@click.option("--secret-file", type=FILE, help="64 hexadecimal digits: a first night that can be repeated.")
def serve(  # noqa: PLR0913, PLR0917 - one an option
    league: Path,
    roster: Path | None,
    database: Path | None,
    at: str,
    cert: Path | None,
    key: Path | None,
    secret_file: Path | None,
    *,
    tls: bool,
) -> None:
    """Open a LEAGUE as a place: people hand in from a browser, bots play at once.

    Stop it with Ctrl-C, and the same command goes on.
    """
    with told():
        need_linux("a place, where strangers' bots play,")
    if (cert is None) != (key is None):
        raise click.UsageError("--cert and --key belong together")
    if tls and cert is not None:
        raise click.UsageError("--tls makes a certificate: leave out --cert and --key")
    host, port = address_of(at, "--listen", "0.0.0.0", lowest=0)  # noqa: S104 - what one writes
    from pips_tourney.place.serve import PlaceConfig, serve_place
    from pips_tourney.web.address import link, listen

    with told(), suppress(KeyboardInterrupt):
        database = database or Path(f"{league.stem}.db")
        listener = listen(host, port)
        address = link(listener, None)
        certificate = (cert, key) if cert is not None and key is not None else None
        certificate = _own(database, host) if tls else certificate
        address = address.replace("http:", "https:", 1) if certificate else address
        config = PlaceConfig(league, database, roster, certificate, secret_file)
        click.echo(f"The place is open at {address}", err=True)
        _show_code(address)
        serve_place(config, listener, address, lambda line: click.echo(line, err=True))


def _own(database: Path, host: str) -> tuple[Path, Path]:
    """A certificate for this machine, and its key, beside the night."""
    folder = database.with_name(f"{database.stem}-place")
    folder.mkdir(mode=0o700, exist_ok=True)
    return own_certificate(folder, host)


def _show_code(address: str) -> None:
    """The address as a picture for phones, where somebody looks."""
    if sys.stderr.isatty():
        import segno

        segno.make(address, error="l").terminal(out=sys.stderr, compact=True)
