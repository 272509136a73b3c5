"""`pips-tourney export`: a night for other programs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from pips_referee.printable import plain
from pips_referee.written import written_text
from pips_tourney.analysis.dataset import write_dataset
from pips_tourney.cli.failure import Failed
from pips_tourney.cli.nights.which_nights import of_gradebook, of_place, results_of
from pips_tourney.cli.terminal import FILE, SEASON, check_place, database_of, told, write
from pips_tourney.night.log.store import read_store
from pips_tourney.night.night import last_night
from pips_tourney.place.backup import back_up
from pips_tourney.reports.exports import SCHEMA, PlayedNights, grade_lines, gradebook, pgn
from pips_tourney.reports.matches import matches as matches_of
from pips_tourney.reports.matches import matches_csv
from pips_tourney.reports.tables import to_csv, to_json
from pips_tourney.reports.worksheet import fill, fill_canvas
from pips_tourney.system import own_cores

BOM = "\ufeff"
"""The mark by which Excel recognises UTF-8."""
FORMS = ["json", "csv", "matches", "pgn", "gradebook", "moodle", "canvas", "dataset", "backup", "schema"]


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
        _check_baselines(baselines, found)
        match form:
            case "json" | "csv":
                write(place, [(to_json if form == "json" else to_csv)(table, timings=timings)])
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
    """The lines, with the share of the points against one bot instead of all."""
    for line in lines:
        share = line.get(f"points_percent_against_{baseline}")
        yield {**line, "points_percent": share, "against": f" against {baseline}"}


def _check_baselines(baselines: Iterable[str], found: PlayedNights) -> None:
    """Raise `Failed` for a baseline that did not play."""
    if unknown := set(baselines) - {entrant.name for entrant in found.programme.entrants}:
        raise Failed(f"there is no bot {', '.join(sorted(unknown))} to be a baseline")


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
    file = output or database.with_name(f"{database.stem}-backup.zip")
    with told():
        files = back_up(database, file)
    click.echo(f"{files} files written to {file}. Keep it as a key: it has the invites, and the night's secret.")
