"""`pips-tourney run`: the night of a league file."""

from __future__ import annotations

from pathlib import Path

import click

from pips_referee.command.number import Number
from pips_tourney.cli.nights.league_file import league_file
from pips_tourney.cli.nights.playing import BEACON, CONTINUE, DATABASE, NEW, SECRET, Pages, beacon_of, play_and_show
from pips_tourney.cli.terminal import FILE, told, write_json
from pips_tourney.night.log.file_watch import usual_database
from pips_tourney.play.estimate import estimate, expected
from pips_tourney.play.evening import RunConfig
from pips_tourney.reports.season import forecast_lines


@click.command()
@click.argument("league", type=FILE)
@DATABASE
@click.option("--arenas", type=click.IntRange(1, 256), help="Referees at the same time; by default one per core.")
@SECRET
@BEACON
@NEW
@CONTINUE
@click.option(
    "--minutes", type=Number(0, 1_000_000), metavar="M", help="Begin no deals after M minutes; finish those begun."
)
@click.option("--dry-run", is_flag=True, help="Print the number of matches, the time and a forecast; play nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print the standings as JSON.")
@click.option("--web", "port", type=click.IntRange(0, 65535), help="Serve the night as pages at this port.")
def run(  # noqa: PLR0913 - one an option
    league: Path,
    database: Path | None,
    arenas: int | None,
    secret_file: Path | None,
    *,
    beacon: str | None,
    new: bool,
    go_on: bool,
    minutes: float | None,
    dry_run: bool,
    as_json: bool,
    port: int | None,
) -> None:
    """Play the night of a LEAGUE file, or what is left of it, and print its standings.

    LEAGUE may also be the name of a league that ships with Pips: first, class,
    league_night.
    """
    with told():
        league, text = league_file(league), beacon_of(beacon)
    database = database or usual_database(league)
    config = RunConfig(league, database, arenas, secret_file, new, go_on, minutes, text)
    if dry_run:
        _dry_run(config, as_json=as_json)
        return
    play_and_show(config, Pages(port), as_json=as_json)


def _dry_run(config: RunConfig, *, as_json: bool) -> None:
    with told():
        whole, ahead = estimate(config), expected(config)
    if as_json:
        write_json({"matches": whole.matches, "forecast": [each.as_json() for each in ahead]})
        return
    for line in (str(whole), *forecast_lines(ahead)):
        click.echo(line)
