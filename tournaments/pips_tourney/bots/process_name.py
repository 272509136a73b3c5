"""The name of a bot's process: which bot, in which contest, in which turn of
the seats.
"""

from __future__ import annotations

from typing import NamedTuple


class ProcessName(NamedTuple):
    """Written `BOT/CONTEST/TURN`. Names of bots and labels of contests hold
    no slash.
    """

    bot: str
    contest: str
    turn: str
    """The rotation; `ROTATION.ATTEMPT` for a match that the director has had played
    again.
    """

    @classmethod
    def parse(cls, name: str) -> ProcessName:
        """`ValueError` for a text that names no process."""
        bot, contest, turn = name.split("/")
        return cls(bot, contest, turn)

    def __str__(self) -> str:
        return "/".join(self)
