"""What a night says: standings, matches, faults, and its audit."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from pips_referee.printable import plain_block
from pips_tourney.audit import audit as look
from pips_tourney.cli.nights.tables import show
from pips_tourney.cli.nights.which_nights import looked_at, results_of
from pips_tourney.cli.terminal import FILE, SEASON, database_of, night_and, told, write_json
from pips_tourney.names import one_form
from pips_tourney.night.log.store import read_store
from pips_tourney.night.table.forecast import forecasts, reckonings
from pips_tourney.night.table.season import Season, read_season
from pips_tourney.reports.explain import appeal_sheet
from pips_tourney.reports.explain import explain as explained
from pips_tourney.reports.matches import match_lines, matches_json
from pips_tourney.reports.matches import matches as matches_of
from pips_tourney.reports.season import forecast_lines, improvement_lines, reckoning_lines


@click.command()
@click.argument("night", type=FILE, required=False)
@click.option("--json", "as_json", is_flag=True, help="Print them as JSON.")
@click.option("--full", is_flag=True, help="Add all pairs' chances, seats, draws, the deals' share, tie-breaks.")
@SEASON
def standings(night: Path | None, *, as_json: bool, full: bool, season: bool) -> None:
    """Print the standings of a NIGHT, which may still be going on.

    NIGHT is its database, or its league file. With `--season` it also says who has
    improved most. With `--full` it forecasts the remaining results, and compares
    earlier forecasts with what came.
    """
    with told(), results_of(database_of(night), season=season) as (found, table):
        show(table, as_json=as_json, full=full)
        if not as_json and isinstance(found, Season):
            for line in improvement_lines(found):
                click.echo(line)
        if not as_json and full:
            _forecast(found if isinstance(found, Season) else read_season(database_of(night)))


def _forecast(season: Season) -> None:
    """Print forecasts of the remaining results, and how good earlier forecasts were."""
    for line in forecast_lines(forecasts(season)):
        click.echo(line)
    for label, reckoning in reckonings(season):
        for line in reckoning_lines(label, reckoning):
            click.echo(line)


@click.command()
@click.argument("night", type=FILE, required=False)
@click.option("--bot", default="", metavar="BOT", help="Only matches of this bot.")
@click.option("--json", "as_json", is_flag=True, help="Print them as JSON.")
def matches(night: Path | None, bot: str, *, as_json: bool) -> None:
    """List the matches of a NIGHT in the order of play, with places and scores.

    `explain` and `replay` take the beginning of a match's id.
    """
    with told(), read_store(database_of(night)) as store:
        found = matches_of(store, one_form(bot))
    if as_json:
        write_json(matches_json(found))
    else:
        for line in match_lines(found):
            click.echo(line)


@click.command()
@click.argument("words", nargs=-1, metavar="[NIGHT] MATCH")
@click.option("--bot", metavar="BOT", help="Only this bot's faults, with what proves the match.")
def explain(words: tuple[str, ...], bot: str | None) -> None:
    """Explain the faults of MATCH (the beginning of its id) in a NIGHT.

    Shows the question, the answer, what was legal, and the clock. With `--bot` it
    writes a sheet for the appeal of that bot's author.
    """
    with told():
        database, match = night_and(words, "a MATCH")
        with read_store(database) as store:
            lines = explained(store, match) if bot is None else appeal_sheet(store, match, one_form(bot))
            for line in lines:
                click.echo(line)


@click.command()
@click.argument("night", type=FILE, required=False)
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
@click.option("--quick", is_flag=True, help="Do not replay the records.")
def audit(night: Path | None, *, as_json: bool, quick: bool) -> None:
    """Was a NIGHT fair? Looks at seats, neighbours, deals, clocks, arenas, records.

    Ends with 1 when it was not.
    """

    with told():
        found = looked_at(database_of(night), lambda store: look(store, records=not quick))
    write_json(found.as_json()) if as_json else click.echo("\n".join(map(plain_block, found.lines())))
    sys.exit(not found.ok)
