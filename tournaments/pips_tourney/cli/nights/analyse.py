"""`pips-tourney analyse`: what a night teaches."""

from __future__ import annotations

from pathlib import Path
from shlex import quote

import click

from pips_tourney.analysis.analyse import analyse as look
from pips_tourney.analysis.chosen import NothingChosen
from pips_tourney.analysis.complete import chosen_records
from pips_tourney.analysis.ledger import night_luck
from pips_tourney.cli.bots.records import FOR_SECONDS, say_analyses
from pips_tourney.cli.terminal import AS_JSON, FILE, database_of, told, write_json
from pips_tourney.names import one_form
from pips_tourney.night.log.store import read_store
from pips_tourney.night.night import last_night
from pips_tourney.reports.analysed import analysis_json
from pips_tourney.reports.luck import luck_lines
from pips_tourney.system import own_cores


@click.command()
@click.argument("night", type=FILE, required=False)
@click.option("--bot", help="Only this bot's decisions.")
@FOR_SECONDS
@AS_JSON
def analyse(
    night: Path | None,
    bot: str | None,
    seconds: float,
    *,
    as_json: bool,
) -> None:
    """Say what luck gave every bot of a NIGHT, and where each of them loses.

    Luck is the effect of deals, cards and dice. Each bot's costliest decisions follow,
    then the situations in which it loses. With --json, luck is given for every match.

    Only deals that were played in every seating are analysed, so nothing about deals
    still in play leaks from a running night.
    """
    database = database_of(night)
    with told(), read_store(database) as store:
        of = last_night(store)
        bots = [one_form(bot)] if bot else [entrant.name for entrant in of.programme.entrants if entrant.rated]
        found, without = [], dict[str, NothingChosen]()
        for name in bots:
            try:
                found += look(chosen_records(of, name), name, seconds / len(bots))
            except NothingChosen as error:
                without[name] = error
        if without.keys() == {*bots}:  # of several bots, some may have been left out
            raise without[bots[-1]]
        ledger = night_luck(of, len(own_cores()))
        if as_json:
            write_json({"luck": ledger.dump(), "bots": analysis_json(found)}, 1)
            return
        click.echo("\n".join([*luck_lines(ledger), ""]))
        say_analyses(found, ", ".join(bots), lambda match: f"{quote(str(database))} {match}")
