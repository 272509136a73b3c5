"""The options of all commands of `pips-bot` that seat two bots."""

from __future__ import annotations

import json
from typing import Any, Final

import click

from pips_referee.game import REGISTRY
from pips_tourney.system import is_linux
from pips_tourney.workshop.duels.duel import Wanted


class _GameChoice(click.Choice[str]):
    """A game that is installed, or one of a family such as `openspiel:chess`."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Parse the name, or refuse it."""
        return value if value in REGISTRY else str(super().convert(value, param, ctx))


GAMES: Final = _GameChoice(REGISTRY, case_sensitive=False)
ANSWER_MS: Final = click.IntRange(1, 3_600_000)
MATCHES: Final = click.IntRange(1, 1_000_000)


class Word(click.types.StringParamType):
    """Text that can be printed: undecodable bytes of the locale would be surrogates."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Parse the text, or refuse it."""
        word = str(super().convert(value, param, ctx))
        if not word.isprintable():
            self.fail(f"{word!a} cannot be printed, so nobody could type it again", param, ctx)
        return word


SEED: Final = Word()
GAME: Final = click.option("--game", type=GAMES, help="The game; needed if the bots play several.")


def deal_options(command: Any) -> Any:
    """Add the options of a command that has the game as an argument."""
    for option in (
        click.option("--seats", type=click.IntRange(2), help="Seats at the table; by default the game's fewest."),
        click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="An option of the game."),
        click.option("--seed", metavar="WORD", type=SEED, help="Play this word's deals again, with the same bots."),
        click.option("--in-process", is_flag=True, help="Without processes and clock: quicker, and on any platform."),
    ):
        command = option(command)
    return command


def table_options(command: Any) -> Any:
    """Add all of these options to a command."""
    limit = click.option("--answer-ms", type=ANSWER_MS, default=1000, show_default=True, help="Time for an answer.")
    return limit(deal_options(GAME(command)))


def wanted_of(matches: int | None, deals: int = 1, *, options: tuple[str, ...], **table: Any) -> Wanted:
    """The request that these options make."""
    return Wanted(matches, deals, options=options_in(options), **table)


def options_in(words: tuple[str, ...]) -> dict[str, object]:
    """The options of a game, by name, from arguments such as `decks=2`."""
    return dict(map(_option, words))


def _option(text: str) -> tuple[str, object]:
    """The option in `decks=2`. Values are numbers, true, false, or text."""
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise click.BadParameter(f"{text!r}: write it as NAME=VALUE, such as decks=2", param_hint="--option")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def in_this_process(asked: bool) -> bool:
    """Whether bots play in this process: on request, or as the only possibility."""
    if not asked and not is_linux():
        told = "Played in this process, without a clock: bots have processes of their own on Linux alone."
        click.echo(told, err=True)
    return asked or not is_linux()
