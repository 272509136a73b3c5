"""`pips-tourney invite`: the players of a league whose bots dial in."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from pips_referee.command.address import Address, read_address
from pips_tourney.cli.failure import Failed
from pips_tourney.cli.terminal import FILE, check_place, told
from pips_tourney.files import write_file
from pips_tourney.league.league import League
from pips_tourney.league.read import read_league
from pips_tourney.names import one_form
from pips_tourney.people.sheet import sheet
from pips_tourney.people.store import People
from pips_tourney.people.tickets import TOKEN_VARIABLE
from pips_tourney.remote.certificates import host_folder, host_people
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

    The code in it can be read aloud, and also opens the pages of `serve`. Without a
    PLAYER, the command lists the invited players.

    A new invite replaces the player's previous one. It contains a secret: give it to
    nobody else.
    """
    called = _called(address)
    with told():
        found = read_league(league)
        players = [bot.name for bot in found.file.bots if bot.remote]
        with host_people(host_folder(league)) as people:
            if everybody:
                if player is not None or revoke:
                    raise click.UsageError("--all is for all players: leave PLAYER out, and revoke one at a time")
                _write_sheet(found, players, people, called)
            elif player is None:
                invites = people.invites()
                for name in players:
                    click.echo(f"{name}: {'invited' if name in invites else 'not invited'}")
            else:
                player = one_form(player)
                _check_player(found, player, players)
                click.echo(_revoked(people, player) if revoke else _line(people, player, called))


def _called(address: str | None) -> str:
    """The address where players find the host: as given, or this machine's own."""
    if address is None:
        return str(Address(own_address(), PORT))
    return str(address_of(address, "--address", "192.168.0.5"))


def _revoked(people: People, player: str) -> str:
    were = [people.revoke(person.id) for person in people.everybody() if person.bot == player]
    return f"{player} is not invited any more." if any(were) else f"{player} was not invited."


def _line(people: People, player: str, address: str) -> str:
    """The line to join with, which contains a new code."""
    return f"{TOKEN_VARIABLE}={people.player_code(player)} pips-bot join {address} my_bot.py"


def _write_sheet(league: League, players: list[str], people: People, address: str) -> None:
    if not players:
        _check_player(league, "", players)
    place = league.path.with_name(f"{league.path.stem}-invites.html")
    check_place(place)
    lines = {player: _line(people, player, address) for player in players}
    write_file(place, [sheet(league.name, lines)], private=True)
    click.echo(f"{len(lines)} invites written to {place}; earlier ones are void. Print the file, then keep it secret.")


def _check_player(league: League, player: str, players: list[str]) -> None:
    if player not in players:
        known = f"there are {', '.join(players)}" if players else "there is none: write `remote = true` to a bot"
        raise Failed(f"{league.path} has no bot called {player} with `remote = true`; {known}")


def address_of(text: str, option: str, such_as: str, lowest: int = 1) -> Address:
    """The address in an option's HOST:PORT; port 0 means any free port."""
    address = read_address(text, lowest)
    if address is None:
        raise click.BadParameter(f"{text}: write HOST:PORT, such as {such_as}:{PORT}", param_hint=option)
    return address
