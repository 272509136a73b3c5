"""`pips-tourney doctor`: what will and will not hold on this machine.

It is run before a night.
"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from pips_referee.printable import plain
from pips_tourney.cli.terminal import FILE, told, write_json
from pips_tourney.system import need_linux


@click.command()
@click.argument("league", type=FILE, required=False)
@click.option("--db", "database", type=FILE, help="Where the night is going to be kept; by default this folder.")
@click.option("--port", type=click.IntRange(1, 65535), help="The port that bots on other machines are to dial.")
@click.option("--json", "as_json", is_flag=True, help="Print all facts and findings as JSON.")
def doctor(league: Path | None, database: Path | None, port: int | None, *, as_json: bool) -> None:
    """Check what will and will not hold on this machine, for LEAGUE if one is named.

    It tries the worst that bots do from within their sandbox, and looks at the machine.

    Ends with 0 when all is well, and with 1 when there are findings. Each finding says
    what to do.
    """
    with told():
        need_linux("a look at this machine's fence")
    from pips_tourney.doctor.visit import visit

    with told():
        seen = visit(league, database, port)
    if as_json:
        write_json(seen.as_json())
    else:
        for line in seen.lines():
            click.echo(plain(line))
    sys.exit(seen.exit_code)
