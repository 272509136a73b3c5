"""Standings on a terminal."""

from __future__ import annotations

import sys

from rich.console import Console

from pips_tourney.cli.terminal import write
from pips_tourney.night.table.tables import Standings
from pips_tourney.reports.tables import print_standings, to_json


def show(table: Standings, *, as_json: bool = False, full: bool = False) -> None:
    """Print standings."""
    if as_json:
        write(None, [to_json(table, timings=False)])
    else:
        print_standings(table, Console(width=None if sys.stdout.isatty() else 140), full=full)
