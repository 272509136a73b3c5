"""The name of a bot's process: the bot, the contest, and the rotation of the seats."""

from __future__ import annotations

from typing import NamedTuple


class ProcessName(NamedTuple):
    """Written `BOT/CONTEST/TURN`; bot names and contest labels contain no slash."""

    bot: str
    contest: str
    turn: str
    """The rotation; `ROTATION.ATTEMPT` if the director had the match replayed."""

    @classmethod
    def parse(cls, name: str) -> ProcessName:
        """Parse a name; raises `ValueError` for a text that names no process."""
        bot, contest, turn = name.split("/")
        return cls(bot, contest, turn)

    def __str__(self) -> str:
        return "/".join(self)


def guest_name(bot: str) -> str:
    """The name of the process of a bot on another machine. Labels contain no `*`."""
    return f"{bot}/*/*"
