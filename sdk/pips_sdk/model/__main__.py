"""`python -m pips_sdk.model`: a bot that asks a language model, for all games.

In a league the league file names the model. Elsewhere the options do.
"""

from __future__ import annotations

import json
import os
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from pips_sdk.model.bot import model_bots
from pips_sdk.model.endpoint import Endpoint, client_missing
from pips_sdk.runner import run

AT_ONCE = 4
"""The most requests under way at once."""


def main() -> None:
    parser = ArgumentParser(prog="python -m pips_sdk.model", description=__doc__)
    parser.add_argument("--endpoint", metavar="URL", help="a chat-completions server: all before /chat/completions")
    parser.add_argument("--model", metavar="NAME", default="", help="the model's name there")
    parser.add_argument("--key-file", metavar="FILE", type=Path, help="holds the key")
    parser.add_argument("--param", metavar="NAME=JSON", type=_param, action="append", default=[],
                        help="more of every request: temperature=0.2")  # fmt: skip
    words = parser.parse_args()
    parts: dict[str, Any] = {}
    if words.endpoint is not None:
        if missing := client_missing():
            parser.error(missing)
        key = "" if words.key_file is None else words.key_file.read_text(encoding="utf-8").strip()
        parts = {"endpoint": Endpoint(words.endpoint, words.model, key, dict(words.param)), "at_once": AT_ONCE}
    bots = model_bots(**parts)
    if os.environ.get("PIPS_DESCRIBE"):
        print(json.dumps([{"name": bot.__name__, "game": bot.game, "hints": []} for bot in bots]))
    else:
        run(*bots)


def _param(word: str) -> tuple[str, Any]:
    name, _, value = word.partition("=")
    return name, json.loads(value)


if __name__ == "__main__":
    main()
