"""`pips-tourney host` and `invite`: a night whose bots dial in from other machines."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from pips_referee.address import Address, is_loopback, read_address
from pips_tourney.cli.failure import Failed
from pips_tourney.cli.playing import BEACON, beacon_of, play_and_show
from pips_tourney.cli.terminal import FILE, check_place, told
from pips_tourney.cli.web import Pages, own_certificate, web_options
from pips_tourney.names import one_form
from pips_tourney.system import need_linux

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pips_tourney.league.league import League
    from pips_tourney.remote.codes import Code
    from pips_tourney.remote.invites import Invites
    from pips_tourney.remote.lobby import Hosting
    from pips_tourney.web.beside import PlaceAround

PORT: Final = 7700


@click.command()
@click.argument("league", type=FILE)
@click.option("--listen", default=f"0.0.0.0:{PORT}", show_default=True, metavar="HOST:PORT", help="Where bots dial in.")
@click.option("--start-when-all-here", is_flag=True, help="Begin when all are here and checked.")
@click.option(
    "--db", "database", type=FILE, help="The night's file; by default named after the league, in this folder."
)
@click.option("--secret-file", type=FILE, help="64 hexadecimal digits: a night that can be reproduced.")
@BEACON
@click.option("--new", is_flag=True, help="Play another night; the old file is kept beside it.")
@click.option("--continue", "go_on", is_flag=True, help="Go on although the league or a bot has changed.")
@click.option("--json", "form", flag_value="json", help="Print the standings as JSON.")
@click.option("--web-tls", is_flag=True, help="Serve the pages by https, with the league's own authority.")
@web_options
def host(  # noqa: PLR0913, PLR0917 - one an option
    league: Path,
    listen: str,
    start_when_all_here: bool,
    database: Path | None,
    secret_file: Path | None,
    beacon: str | None,
    new: bool,
    go_on: bool,
    form: str | None,
    port: int | None,
    web_host: str,
    open_cards: bool,
    stay: bool | None,
    *,
    web_tls: bool,
) -> None:
    """Play the night of a LEAGUE file with bots that dial in from other machines.

    It begins when you press Enter, or as the options say. Run again, it goes on where
    it was. With --web guests have pages, which their invites open.
    """
    from pips_tourney.play.evening import RunConfig

    if web_tls and port is None:
        raise click.UsageError("--web-tls is for the pages: say --web, too")
    at_address = address_of(listen, "--listen", "0.0.0.0")  # noqa: S104 - what one writes
    with told():
        need_linux("a night with guests")
        hosting = _hosting(league, at_address, start_when_all_here)
        text = beacon_of(beacon)
    hosting.database = database = database or Path(f"{league.stem}.db")
    config = RunConfig(league, database, 1, secret_file, new, go_on, beacon=text, hosting=hosting)

    with told():
        place = None if port is None else _place(league, at_address, web_host, tls=web_tls)
    play_and_show(config, Pages(port, web_host, open_cards, stay, hosting.shown, place), form, command="host")


def _place(league: Path, listen: Address, web_host: str, *, tls: bool) -> PlaceAround:
    """The pages for guests, with `tls` by a certificate of the host's authority."""
    from pips_tourney.remote.invites import host_folder
    from pips_tourney.web.address import own_address
    from pips_tourney.web.beside import PlaceAround

    everywhere = listen.host in {"0.0.0.0", "::"}  # noqa: S104 - compared, not bound
    dial = str(Address(own_address(), listen.port) if everywhere else listen)
    words = [str(league), "--dial", dial]
    if tls:
        cert, key = own_certificate(host_folder(league), web_host)
        words += ["--cert", str(cert), "--key", str(key)]
    elif not is_loopback(web_host):
        click.echo("The pages are served without TLS: who listens on the way reads invites. See --web-tls.", err=True)
    return PlaceAround(words, secure=tls)


def _hosting(league: Path, listen: Address, when_all_here: bool) -> Hosting:
    """How guests dial in; `Failed` where the address is taken."""
    from pips_tourney.remote.certificates import own_files
    from pips_tourney.remote.invites import Invites, host_folder
    from pips_tourney.remote.lobby import Hosting

    files = own_files(host_folder(league))
    _check_free(listen)
    certificate, key = str(files.certificate.absolute()), str(files.key.absolute())
    return Hosting(str(listen), certificate, key, Invites(host_folder(league)), when_all_here)


@click.command()
@click.argument("league", type=FILE)
@click.argument("player", required=False)
@click.option("--address", metavar="HOST:PORT", help="Where the player finds you; by default this machine's address.")
@click.option("--revoke", is_flag=True, help="Take the player's invite back.")
@click.option("--all", "everybody", is_flag=True, help="Invite all players: a sheet to print, with a QR code each.")
@click.option("-o", "--output", type=FILE, help="The sheet's file; by default LEAGUE-invites.html.")
def invite(
    league: Path,
    player: str | None,
    address: str | None,
    revoke: bool,
    everybody: bool,
    output: Path | None,
) -> None:
    """Print the line with which a PLAYER of LEAGUE joins.

    Its code can be read aloud. It opens the pages of `host --web`, too. Without a
    PLAYER it lists the invited players.

    Every invite of a player replaces the one before it. It holds a secret: give it to
    nobody else.
    """
    from pips_tourney.league.read import read_league
    from pips_tourney.remote.certificates import own_files
    from pips_tourney.remote.invites import Invites, host_folder

    called = _called(address)
    with told():
        found = read_league(league)
        players = [bot.name for bot in found.file.bots if bot.remote]
        folder = host_folder(league)
        invites = Invites(folder)

        def line_for(name: str) -> str:
            return _line(invites.invite(name, own_files(folder).in_der), called)

        if everybody:
            if player is not None or revoke:
                raise click.UsageError("--all is for all players: name none, and revoke one by one")
            place = output or league.with_name(f"{league.stem}-invites.html")
            _write_sheet(found, line_for, place)
        elif player is None:
            _list_invited(players, invites)
        else:
            player = one_form(player)
            _check_player(found, player, players)
            click.echo(_revoked(invites, player) if revoke else line_for(player))


def _called(address: str | None) -> str:
    """Where players find the host: as was said, or this machine's address."""
    if address is None:
        from pips_tourney.web.address import own_address

        return str(Address(own_address(), PORT))
    return str(address_of(address, "--address", "192.168.0.5"))


def _revoked(invites: Invites, player: str) -> str:
    return f"{player} is not invited any more." if invites.revoke(player) else f"{player} was not invited."


def _list_invited(players: Sequence[str], invites: Invites) -> None:
    invited = invites.read()
    for name in players:
        click.echo(f"{name}: {'invited' if name in invited else 'not invited'}")


def _line(code: Code, address: str) -> str:
    """The line to join with."""
    from pips_tourney.remote.invites import TOKEN_VARIABLE

    return f"{TOKEN_VARIABLE}={code} pips-bot join {address} my_bot.py"


def _write_sheet(league: League, line_for: Callable[[str], str], place: Path) -> None:
    from pips_tourney.files import write_file
    from pips_tourney.remote.sheet import sheet

    players = [bot.name for bot in league.file.bots if bot.remote]
    if not players:
        _check_player(league, "", players)
    check_place(place)
    lines = {player: line_for(player) for player in players}
    write_file(place, [sheet(league.name, lines)], private=True)
    click.echo(f"{len(lines)} invites written to {place}; earlier ones hold no more. Print it, and hide the file.")


def _check_player(league: League, player: str, players: list[str]) -> None:
    if player not in players:
        known = f"there are {', '.join(players)}" if players else "there is none: write `remote = true` to a bot"
        raise Failed(f"{league.path} has no bot called {player} with `remote = true`; {known}")


def address_of(text: str, option: str, such_as: str, lowest: int = 1) -> Address:
    """The address in an option's HOST:PORT; a port of 0 is any free one."""
    address = read_address(text, lowest)
    if address is None:
        raise click.BadParameter(f"{text}: write HOST:PORT, such as {such_as}:{PORT}", param_hint=option)
    return address


def _check_free(listen: Address) -> None:
    """Check, before the referee does, whether it can listen there."""
    try:
        family, kind, _, _, at = socket.getaddrinfo(listen.host, listen.port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind(at)
    except OSError as error:
        raise Failed(f"one cannot listen at {listen}: {error.strerror}") from None
