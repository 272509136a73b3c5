"""The commands of `pips-bot` by what one wants to do, each with an example."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pips_tourney.cli.groups import GroupedCommands

BOT_HELP: Final = (
    "A bot is named as its folder, its file, the command that starts it (in quotes), or a sample bot's name: "
    "random, cautious, greedy, search."
)
BOT_GROUPS: Final[Mapping[str, Mapping[str, str]]] = {
    "Write": {
        "new": "pips-bot new my_bot --game serpent",
        "check": "pips-bot check my_bot --league class.toml",
    },
    "Play": {
        "play": "pips-bot play my_bot greedy -n 100",
        "compare": "pips-bot compare my_bot old_bot",
        "watch": "pips-bot watch my_bot greedy --key",
        "human": "pips-bot human wichita --against greedy",
        "llm": "pips-bot llm --endpoint http://localhost:8080/v1 --model m",
        "submit": "pips-bot submit my_bot --to http://192.168.1.5:8080 --token-file token.txt",
        "join": "pips-bot join 192.168.1.5:7700 my_bot --token-file token.txt",
    },
    "Look closer": {
        "replay": "pips-bot replay night.db 3f2a --seat 0",
        "analyse": "pips-bot analyse kept --bot my_bot",
        "position": "pips-bot position night.db 3f2a --seat 0 --question 3",
        "situation": "pips-bot situation night.db 3f2a my_bot --seat 0",
    },
}
"""By group, its commands with an example of each."""


class BotCommands(GroupedCommands):
    """Commands of authors, by group."""

    groups = BOT_GROUPS
