"""`pips-bot compare`: the new version of a bot against the old one."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import click
from click.core import ParameterSource

from pips_referee.command.number import Number
from pips_referee.printable import plain_block
from pips_tourney.bots.find import find_bot
from pips_tourney.bots.found import FoundBot
from pips_tourney.cli.bots.table_options import MATCHES, in_this_process, table_options, wanted_of
from pips_tourney.cli.groups import BOT_HELP
from pips_tourney.cli.terminal import AS_JSON, FILE, told, write_json
from pips_tourney.workshop.duels.compare import Comparison, Unit, verdict_json
from pips_tourney.workshop.duels.compare import compare as compare_bots
from pips_tourney.workshop.duels.compare_report import (
    MOST_DEALS,
    paired_headline,
    parting_pages,
    state_text,
    verdict_lines,
)
from pips_tourney.workshop.duels.duel import Scoresheet
from pips_tourney.workshop.duels.looks import last_deals, note_look
from pips_tourney.workshop.duels.looks import same_deals as deals_again
from pips_tourney.workshop.duels.paired import plan_paired
from pips_tourney.workshop.duels.watch import has_keys, is_database, on_key, show

ELO: Final = Number(-1000, 1000)
VERDICTS: Final = {"better": 0, "not better": 1}
"""The exit codes of a comparison; `UNDECIDED` if it has no verdict."""
UNDECIDED: Final = 3
NOT_AGAIN: Final = {"seed", "same_deals", "watched", "as_json", "max_deals", "elo0", "elo1"}
"""Options that the command to show a compared deal leaves out, or sets itself."""


@click.command(short_help="Is the new version better?", epilog=BOT_HELP)
@click.argument("new_bot", metavar="NEW")
@click.argument("old_bot", metavar="OLD")
@table_options
@click.option("--by", type=click.Choice(["results", "points"]), default="results", help="Who wins, or by how much.")
@click.option("--elo0", type=ELO, help="Is NEW better than OLD by more than this? By default 0 Elo.")
@click.option("--elo1", type=ELO, help="The gain that should not be missed. By default 10 Elo.")
@click.option("-n", "--max-deals", type=MATCHES, default=MOST_DEALS, show_default=True, help="The most deals to play.")
@click.option("--night", type=FILE, help="The bots of this league file are the opponents, not sample bots.")
@click.option("--same-deals", is_flag=True, help="Repeat the deals of the last comparison, in five looks.")
@click.option("--watch", "watched", type=MATCHES, help="Play only this deal, and show where the two differ.")
@AS_JSON
def compare(  # noqa: PLR0913 - one an option
    new_bot: str, old_bot: str, *, in_process: bool, max_deals: int, night: Path | None, same_deals: bool,
    watched: int | None, as_json: bool, by: str, elo0: float | None, elo1: float | None, **table: Any,
) -> None:  # fmt: skip
    """Is NEW better than OLD?

    Both play the same deals with the same luck in every seat, against each other and
    every fourth time against an opponent: by default the sample bots greedy and
    cautious. Play ends when a sequential test on the differences has decided.

    Ends with 0 if NEW is better, with 1 if it is not better, with 3 if that is
    undecided.
    """
    in_process = in_this_process(in_process)
    with told():
        table["seed"] = _seed(table["seed"], same_deals=same_deals, last=watched is not None)
        wanted = wanted_of(None, max(max_deals, watched or 1), **table)
        duel = plan_paired(find_bot(new_bot), find_bot(old_bot), wanted, _opponents(night), watched)
        try:
            comparison = Comparison(
                Unit.of(duel.game, by, elo0, elo1), duel, lambda it: click.echo(state_text(it), err=as_json)
            )
            _ = comparison.test
        except ValueError as error:
            raise click.UsageError(str(error)) from None
        if watched is not None:
            show(parting_pages(comparison, in_process=in_process), on_key() if has_keys() else lambda: True)
            return
        click.echo(paired_headline(duel), err=as_json)
        if comparison.is_same:
            click.echo("NEW and OLD are the same bot: this shows only whether it repeats itself.", err=True)
        looks = note_look(duel.seed, duel.game.name)
        sheet = compare_bots(comparison, in_process=in_process)
    _tell_verdict(comparison, sheet, looks, as_json=as_json)
    if sheet.was_interrupted:
        raise KeyboardInterrupt
    sys.exit(VERDICTS.get(comparison.state().verdict, UNDECIDED))


def _seed(given: Any, *, same_deals: bool, last: bool) -> Any:
    """The word for the deals: the one given, or that of the last comparison."""
    if same_deals and given is not None:
        raise click.UsageError("--same-deals are those of the last comparison: leave --seed out")
    return deals_again() if same_deals else last_deals() if last and given is None else given


def _tell_verdict(comparison: Comparison, sheet: Scoresheet, looks: int, *, as_json: bool) -> None:
    """Print the verdict on deals that were looked at that many times."""
    if as_json:
        write_json(verdict_json(comparison, sheet))
        return
    for line in verdict_lines(comparison, sheet, shlex.join(_words(click.get_current_context()))):
        click.echo(plain_block(line))
    if looks > 1 and not comparison.is_alike:
        click.echo(f"These deals were looked at {looks} times: what fits them may be worth nothing on others.")


def _opponents(night: Path | None) -> list[FoundBot] | None:
    """The bots of a night, None for sample bots; those left out are named on stderr."""
    if night is None:
        return None
    if is_database(night):
        raise click.UsageError(f"--night takes the league's file, such as {night.stem}.toml, not a database")
    from pips_tourney.workshop.checks.class_check import bots_of_night  # it needs the extra `league`

    bots, left_out = bots_of_night(night)
    for line in left_out:
        click.echo(line, err=True)
    return bots


def _words(given: click.Context) -> Iterator[str]:
    """The arguments of the command that replays the same deals, without their seed."""
    yield from ("pips-bot", "compare")
    for each in given.command.params:
        name = str(each.name)
        if name not in NOT_AGAIN and given.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            for value in given.params[name] if each.multiple else (given.params[name],):
                yield from (() if isinstance(each, click.Argument) else each.opts[:1])
                yield from (() if value is True else (str(value),))
