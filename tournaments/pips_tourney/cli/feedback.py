"""`pips-tourney feedback`: a page for every author."""

from __future__ import annotations

from pathlib import Path

import click

from pips_tourney.cli.completion import complete_bot
from pips_tourney.cli.terminal import FILE, database_of, told
from pips_tourney.cli.which_nights import results_of
from pips_tourney.night.night import Night
from pips_tourney.reports.feedback import feedback as pages_of
from pips_tourney.reports.feedback_pages import write_pages


@click.command()
@click.argument("night", type=FILE, required=False)
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, file_okay=False), help="The folder; by default NIGHT-feedback."
)
@click.option(
    "--bot",
    "bots",
    multiple=True,
    shell_complete=complete_bot,
    help="Only this bot's page. May be given several times.",
)
def feedback(night: Path | None, output: Path | None, bots: tuple[str, ...]) -> None:
    """Write a page and a mail's text for each bot of a NIGHT.

    They say how good it is and how sure that is, against whom it does well and badly,
    its first fault of each kind, which matches to watch, and what to try next.
    """

    with told():
        database = database_of(night)
        folder = output or database.with_name(f"{database.stem}-feedback")
        with results_of(database, season=False) as (found, table):
            assert isinstance(found, Night)
            written = write_pages(pages_of(found, table, bots or None), folder)
    click.echo(f"{written} pages, each with a text beside it, written to {folder}")
