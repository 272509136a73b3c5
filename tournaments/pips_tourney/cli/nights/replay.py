"""`pips-tourney replay`: a match, step by step."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from pips_referee.errors import RecordError
from pips_referee.printable import plain
from pips_referee.records.record_json import seen, truth
from pips_referee.records.replay import replay_pages
from pips_tourney.cli.terminal import told
from pips_tourney.workshop.duels.watch import has_keys, on_key, record_in, show


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("match", required=False)
@click.option("--seat", type=click.IntRange(0), help="Show only what this seat saw.")
@click.option("--all", "at_once", is_flag=True, help="Show all of it without waiting for keys.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line, as docs/record.md describes it.")
def replay(file: Path, match: str | None, seat: int | None, *, at_once: bool, as_json: bool) -> None:
    """Step through a match: a record, or one of a night.

    FILE is the record, or a night's database with MATCH (the beginning of its id).

    Any key shows the next step, q quits, a shows all remaining steps.
    """
    with told():
        record = record_in(file, match)
    if seat is not None and seat >= len(record.header.names):
        raise click.BadParameter(f"the match has seats 0 to {len(record.header.names) - 1}", param_hint="--seat")
    if as_json:
        for line in truth(record) if seat is None else seen(record, seat):
            click.echo(json.dumps(line))
        return
    try:
        show(replay_pages(record, seat), on_key() if has_keys() and not at_once else lambda: True)
    except RecordError as error:  # what precedes the error is shown
        click.echo(f"{file}: {plain(str(error))}", err=True)
        sys.exit(1)
