"""Two bots at a table: play or watch them."""

from __future__ import annotations

from pathlib import Path
from time import sleep
from typing import Any

import click

from pips_referee.command.number import Number
from pips_referee.printable import plain_block
from pips_referee.records.record import read_record
from pips_referee.records.replay import replay_pages
from pips_tourney.bots.find import find_bot
from pips_tourney.cli.bots.table_options import GAME, MATCHES, deal_options, in_this_process, table_options, wanted_of
from pips_tourney.cli.counting import counted
from pips_tourney.cli.groups import BOT_HELP
from pips_tourney.cli.terminal import AS_JSON, told, write_json
from pips_tourney.workshop.duels.duel import plan_duel
from pips_tourney.workshop.duels.play import play as play_duel
from pips_tourney.workshop.duels.play import save_to
from pips_tourney.workshop.duels.play_report import headline, result_json, result_lines
from pips_tourney.workshop.duels.watch import play_listening, show


@click.command(short_help="Play a bot against another.", epilog=BOT_HELP)
@click.argument("bot")
@click.argument("other")
@click.option("-n", "--matches", type=MATCHES, default=200, show_default=True, help="How many matches.")
@table_options
@click.option("--save", type=click.Path(path_type=Path, file_okay=False), help="Keep the matches' records here.")
@click.option("--logs", type=click.Path(path_type=Path, file_okay=False), help="Keep the bots' output here.")
@AS_JSON
def play(
    bot: str,
    other: str,
    matches: int,
    *,
    in_process: bool,
    as_json: bool,
    save: Path | None,
    logs: Path | None,
    **table: Any,
) -> None:
    """Play BOT against OTHER: every deal from every seat.

    Prints the result, and how certain it is. The game's sample bot `greedy` takes any
    seats that are left.
    """
    in_process = in_this_process(in_process)
    if logs is not None and in_process:
        raise click.UsageError("in this process everything is printed at once: leave --logs out")
    with told():
        one, two = find_bot(bot), find_bot(other)
        duel = plan_duel(one, two, wanted_of(matches, **table))
        click.echo(headline(duel), err=as_json)
        for hint in (*one.hints(), *two.hints()):
            click.echo(plain_block(hint), err=True)
        keep = None if save is None else save_to(save)
        with counted(duel.matches) as advance:

            def on_record(fixture: Any, record: bytes) -> None:
                if keep is not None:
                    keep(fixture, record)
                advance()

            sheet = play_duel(duel, on_record, in_process=in_process, logs=logs)
    if as_json:
        write_json(result_json(sheet))
    else:
        click.echo("\n".join(result_lines(sheet)))
    if sheet.was_interrupted:
        raise KeyboardInterrupt


@click.command(short_help="Watch one match, slowly.", epilog=BOT_HELP)
@click.argument("bot")
@click.argument("other")
@deal_options
@GAME
@click.option("--delay", type=Number(0, 3600), default=1.0, show_default=True, help="Seconds between two steps.")
def watch(bot: str, other: str, in_process: bool, delay: float, **table: Any) -> None:
    """Watch one match of BOT against OTHER, slowly, with all hands open."""

    def wait() -> bool:
        sleep(delay)
        return True

    with told():
        duel = plan_duel(find_bot(bot), find_bot(other), wanted_of(1, **table))
        record, printed = play_listening(duel, in_process=in_this_process(in_process))
    beside = {asked: lines for asked, lines in printed.items() if asked is not None}
    show(replay_pages(read_record(record), printed=beside), wait)
    for line in printed.get(None, ()):
        click.echo(plain_block(line))
    click.echo(f"To watch it again: --seed {duel.seed}")
