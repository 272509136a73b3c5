"""What a night says: standings, matches, faults, exports, and its audit."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from pips_referee.printable import plain, plain_block
from pips_referee.written import written_text
from pips_tourney.analysis.dataset import write_dataset
from pips_tourney.audit import audit as look
from pips_tourney.cli.failure import Failed
from pips_tourney.cli.terminal import FILE, check_place, database_of, night_and, show, told, write, write_json
from pips_tourney.cli.which_nights import looked_at, of_gradebook, of_place, results_of
from pips_tourney.names import one_form
from pips_tourney.night.log.store import read_store
from pips_tourney.night.night import last_night
from pips_tourney.night.table.forecast import forecasts, reckonings
from pips_tourney.night.table.season import Season, read_season
from pips_tourney.reports.explain import appeal_sheet
from pips_tourney.reports.explain import explain as explained
from pips_tourney.reports.exports import SCHEMA, grade_lines, gradebook, pgn
from pips_tourney.reports.matches import match_lines, matches_csv, matches_json
from pips_tourney.reports.matches import matches as matches_of
from pips_tourney.reports.season import forecast_lines, improvement_lines, reckoning_lines
from pips_tourney.reports.tables import to_csv, to_json
from pips_tourney.reports.worksheet import fill, fill_canvas
from pips_tourney.system import own_cores

SEASON = click.option("--season", is_flag=True, help="Include all nights stored beside it.")
BOM = "\ufeff"
"""The mark by which Excel recognises UTF-8."""
FORMS = ["json", "csv", "matches", "pgn", "gradebook", "moodle", "canvas", "dataset", "backup", "schema"]


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
@click.option("--bot", metavar="BOT", help="The sheet for an appeal of this bot's author, with what proves the match.")
def explain(words: tuple[str, ...], bot: str | None) -> None:
    """Explain the faults of MATCH (the beginning of its id) in a NIGHT.

    Shows the question, the answer, what was legal, and the clock. With `--bot` it
    explains only that bot's faults.
    """
    with told():
        database, match = night_and(words, "a MATCH")
        with read_store(database) as store:
            lines = explained(store, match) if bot is None else appeal_sheet(store, match, one_form(bot))
            for line in lines:
                click.echo(line)


@click.command()
@click.argument("night", type=FILE, required=False)
@click.option(
    "--as", "form", required=True,
    type=click.Choice(FORMS),
    help="Standings as JSON or CSV; matches as CSV, a row for each seat (matches); results for Ordo and BayesElo "
    "(pgn); points against baselines and faults, CSV "
    "(gradebook); the worksheet of Moodle, or the gradebook of Canvas, filled in (moodle, canvas); "
    "every decision for learners, a folder of numpy arrays (dataset); a whole place while it runs, a zip "
    "for `serve --from` (backup); what the JSON holds (schema).",
)  # fmt: skip
@click.option(
    "--output", "-o", type=click.Path(path_type=Path), help="A file; a folder for a dataset, by default NIGHT-dataset."
)
@click.option(
    "--baseline",
    "baselines",
    multiple=True,
    metavar="BOT",
    help="By default the bots that the league enters as samples. With --as moodle or canvas, the bot against which "
    "points are counted.",
)
@click.option("--worksheet", type=FILE, help="The file that Moodle or Canvas gave, for --as moodle or canvas.")
@click.option("--timings", is_flag=True, help="Include answer times, which differ from run to run.")
@SEASON
def export(
    night: Path | None, form: str, output: Path | None, baselines: tuple[str, ...], worksheet: Path | None,
    *, timings: bool, season: bool,
) -> None:  # fmt: skip
    """Write the standings or results of a NIGHT for other programs."""
    if (worksheet is None) == (form in ("moodle", "canvas")):
        raise click.UsageError("--as moodle or canvas, and --worksheet go together")
    if worksheet is not None and len(baselines) > 1:
        raise click.UsageError("a grade is by one --baseline")
    if form == "dataset":
        _export_dataset(database_of(night), output)
        return
    if form == "backup":
        _back_up(database_of(night), output)
        return
    place = None if output == Path("-") else output
    check_place(place)
    if form == "matches":
        with told(), read_store(database_of(night)) as store:
            write(place, [matches_csv(matches_of(store))])
        return
    if form == "schema":
        write(place, [SCHEMA.read_text(encoding="utf-8")])
        return
    with told(), results_of(database_of(night), season=season) as (found, table):
        if unknown := set(baselines) - {entrant.name for entrant in found.programme.entrants}:
            raise Failed(f"there is no bot {', '.join(sorted(unknown))} to be a baseline")
        match form:
            case "json":
                write(place, [to_json(table, timings=timings)])
            case "csv":
                write(place, [to_csv(table, timings=timings)])
            case "gradebook":
                handed, nights = of_gradebook(database_of(night), found)
                write(place, [BOM, gradebook(found, table, baselines, handed, nights)])
            case "moodle" | "canvas":
                assert worksheet is not None
                handed, nights = of_gradebook(database_of(night), found)
                lines = of_place(database_of(night), grade_lines(found, table, baselines, handed, nights)[1])
                lines = _against(baselines[0], lines) if baselines else lines
                _fill_in(place, worksheet, lines, None if form == "moodle" else table.league)
            case _:
                write(place, pgn(found, table))


def _against(baseline: str, lines: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """The same lines with the share of the points against one bot."""
    for line in lines:
        share = line.get(f"points_percent_against_{baseline}")
        yield {**line, "points_percent": share, "against": f" against {baseline}"}


def _fill_in(place: Path | None, worksheet: Path, lines: Iterable[Mapping[str, Any]], canvas: str | None) -> None:
    """Fill a worksheet in, for Canvas by a league's name; print who has no grade."""
    text = written_text(worksheet)
    filled = fill(text, lines) if canvas is None else fill_canvas(text, canvas, lines)
    write(place, [filled.text])
    click.echo(f"{filled.graded} of {filled.graded + len(filled.without)} have a grade.", err=True)
    for name, why in filled.without.items():
        click.echo(plain(f"- {name}: {why}"), err=True)
    if filled.unmatched:
        click.echo(plain(f"No row has the name, number or address of: {', '.join(filled.unmatched)}"), err=True)


def _export_dataset(database: Path, output: Path | None) -> None:
    """Write the decisions of a night, using as many processes as there are cores."""

    folder = output or database.with_name(f"{database.stem}-dataset")
    with told(), read_store(database) as store:
        rows = write_dataset(last_night(store), folder, len(own_cores()))
    click.echo(f"{rows} rows written to {folder}")


def _back_up(database: Path, output: Path | None) -> None:
    """Write a zip of the place to which a night belongs."""
    from pips_tourney.place.backup import back_up  # most nights have no place

    file = output or database.with_name(f"{database.stem}-backup.zip")
    with told():
        files = back_up(database, file)
    click.echo(f"{files} files written to {file}. Keep it as a key: it has the invites, and the night's secret.")


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
