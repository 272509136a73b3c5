"""`pips-tourney`: play league nights, show their standings, verify them."""

from __future__ import annotations

import os

import click

from pips_tourney.bots.tuning import tune
from pips_tourney.cli.groups import TourneyCommands


@click.group(cls=TourneyCommands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="pips-tourney")
def main() -> None:
    """Tournaments of bots: play league nights, show standings, verify every match."""
    tune()
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # looking for plugins scans all installed packages
