"""`pips-bot llm`: a bot that asks a language model, without a league's proxy."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import click

from pips_referee.number import Number
from pips_referee.written import written_text
from pips_tourney.cli.failure import Failed


@click.command(short_help="A bot that asks a language model.")
@click.option(
    "--endpoint", required=True, metavar="URL", help="A chat-completions server: all before /chat/completions."
)
@click.option("--model", required=True, metavar="NAME", help="The model's name there.")
@click.option("--key-file", type=click.Path(path_type=Path, exists=True, dir_okay=False), help="Holds the key.")
@click.option("--param", "params", multiple=True, metavar="NAME=JSON", help="More of every request: temperature=0.2")
@click.option("--legal/--no-legal", default=True, show_default=True, help="List the legal answers.")
@click.option(
    "--rethinks", type=click.IntRange(0, 5), default=1, show_default=True, help="Second tries, with the error."
)
@click.option("--unreadable", type=click.Choice(["fault", "legal"]), default="fault", show_default=True,
              help="If no reply is an answer: a fault, or the first legal answer.")  # fmt: skip
@click.option("--prompts", type=click.Path(path_type=Path, exists=True, file_okay=False), help="A folder of templates.")
@click.option("--answer-s", type=Number(0.1, 86_400), default=60.0, show_default=True, help="Time for an answer.")
@click.option("--at-once", type=click.IntRange(1, 64), default=4, show_default=True, help="Requests under way at once.")
def llm(endpoint: str, model: str, key_file: Path | None, params: tuple[str, ...], at_once: int, **how: Any) -> None:
    """Play from text, and ask the model NAME at the server URL for every answer.

    This is a bot: give the whole line, in quotes, to `play`, `check` or `join`. A
    league's bot has a `model` in the league file instead, see docs/models.md.
    """
    from pips_sdk.client import run
    from pips_sdk.model.bot import model_bots
    from pips_sdk.model.endpoint import Endpoint, client_missing
    from pips_sdk.model.prompts import PromptError, read_prompts
    from pips_sdk.model.settings import ModelSettings

    folder = how.pop("prompts")
    try:
        settings = ModelSettings(**how, prompts=read_prompts() if folder is None else read_prompts(folder))
    except PromptError as error:
        raise Failed(str(error)) from None
    if missing := client_missing():
        raise Failed(missing)
    key = "" if key_file is None else written_text(key_file).strip()
    server = Endpoint(endpoint, model, key, dict(map(_param, params)))
    bots = model_bots(settings=settings, endpoint=server, at_once=at_once)
    if os.environ.get("PIPS_DESCRIBE"):
        click.echo(json.dumps([{"name": bot.__name__, "game": bot.game, "hints": []} for bot in bots]))
    else:
        run(*bots)


def _param(word: str) -> tuple[str, Any]:
    name, is_given, value = word.partition("=")
    try:
        return name, json.loads(value if is_given else "")
    except ValueError:
        raise click.BadParameter(f"{word}: NAME=JSON, for example temperature=0.2", param_hint="--param") from None
