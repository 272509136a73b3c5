"""`pips-tourney check`: all submissions of a league before its night."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from pips_tourney.cli.terminal import FILE, told, write_json
from pips_tourney.system import need_linux


@click.command()
@click.argument("league", type=FILE)
@click.option("-o", "--output", type=click.Path(path_type=Path, file_okay=False), help="A text for each author.")
@click.option("--json", "as_json", is_flag=True, help="Print all findings as JSON.")
def check(league: Path, output: Path | None, *, as_json: bool) -> None:
    """Check all submissions of a LEAGUE file at once.

    Each plays a few fixed deals in the league's own games and sandbox. Submissions
    with the same files are named.

    Ends with 0 when all are ready, and with 1 when there are findings.
    """
    from pips_tourney.reports.feedback_pages import write_texts
    from pips_tourney.workshop.class_check import check_class

    with told():
        need_linux("a check of submissions, which play in a fence,")
        report = check_class(league)
        if output is not None:
            write_texts({each.bot: "\n".join(each.letter()) + "\n" for each in report.checked}, output)
    if as_json:
        write_json(report.as_json())
    else:
        for line in report.lines():
            click.echo(line)
    if output is not None:
        click.echo(f"{len(report.checked)} texts written to {output}", err=True)
    sys.exit(not report.ok)
