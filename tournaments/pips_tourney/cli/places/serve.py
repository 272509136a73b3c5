"""`pips-tourney serve`: a place, a night with guests, or a night's pages."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from typing import Final, NoReturn

import click

from pips_referee.command.address import Address
from pips_tourney.cli.nights.playing import BEACON, CONTINUE, DATABASE, NEW, SECRET, beacon_of
from pips_tourney.cli.places.invite import PORT, address_of
from pips_tourney.cli.places.serve_league import PageDoor, bring_back, serve_guests, serve_place
from pips_tourney.cli.terminal import FILE, database_of, nights_here, told
from pips_tourney.league.read import read_league
from pips_tourney.night.log.file_watch import usual_database
from pips_tourney.night.log.store import read_store
from pips_tourney.night.night import last_night
from pips_tourney.play.evening import RunConfig
from pips_tourney.system import need_linux
from pips_tourney.web.address import link, listen, token_for
from pips_tourney.web.serve import serve as serve_pages
from pips_tourney.web.server import Showing

OF_GUESTS: Final = ("dial", "start_when_all_here", "stay", "beacon", "new", "go_on")
OF_LEAGUES: Final = ("database", "tls", "cert", "secret_file", "roster", "backup", *OF_GUESTS)


@click.command()
@click.argument("what", type=FILE, required=False, metavar="[LEAGUE|NIGHT]")
@click.option(
    "--listen", "at", default="127.0.0.1:8080", show_default=True, metavar="HOST:PORT",
    help="The pages' address; 0.0.0.0:8080 for the whole network.",
)  # fmt: skip
@click.option("--open-cards", is_flag=True, help="Show spectators every card, even of matches under way.")
@click.option("--roster", type=FILE, help="A place's people, as a CSV of names; newcomers get an invite.")
@click.option("--from", "backup", type=FILE, help="Begin a place with what `export --as backup` has written.")
@click.option("--dial", metavar="HOST:PORT", help=f"The address for guests' bots; by default 0.0.0.0:{PORT}.")
@click.option("--start-when-all-here", is_flag=True, help="Begin a night with guests when all are here and checked.")
@click.option("--stay/--no-stay", default=None, help="Keep guests' pages after the night; by default on a terminal.")
@DATABASE
@click.option("--tls", is_flag=True, help="Serve https, with a certificate of the league's own authority.")
@click.option("--cert", type=FILE, help="Serve https, with this certificate; a place alone.")
@click.option("--key", type=FILE, help="The certificate's key.")
@SECRET
@BEACON
@NEW
@CONTINUE
@click.pass_context
def serve(  # noqa: PLR0913 - one an option
    context: click.Context, /, what: Path | None, at: str, *, open_cards: bool, roster: Path | None,
    backup: Path | None, dial: str | None, start_when_all_here: bool, stay: bool | None, database: Path | None,
    tls: bool, cert: Path | None, key: Path | None, secret_file: Path | None, beacon: str | None, new: bool,
    go_on: bool,
) -> None:  # fmt: skip
    """Open a LEAGUE to its people, or show a NIGHT as pages.

    A LEAGUE becomes a place: people hand in from a browser, and bots play at once. If
    its bots are `remote`, its night is played with guests: they dial in, and their
    invites open the pages.

    A NIGHT may be played elsewhere at the same time. Its pages also have seats to play
    against the sample bots. Without a name, the only night in this folder is shown, or
    else the seats alone.

    Ctrl-C stops it. The same command without --from continues it.
    """
    if (cert is None) != (key is None):
        raise click.UsageError("--cert and --key go together")
    if tls and cert is not None:
        raise click.UsageError("--tls makes a certificate: leave out --cert and --key")
    listening = address_of(at, "--listen", "0.0.0.0", lowest=0)  # noqa: S104 - what one writes
    if what is None or what.suffix != ".toml":
        _refuse(context, OF_LEAGUES, "it is for a LEAGUE, and this is a night")
        _serve_night(what, listening, open_cards=open_cards)
    with told():
        need_linux("a league that is open to people,")
        league = read_league(what).file
    door, night = PageDoor(listening, tls, cert, key, open_cards), database or usual_database(what)
    if any(bot.remote for bot in league.bots):
        _refuse(context, ("roster", "cert", "backup"), "it is for a place; invite guests with `pips-tourney invite`")
        with told():
            config = RunConfig(what, night, 1, secret_file, new, go_on, beacon=beacon_of(beacon))
        serve_guests(config, door, dial, stay, when_all_here=start_when_all_here)
    _refuse(context, OF_GUESTS, "it is for guests, and no bot of this league is `remote`")
    with told(), suppress(KeyboardInterrupt):
        bring_back(backup, night)
        serve_place(what, night, roster, secret_file, door, league.place.public_url)


def _refuse(context: click.Context, options: tuple[str, ...], why: str) -> None:
    """Refuse options that have no meaning for what is served."""
    for option in context.command.params:
        if (
            option.name in options
            and context.get_parameter_source(option.name) is not click.core.ParameterSource.DEFAULT
        ):
            raise click.UsageError(f"{option.opts[0]}: {why}")


def _serve_night(night: Path | None, at: Address, *, open_cards: bool) -> NoReturn:
    """Serve a night's pages until Ctrl-C; without a night, only the seats."""
    with told():
        database = None if night is None and not nights_here() else database_of(night)
        if database is not None:
            with read_store(database) as store:
                last_night(store)
        listener, token = listen(at.host, at.port), token_for(at.host)
        click.echo(f"Look on at {link(listener, token)}", err=True)
        with suppress(KeyboardInterrupt):
            serve_pages(listener, Showing(database, token, open_cards))
    sys.exit()
