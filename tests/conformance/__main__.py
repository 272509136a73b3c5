"""`python -m tests.conformance BOT [TRANSCRIPT]...`: does an SDK speak the protocol?

BOT is a conformance bot in any language, as `pips-bot` names bots. docs/protocol.md
says what it has to do. Ends with 0 when all answers were as recorded, else with 1.
"""

from __future__ import annotations

import sys

import click

from pips_tourney.bots.find import find_bot
from pips_tourney.cli.terminal import told
from tests.conformance.kit import conform, transcripts


@click.command(help=__doc__)
@click.argument("bot")
@click.argument("names", nargs=-1, metavar="[TRANSCRIPT]...", type=click.Choice(transcripts()))
@click.option("--typed", is_flag=True, help="Send the games' own messages to a bot that reads JSON, too.")
def main(bot: str, names: tuple[str, ...], *, typed: bool) -> None:
    with told():
        program = find_bot(bot).program("")
        verdicts = []
        for name in names or transcripts():
            verdicts.append(conform(program, name, typed=typed))
            click.echo("\n".join(verdicts[-1].lines()))
    failed = sum(not verdict.ok for verdict in verdicts)
    click.echo(f"{failed} of {len(verdicts)} transcripts failed" if failed else "It speaks the protocol.")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
