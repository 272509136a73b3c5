"""An author's bot: begin it, play against bots, join a night with it."""

from __future__ import annotations

import secrets
import shlex
import sys
from pathlib import Path
from typing import Final

import click

from pips_referee.command.address import read_address
from pips_sdk.samples import usual_sample
from pips_tourney.bots.find import find_bot
from pips_tourney.cli.bots.table_options import GAMES, SEED, options_in
from pips_tourney.cli.groups import BOT_HELP
from pips_tourney.cli.terminal import told
from pips_tourney.people.tickets import given_token
from pips_tourney.remote.join import join as take_part
from pips_tourney.workshop.begin.new_bot import build_command, languages, new_bot, what_is_missing
from pips_tourney.workshop.begin.new_game import new_game as write_game
from pips_tourney.workshop.duels.duel import game_named, options_of, seats_of
from pips_tourney.workshop.duels.human import Terminal, deal_of, play_human

INTERRUPTED: Final = 130
"""The exit code after a signal, as in shells."""


@click.command(short_help="Begin a bot: its folder, a test, a README.")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--game", type=GAMES, required=True, help="The game it plays.")
@click.option("--language", default="python", show_default=True, help="The language it is written in.")
def new(folder: Path, game: str, language: str) -> None:
    """Make a bot's FOLDER that runs as it is: the bot, a test for it, a README."""
    if language not in languages():
        raise click.BadParameter(f"there are {', '.join(languages())}, but no {language}", param_hint="--language")
    with told():
        for file in new_bot(folder, game, language):
            click.echo(f"wrote {file}")
    if missing := what_is_missing(language, folder):
        click.echo(f"\n{missing}")
    if build := build_command(language):
        click.echo(f"\nBuild it:  (cd {shlex.quote(str(folder))} && {build})")
    click.echo(
        f"\nPlay it:   pips-bot play {shlex.quote(str(folder))} {usual_sample(game)}\nChange it, and play again."
    )


@click.command(short_help="Begin a game of your own: its rules, its tests.")
@click.argument("folder", type=click.Path(path_type=Path))
def new_game(folder: Path) -> None:
    """Make a game's FOLDER that plays as it is: a package, its rulebook, its tests."""
    with told():
        for file in write_game(folder):
            click.echo(f"wrote {file}")
    click.echo(
        f"\nInstall it: pip install -e {shlex.quote(str(folder))}\n"
        f"Play it:    pips-bot play random random --game {folder.name}"
    )


@click.command(short_help="Take a seat yourself.", epilog=BOT_HELP)
@click.argument("game", type=GAMES)
@click.option(
    "--against",
    help="The bot in the other seats; by default the game's sample greedy, or else random.",
)
@click.option("--seat", type=click.IntRange(0), default=0, show_default=True, help="Your seat.")
@click.option("--seats", type=click.IntRange(2), help="Seats at the table; by default the game's fewest.")
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="An option of the game.")
@click.option("--seed", metavar="WORD", type=SEED, help="Play the deal of this word again.")
def human(
    game: str, against: str | None, seat: int, seats: int | None, options: tuple[str, ...], seed: str | None
) -> None:
    """Take a seat in a match of GAME yourself, in this terminal.

    ? shows the rules, q leaves the table.
    """
    with told():
        rules = game_named(game)
        chosen = options_of(rules, options_in(options))
        size = seats_of(rules, chosen, seats)
        others = [find_bot(against or usual_sample(rules.name)).bot_class(rules.name)] * (size - 1)
    if seat >= size:
        raise click.BadParameter(f"the table has seats 0 to {size - 1}", param_hint="--seat")
    seed = seed if seed is not None else secrets.token_hex(4)
    terminal = Terminal(click.echo, _read_line, click.echo_via_pager)
    if play_human(rules, others, seat, deal_of(seed), chosen, terminal) is None:
        click.echo("You left the table.")
    click.echo(f"The same deal again: --seed {seed}")


def _read_line(prompt: str) -> str | None:
    try:
        return input(prompt)
    except EOFError:
        return None


@click.command(short_help="Take part in a night on another machine.", epilog=BOT_HELP)
@click.argument("address", metavar="HOST:PORT")
@click.argument("bot")
@click.option("--token-file", type=click.Path(path_type=Path), help="Reads the token from a file; - is standard input.")
def join(address: str, bot: str, token_file: Path | None) -> None:
    """Play with BOT, on this machine, in the night that is hosted at HOST:PORT.

    Ends when the night is over. The token of your invite comes from the variable
    PIPS_TOKEN or from a file. Keep it secret: whoever has it can play in your place.
    """
    with told():
        ticket = given_token(token_file)
        over = take_part(str(read_address(address) or address), ticket, find_bot(bot), click.echo)
    sys.exit(0 if over else INTERRUPTED)
