"""`pips-bot position` and `situation`: a question in words, and one put again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from pips_referee.chance import SEED_BYTES
from pips_referee.printable import plain_block
from pips_tourney.cli.bot_groups import BOT_HELP
from pips_tourney.cli.completion import complete_asked, complete_match
from pips_tourney.cli.terminal import told, write_json


@click.command(short_help="A question of a match, in words.")
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("match", required=False, shell_complete=complete_match)
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
        write_json(MessageToDict(message))
    else:
        click.echo(plain_block(prompt(asked.view, asked.events, legal=legal)))
    if answer is not None:
        try:
            click.echo(f"\nRead as: {parse(answer, asked.view)}")
        except UnreadableAnswer as error:
            raise Failed(f"no answer: {error}") from None


def _luck(_: click.Context, __: click.Parameter, text: str | None) -> bytes | None:
    if text is None:
        return None
    try:
        luck = bytes.fromhex(text)
    except ValueError:
        luck = b""
    if len(luck) != SEED_BYTES:
        raise click.BadParameter(f"it has {2 * SEED_BYTES} hexadecimal digits: copy the whole command")
    return luck


@click.command(short_help="Put a question of a match to a bot again.", epilog=BOT_HELP)
@click.argument("words", nargs=-1, metavar="FILE [MATCH] BOT", shell_complete=complete_asked)
@click.option("--seat", type=click.IntRange(0), required=True, help="The seat that the bot takes.")
@click.option("--question", type=click.IntRange(1), help="Which of its questions; by default its last.")
@click.option("--luck", callback=_luck, metavar="HEX", help="With a record: the bot's luck, as a feedback page has it.")
def situation(words: tuple[str, ...], seat: int, question: int | None, luck: bytes | None) -> None:
    """Put a question of a match to BOT again.

    FILE is a record, or a night's database with MATCH (the beginning of its id).

    What does it say now? With a night, its luck is the same as then. A record does not
    hold the luck of bots: `--luck` gives it.
    """
    from pips_tourney.bots.find import find_bot
    from pips_tourney.bots.found import PythonFile, Sample
    from pips_tourney.workshop.reask import situation as lines
    from pips_tourney.workshop.reask_process import situation_of
    from pips_tourney.workshop.watch import record_in

    file, match, bot = _file_match_bot(words)
    with told():
        record = record_in(file, match)
        if seat >= len(record.header.names):
            raise click.BadParameter(f"the match has seats 0 to {len(record.header.names) - 1}", param_hint="--seat")
        rng_seed = luck or _luck_of_night(file, record.header.match_id, seat)
        found, game = find_bot(bot), record.header.game.name
        if isinstance(found, PythonFile | Sample):
            said = lines(record, seat, question, found.bot_class(game), rng_seed)
        else:
            said = situation_of(record, seat, question, found.program(game), rng_seed)
        for line in said:
            click.echo(plain_block(line))


def _file_match_bot(words: Sequence[str]) -> tuple[Path, str | None, str]:
    from pips_tourney.workshop.watch import is_database

    match words:
        case [file, bot] if not is_database(Path(file)):
            return Path(file), None, bot
        case [file, match, bot]:
            return Path(file), match, bot
    raise click.UsageError("it takes a record and a BOT, or a night's database, a MATCH and a BOT")


def _luck_of_night(file: Path, match: str, seat: int) -> bytes:
    """The seed of a seat's own randomness; zeros where only a record is known."""
    from pips_tourney.workshop.watch import is_database

    if not is_database(file):
        return bytes(SEED_BYTES)
    from pips_tourney.night.night import secret_of
    from pips_tourney.night.store import read_store

    with read_store(file) as store:
        secret = secret_of(store)
    return bytes(SEED_BYTES) if secret is None else secret.rng_seed(match, seat)
