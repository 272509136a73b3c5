"""`pips-tourney invite`: the players of a league whose bots dial in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import click

from pips_referee.address import Address, read_address
from pips_tourney.cli.failure import Failed
from pips_tourney.cli.terminal import FILE, check_place, told
from pips_tourney.files import write_file
from pips_tourney.league.league import League
from pips_tourney.league.read import read_league
from pips_tourney.names import one_form
from pips_tourney.remote.certificates import own_files
from pips_tourney.remote.codes import Code
from pips_tourney.remote.invites import TOKEN_VARIABLE, Invites, host_folder
from pips_tourney.remote.sheet import sheet
from pips_tourney.web.address import own_address

PORT: Final = 7700


@click.command()
@click.argument("league", type=FILE)
@click.argument("player", required=False)
@click.option("--address", metavar="HOST:PORT", help="Where the player finds you; by default this machine's address.")
@click.option("--revoke", is_flag=True, help="Take the player's invite back.")
@click.option(
    "--all",
    "everybody",
    is_flag=True,
    help="Invite all players: LEAGUE-invites.html, a sheet to print, with a QR code each.",
)
def invite(
    league: Path,
    player: str | None,
    address: str | None,
    revoke: bool,
    everybody: bool,
) -> None:
    """Print the line with which a PLAYER of LEAGUE joins.

    Its code can be read aloud. It opens the pages of `serve`, too. Without a
    PLAYER it lists the invited players.

    Every invite of a player replaces the one before it. It holds a secret: give it to
    nobody else.
    """
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
            place = league.with_name(f"{league.stem}-invites.html")
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
    return f"{TOKEN_VARIABLE}={code} pips-bot join {address} my_bot.py"


def _write_sheet(league: League, line_for: Callable[[str], str], place: Path) -> None:
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
