"""`pips-tourney report`: a night as files to hand on."""

from __future__ import annotations

from pathlib import Path

import click

from pips_tourney.cli.nights.which_nights import results_of
from pips_tourney.cli.terminal import FILE, database_of, told, write
from pips_tourney.files import make_folder
from pips_tourney.night.log.handed_in import handed_in
from pips_tourney.night.night import Night
from pips_tourney.reports.feedback import feedback as pages_of
from pips_tourney.reports.feedback_pages import files_of, write_for_bots
from pips_tourney.web.public import Public, drawn_aliases
from pips_tourney.web.report import bots_of
from pips_tourney.web.report import report as whole_page
from pips_tourney.web.site_export import write_site


@click.command()
@click.argument("night", type=FILE, required=False)
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, file_okay=False), help="The folder; by default NIGHT-report."
)
@click.option("-m", "--match", "matches", multiple=True, help="The beginning of a match's id, to include its replay.")
@click.option("--aliases", is_flag=True, help="The site has drawn names instead of the bots': it prints who is who.")
def report(night: Path | None, output: Path | None, matches: tuple[str, ...], *, aliases: bool) -> None:
    """Write a NIGHT into a folder: its report, a page for each author, a site.

    `night.html` is for you: all pages of the night in one file, with paths and your
    reasons.

    `feedback` has a page and an e-mail text for each bot: how good it is and how
    certain that is, its first fault of each kind, which matches to watch, what to try
    next.

    `site` is for everybody and any web space. It also has all nights beside the NIGHT,
    but no paths, printed lines or reasons.
    """
    with told():
        database = database_of(night)
        folder = output or database.with_name(f"{database.stem}-report")
        names = bots_of(database)
        drawn = drawn_aliases(names) if aliases else {}
        make_folder(folder, "name another folder with -o")
        write(folder / "night.html", [whole_page(database, matches)])
        with results_of(database, season=False) as (found, table):
            assert isinstance(found, Night)
            pages = pages_of(found, table)
            left = write_for_bots(files_of(pages), folder / "feedback", handed_in(found.store).places)
        write_site(database, folder / "site", matches, Public(drawn))
    for file in left:
        click.echo(f"{file} is from an earlier report, of a bot that is not in this night: remove it", err=True)
    for bot, alias in drawn.items():
        click.echo(f"{alias} is {bot}")
    click.echo(f"written to {folder}: night.html for you, feedback for the authors, site for everybody")
