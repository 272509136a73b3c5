"""`pips-tourney balance`: what a game's designer wants to know."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Final

import click

from pips_tourney.cli.bots.table_options import MATCHES, Word, deal_options, in_this_process, wanted_of
from pips_tourney.cli.counting import counted
from pips_tourney.cli.terminal import AS_JSON, told, write, write_json
from pips_tourney.reports.feedback_pages import as_text
from pips_tourney.workshop.duels.balance import judge, page, plan_trial

ANSWER_MS: Final = 60_000
"""Timeout for an answer: long, so that slow sample bots have no faults."""


@click.command()
@click.argument("game", type=Word())
@click.option("-n", "--deals", type=MATCHES, default=200, show_default=True, help="How many deals.")
@click.option("--equal", metavar="BOT", default="random", show_default=True, help="The sample bot that plays itself.")
@click.option("--strong", metavar="BOT", default="", help="Plays against it; by default search, greedy or mcts.")
@deal_options
@AS_JSON
def balance(
    game: str,
    deals: int,
    equal: str,
    strong: str,
    *,
    in_process: bool,
    as_json: bool,
    **table: Any,
) -> None:
    """Is a GAME fair, and do its decisions matter?

    Equal bots play each deal once for every seat. This shows what a seat is worth, how
    much luck decides, how long a match is, and how many questions have only one legal
    answer. Then a strong bot plays against them, to show how much better it is and
    which answers it never gives.
    """
    with told():
        trial = plan_trial(wanted_of(None, deals, game=game, answer_ms=ANSWER_MS, **table), equal, strong)
        with counted(trial.matches) as advance:
            found = judge(trial, advance, in_process=in_this_process(in_process))
    if as_json:
        write_json(asdict(found))
    else:
        write(None, [as_text(page(found))])
