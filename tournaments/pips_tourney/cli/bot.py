"""`pips-bot`: begin a bot, check it, play it, watch it, play against it."""

from __future__ import annotations

import click

from pips_tourney.bots.tuning import tune
from pips_tourney.cli.groups import BOT_HELP, BotCommands


@click.group(cls=BotCommands, context_settings={"help_option_names": ["-h", "--help"]}, epilog=BOT_HELP)
@click.version_option(package_name="pips-tourney")
def main() -> None:
    """For authors of bots: begin a bot, check it, watch it, play it or against it."""
    tune()
