"""`pips-bot position`: a question of a match in words, as a model is asked it."""

from __future__ import annotations

import json
from pathlib import Path

import click

from pips_referee.printable import plain_block
from pips_tourney.cli.terminal import told


@click.command(short_help="A question of a match, in words.")
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("match", required=False)
@click.option("--seat", type=click.IntRange(0), default=0, show_default=True, help="The seat that was asked.")
@click.option("--question", type=click.IntRange(1), help="Which of its questions; by default its last.")
@click.option("--text", "form", flag_value="text", default="text", help="As words; this is the default.")
@click.option("--json", "form", flag_value="json", help="The view as the protocol's JSON.")
@click.option("--no-legal", "legal", is_flag=True, default=True, flag_value=False, help="Without the legal answers.")
@click.option("--answer", metavar="WORDS", help="Read this reply too: which answer is it?")
def position(
    file: Path, match: str | None, seat: int, question: int | None, form: str, answer: str | None, *, legal: bool
) -> None:
    """Print a question as a person or a model can answer it.

    FILE is a record, or a night's database with MATCH (the beginning of its id).
    """
    from google.protobuf.json_format import MessageToDict

    from pips.v1 import game_pb2
    from pips_referee.answers import parse, prompt
    from pips_referee.errors import UnreadableAnswer
    from pips_tourney.cli.failure import Failed
    from pips_tourney.workshop.reask import question_of
    from pips_tourney.workshop.watch import record_in

    with told():
        record = record_in(file, match)
        if seat >= len(record.header.names):
            raise click.BadParameter(f"the match has seats 0 to {len(record.header.names) - 1}", param_hint="--seat")
        asked = question_of(record, seat, question)
    if form == "json":
        message = game_pb2.GameView()
        record.header.wire.write_view(asked.view, message)
        click.echo(json.dumps(MessageToDict(message), indent=2))
    else:
        click.echo(plain_block(prompt(asked.view, asked.events, legal=legal)))
    if answer is not None:
        try:
            click.echo(f"\nRead as: {parse(answer, asked.view)}")
        except UnreadableAnswer as error:
            raise Failed(f"no answer: {error}") from None
