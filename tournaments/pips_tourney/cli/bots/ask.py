"""`pips-bot ask`: a question from a match as text, and a bot's answer to it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
from google.protobuf.json_format import MessageToDict

from pips.v1 import game_pb2
from pips_referee.chance import SEED_BYTES
from pips_referee.match import Question
from pips_referee.printable import plain_block
from pips_referee.records.answers import prompt
from pips_referee.records.record import Record
from pips_sdk.positions import text_of
from pips_tourney.bots.find import find_bot
from pips_tourney.cli.groups import BOT_HELP
from pips_tourney.cli.terminal import told, write_json
from pips_tourney.night.log.store import read_store, secret_of
from pips_tourney.workshop.duels.watch import is_database, record_in
from pips_tourney.workshop.reask import answered, question_of


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


@click.command(epilog=BOT_HELP)
@click.argument("words", nargs=-1, metavar="FILE [MATCH] [BOT]")
@click.option("--seat", type=click.IntRange(0), default=0, show_default=True, help="The seat that was asked.")
@click.option("--question", type=click.IntRange(1), help="The number of the seat's question; by default the last.")
@click.option("--luck", callback=_luck, metavar="HEX", help="With a record: the bot's luck, from a feedback page.")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON, the view as the protocol has it.")
def ask(words: tuple[str, ...], seat: int, question: int | None, luck: bytes | None, *, as_json: bool) -> None:
    """Print a question of a match in words; with BOT, what it answers now.

    FILE is a record, or a night's database with MATCH (the beginning of its id). The
    text is the same that a person or a language model gets.

    With a night, the bot has the same random seed as then. A record lacks that seed:
    give it with `--luck`.
    """
    file, match, bot = _file_match_bot(words)
    with told():
        record = record_in(file, match)
        if seat >= len(record.header.names):
            raise click.BadParameter(f"the match has seats 0 to {len(record.header.names) - 1}", param_hint="--seat")
        asked = question_of(record, seat, question)
        rng_seed = luck or _luck_of_night(file, record.header.match_id, seat)
        program = None if bot is None else find_bot(bot).program(record.header.game.name)
        said = [] if program is None else [*answered(record, asked, program, rng_seed)]
    if as_json:
        write_json({"seat": seat, "question": asked.number, "view": _view(record, asked), "said": said})
        return
    click.echo(plain_block(prompt(asked.view, asked.events, legal=True)))
    if (position := text_of(record.header.game.name, asked.view)) is not None:
        click.echo(f"\nFor a test: view = position({position!r})")
    for line in ["", *said] if said else []:
        click.echo(plain_block(line))


def _view(record: Record, asked: Question) -> object:
    message = game_pb2.GameView()
    record.header.wire.write_view(asked.view, message)
    return MessageToDict(message)


def _file_match_bot(words: Sequence[str]) -> tuple[Path, str | None, str | None]:
    match words:
        case [file, *bot] if len(bot) < 2 and not is_database(Path(file)):
            return Path(file), None, next(iter(bot), None)
        case [file, match, *bot] if len(bot) < 2:
            return Path(file), match, next(iter(bot), None)
        case [file]:
            return Path(file), None, None
    raise click.UsageError("it takes a record, or a night's database and a MATCH; and a BOT, if one is to answer")


def _luck_of_night(file: Path, match: str, seat: int) -> bytes:
    """The seed of a seat's own randomness; zeros if FILE is only a record."""
    if not is_database(file):
        return bytes(SEED_BYTES)
    with read_store(file) as store:
        secret = secret_of(store)
    return bytes(SEED_BYTES) if secret is None else secret.rng_seed(match, seat)
