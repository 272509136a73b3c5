"""`pips-tourney`: play league nights, show their standings, verify them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pips_referee.number import Number
from pips_tourney.bots.tuning import tune
from pips_tourney.cli.completion import complete_bot, complete_match
from pips_tourney.cli.groups import TourneyCommands
from pips_tourney.cli.playing import BEACON, beacon_of, play_and_show
from pips_tourney.cli.terminal import FILE, SEASON, database_of, night_and, show, told, write, write_json
from pips_tourney.cli.web import Pages, web_options
from pips_tourney.names import one_form

if TYPE_CHECKING:
    from pips_tourney.night.season import Season
    from pips_tourney.play.evening import RunConfig
    from pips_tourney.play.steward import Selection


@click.group(cls=TourneyCommands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="pips-tourney")
def main() -> None:
    """Tournaments of bots: play league nights, show standings, verify every match."""
    tune()
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # it looks for them in all installed packages
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the matrices are small, the cores taken


@main.command()
@click.argument("league", type=FILE)
@click.option(
    "--db", "database", type=FILE, help="The night's file; by default named after the league, in this folder."
)
@click.option("--arenas", type=click.IntRange(1, 256), help="Referees at work at once; by default one a core.")
@click.option("--secret-file", type=FILE, help="64 hexadecimal digits: a night that can be reproduced.")
@BEACON
@click.option("--new", is_flag=True, help="Play another night; the old file is kept beside it.")
@click.option("--continue", "go_on", is_flag=True, help="Go on although the league or a bot has changed.")
@click.option("--bots", metavar="A,B", help="Only matches of these bots.")
@click.option("--deals", type=click.IntRange(1), metavar="N", help="Only the first N deals of every game.")
@click.option(
    "--minutes", type=Number(0, 1_000_000), metavar="M", help="Begin no deal after so long; those begun are ended."
)
@click.option("--strict", is_flag=True, help="A broken bot stops the night, also where it is one of many.")
@click.option("--logs", type=click.Path(path_type=Path, file_okay=False), help="Keep here what the bots print.")
@click.option(
    "--dry-run", is_flag=True, help="Say how many matches, how long, and what is to be expected; play nothing."
)
@click.option("--json", "form", flag_value="json", help="Print the standings as JSON.")
@click.option("--csv", "form", flag_value="csv", help="Print the standings as CSV.")
@click.option("--timings", is_flag=True, help="With answer times, which differ from night to night.")
@web_options
def run(  # noqa: PLR0913, PLR0917 - one an option
    league: Path,
    database: Path | None,
    arenas: int | None,
    secret_file: Path | None,
    beacon: str | None,
    new: bool,
    go_on: bool,
    bots: str | None,
    deals: int | None,
    minutes: float | None,
    strict: bool,
    logs: Path | None,
    dry_run: bool,
    form: str | None,
    timings: bool,
    port: int | None,
    web_host: str,
    open_cards: bool,
    stay: bool | None,
) -> None:
    """Play the night of a LEAGUE file, or what is left of it, and print its standings.

    LEAGUE may also be the name of a league that ships with Pips: first, class,
    league_night.
    """
    from pips_tourney.play.evening import RunConfig

    with told():
        league, text = _league_file(league), beacon_of(beacon)
    database = database or Path(f"{league.stem}.db")
    limits = _limits(bots, deals, minutes)
    config = RunConfig(league, database, arenas, secret_file, new, go_on, strict, limits, text, logs=logs)
    if dry_run:
        _dry_run(config, in_json=form == "json")
        return
    play_and_show(config, Pages(port, web_host, open_cards, stay), form, timings=timings)


def _limits(bots: str | None, deals: int | None, minutes: float | None) -> Selection:
    """What is to be played; `bots` are names with commas."""
    from pips_tourney.play.steward import Selection

    names = frozenset(one_form(name.strip()) for name in (bots or "").split(",") if name.strip())
    return Selection(names, deals, minutes)


def _dry_run(config: RunConfig, *, in_json: bool) -> None:
    from pips_tourney.play.estimate import estimate, expected
    from pips_tourney.reports.forecast import forecast_lines

    with told():
        found, ahead = estimate(config), expected(config)
    if in_json:
        write_json({"matches": found.matches, "forecast": [each.as_json() for each in ahead]})
        return
    for line in (str(found), *forecast_lines(ahead)):
        click.echo(line)


def _league_file(league: Path) -> Path:
    """The league file.

    For the name of a league that ships with Pips, its file is written here.
    """
    from pips_tourney.league.house import house_leagues, write_house_league

    if league.exists() or str(league) not in house_leagues():
        return league
    written = Path(f"{league}.toml")
    if not written.exists():
        write_house_league(str(league), written)
        click.echo(f"wrote {written}, which ships with Pips: change it, and play again", err=True)
    return written


@main.command()
@click.argument("league", type=FILE, default=Path("league.toml"))
@click.option("--like", "name", default="first", show_default=True, help="Another that ships with Pips.")
def new(league: Path, name: str) -> None:
    """Write a LEAGUE file to start from."""
    from pips_tourney.league.house import write_house_league

    with told():
        write_house_league(name, league)
    click.echo(f"wrote {league}\n\nPlay it:   pips-tourney run {league}\nChange it, and play again.")


@main.command()
@click.argument("night", type=FILE, required=False)
@click.option("--json", "form", flag_value="json", help="Print them as JSON.")
@click.option("--csv", "form", flag_value="csv", help="Print them as CSV.")
@click.option("--timings", is_flag=True, help="With answer times, which differ from night to night.")
@click.option("--full", is_flag=True, help="With the chances of all pairs, seats, draws, the deals' share, tie-breaks.")
@SEASON
def standings(night: Path | None, form: str | None, timings: bool, full: bool, season: bool) -> None:
    """Print the standings of a NIGHT, which may still be going on.

    NIGHT is its database, or its league file. With `--season` it also says who has
    improved most. With `--full` it forecasts what is still to come, and holds earlier
    forecasts to what came.
    """
    from pips_tourney.cli.which_nights import results_of
    from pips_tourney.night.season import Season, read_season
    from pips_tourney.reports.improvement import improvement_lines

    with told(), results_of(database_of(night), season=season) as (found, table):
        show(table, form, timings, full=full)
        if form is None and isinstance(found, Season):
            for line in improvement_lines(found):
                click.echo(line)
        if form is None and full:
            _forecast(found if isinstance(found, Season) else read_season(database_of(night)))


def _forecast(season: Season) -> None:
    """Print what is still to come, and what came of earlier forecasts."""
    from pips_tourney.night.forecast import forecasts, reckonings
    from pips_tourney.reports.forecast import forecast_lines, reckoning_lines

    for line in forecast_lines(forecasts(season)):
        click.echo(line)
    for label, reckoning in reckonings(season):
        for line in reckoning_lines(label, reckoning):
            click.echo(line)


@main.command()
@click.argument("words", nargs=-1, metavar="[NIGHT] MATCH", shell_complete=complete_match)
def explain(words: tuple[str, ...]) -> None:
    """Explain the faults of MATCH (the beginning of its id) in a NIGHT.

    Shows the question, the answer, what was legal, and the clock.
    """
    from pips_tourney.night.store import read_store
    from pips_tourney.reports.explain import explain as lines

    with told():
        database, match = night_and(words, "a MATCH")
        with read_store(database) as store:
            for line in lines(store, match):
                click.echo(line)


@main.command()
@click.argument("night", type=FILE, required=False)
@click.option("--bot", default="", metavar="BOT", shell_complete=complete_bot, help="Only matches of this bot.")
@click.option("--lost", is_flag=True, help="Only those in which another was placed above BOT.")
@click.option("--json", "form", flag_value="json", help="Print them as JSON.")
@click.option("--csv", "form", flag_value="csv", help="Print them as CSV, a row for each seat.")
def matches(night: Path | None, bot: str, form: str | None, *, lost: bool) -> None:
    """List the matches of a NIGHT in the order of play, with places and scores.

    `explain` and `pips-bot replay` take the beginning of a match's id.
    """
    from pips_tourney.night.store import read_store
    from pips_tourney.reports.matches import match_lines, matches_csv, matches_json
    from pips_tourney.reports.matches import matches as listed

    if lost and not bot:
        raise click.UsageError("--lost needs --bot: lost by whom?")
    with told(), read_store(database_of(night)) as store:
        found = listed(store, one_form(bot), lost=lost)
    if form == "json":
        write_json(matches_json(found))
    elif form == "csv":
        write(None, [matches_csv(found)])
    else:
        for line in match_lines(found):
            click.echo(line)
