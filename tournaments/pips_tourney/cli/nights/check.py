"""`pips-tourney check`: a league's submissions before its night, and the machine."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import click

from pips_referee.printable import plain
from pips_tourney.cli.terminal import FILE, told, write_json
from pips_tourney.doctor.visit import visit
from pips_tourney.league.read import read_league
from pips_tourney.night.log.file_watch import files_of_nights
from pips_tourney.reports.feedback_pages import write_for_bots
from pips_tourney.system import need_linux
from pips_tourney.workshop.checks.class_check import check_class
from pips_tourney.workshop.checks.same_deals import likeness


@click.command()
@click.argument("league", type=FILE, required=False)
@click.option("-o", "--output", type=click.Path(path_type=Path, file_okay=False), help="A text for each author.")
@click.option("--alike", is_flag=True, help="Also say which submissions are alike, in code or in play.")
@click.option("--json", "as_json", is_flag=True, help="Print all findings as JSON.")
def check(league: Path | None, output: Path | None, *, alike: bool, as_json: bool) -> None:
    """Check all submissions of a LEAGUE file, and this machine.

    Each plays a few fixed deals in the league's own games and sandbox. Submissions with
    the same files are listed. Then it tries attacks from within the bots' sandbox and
    checks the machine; each finding says what to do. Without a LEAGUE it checks only
    the machine.

    Ends with 0 when all submissions are ready, else with 1. Findings about the machine
    count only without a LEAGUE.
    """
    if output is not None and league is None:
        raise click.UsageError("-o needs a LEAGUE: without one there are no authors to write to")
    if alike and league is None:
        raise click.UsageError("--alike needs a LEAGUE: its submissions are compared")
    say = partial(click.echo, err=True)
    with told():
        need_linux("a check of submissions, which play in a fence,")
        report = None if league is None else check_class(league, say)
        if output is not None and report is not None:
            letters = ((each.bot, {".txt": "\n".join(each.letter()) + "\n"}) for each in report.checked)
            write_for_bots(letters, output, {each.bot: each.submission for each in report.checked})
        pairs = None
        if alike and league is not None:
            say("Looking for submissions that are alike.")
            pairs = likeness(read_league(league), private=files_of_nights(league))
        say("Trying attacks from within the bots' sandbox.")
        seen = visit(league)
    if as_json:
        of_pairs = {} if pairs is None else {"alike": pairs.as_json()}
        write_json({**({} if report is None else report.as_json()), **of_pairs, "machine": seen.as_json()})
    else:
        told_pairs = [] if pairs is None else [*pairs.lines(), ""]
        for line in [*([] if report is None else [*report.lines(), ""]), *told_pairs, *map(plain, seen.lines())]:
            click.echo(line)
    if output is not None and report is not None:
        click.echo(f"{len(report.checked)} texts written to {output}", err=True)
    sys.exit(bool(seen.findings) if report is None else not report.ok)
