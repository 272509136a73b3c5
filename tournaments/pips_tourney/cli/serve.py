"""`pips-tourney serve`: a league as a place. Needs the extra `web`."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import click

from pips_tourney.cli.terminal import FILE, told
from pips_tourney.cli.web import check_extra


@click.command()
@click.argument("league", type=FILE)
@click.option("--roster", type=FILE, help="CSV of names: everybody who is new gets an invite.")
@click.option("--db", "database", type=FILE, help="The night's file; by default named after the league.")
@click.option("--port", type=click.IntRange(0, 65535), default=8080, show_default=True)
@click.option("--host", default="127.0.0.1", show_default=True, help="0.0.0.0 for the whole network.")
@click.option("--cert", type=FILE, help="A certificate, for https.")
@click.option("--key", type=FILE, help="The certificate's key.")
@click.option("--unfenced", is_flag=True, help="Take hand-ins though bots cannot be fenced in here.")
def serve(  # noqa: PLR0913, PLR0917 - one an option
    league: Path,
    roster: Path | None,
    database: Path | None,
    port: int,
    host: str,
    cert: Path | None,
    key: Path | None,
    *,
    unfenced: bool,
) -> None:
    """Open a LEAGUE as a place: people hand in from a browser, bots play at once.

    Stop it with Ctrl-C, and the same command goes on.
    """
    check_extra()
    if (cert is None) != (key is None):
        raise click.UsageError("--cert and --key belong together")
    from pips_tourney.place.serve import PlaceConfig, serve_place
    from pips_tourney.web.address import link, listen

    certificate = (cert, key) if cert is not None and key is not None else None
    with told(), suppress(KeyboardInterrupt):
        config = PlaceConfig(league, database or Path(f"{league.stem}.db"), roster, unfenced, certificate)
        listener = listen(host, port)
        address = link(listener, None)
        address = address.replace("http:", "https:", 1) if certificate else address
        click.echo(f"The place is open at {address}", err=True)
        serve_place(config, listener, address, lambda line: click.echo(line, err=True))
