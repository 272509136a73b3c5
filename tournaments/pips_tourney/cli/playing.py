"""Play a night at the terminal: progress and pages beside it, standings at its end."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from pips_tourney.cli.terminal import show, told
from pips_tourney.cli.web import Pages, watched

if TYPE_CHECKING:
    from pips_tourney.play.evening import RunConfig

BEACON = click.option(
    "--beacon", metavar="TEXT|@FILE", help="The text of the beacon that the commitment names, or a file that holds it."
)


def beacon_of(beacon: str | None) -> str | None:
    """The text that `--beacon` gives, itself or in a file."""
    if beacon is None or not beacon.startswith("@"):
        return beacon
    from pips_tourney.night.commitment import read_beacon  # which loads much, before arenas have begun

    return read_beacon(Path(beacon[1:]))


def play_and_show(
    config: RunConfig, pages: Pages, form: str | None, *, timings: bool = False, command: str = "run"
) -> NoReturn:
    """End the process with the night's status; `command` is what goes on with it."""
    from pips_tourney.cli.progress import Progress
    from pips_tourney.play.run import run_night

    with told(), watched(Progress(), config.database, pages) as watcher:
        evening = run_night(config, watcher)
        show(evening.standings, form, timings)
        if form is None and evening.season is not None and len(evening.season.nights) > 1:
            show(evening.season, form, timings)
        for line in evening.told(config):
            click.echo(line.replace("pips-tourney run", f"pips-tourney {command}"), err=True)
        if evening.interrupted:
            sys.exit(evening.exit_code)
    sys.exit(evening.exit_code)
