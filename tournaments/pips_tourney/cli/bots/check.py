"""`pips-bot check`: whether a league would take a bot."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from pips_tourney.cli.bots.table_options import ANSWER_MS, GAMES, in_this_process
from pips_tourney.cli.terminal import FILE, told, write_json
from pips_tourney.system import is_linux
from pips_tourney.workshop.checks.check import check as check_bot


@click.command(short_help="Is it ready for a league?")
@click.argument("bot")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.option("--in-process", is_flag=True, help="Without processes and clock: all that can be checked without Linux.")
@click.option("--answer-ms", type=ANSWER_MS, default=1000, show_default=True, help="Time for an answer.")
@click.option("--game", "wanted", type=GAMES, multiple=True, help="It must play this game. May be given several times.")
@click.option("--league", type=FILE, help="Check with this league file's games, clock and sandbox.")
def check(
    bot: str, as_json: bool, in_process: bool, answer_ms: int, wanted: tuple[str, ...], league: Path | None
) -> None:
    """Check BOT as a league does when it enters.

    The bot is started, and plays fixed deals of every game that it declares. With
    `--league` these are the games of that file, with its options.

    Ends with 0 when a league would take it, with 1 when something must be fixed.
    """
    if league is not None and (in_process or wanted):
        raise click.UsageError("--league says how and what to play: leave --in-process and --game out")
    with told():
        report: Any
        if league is not None and not is_linux():
            report = check_bot(
                bot, answer_ms=answer_ms, in_process=in_this_process(asked=False), wanted=_games_of(league)
            )
        elif league is not None:
            from pips_tourney.workshop.checks.class_check import check_in_league  # it needs the extra `league`

            report = check_in_league(bot, league, by_its_author=True)
        else:
            report = check_bot(bot, answer_ms=answer_ms, in_process=in_this_process(in_process), wanted=wanted)
    if as_json:
        write_json(report.as_json())
    else:
        for line in report.lines():
            click.echo(line)
    sys.exit(not report.ok)


def _games_of(league: Path) -> tuple[str, ...]:
    from pips_tourney.league.read import read_league

    return tuple(dict.fromkeys(game.name for game in read_league(league).file.games))
