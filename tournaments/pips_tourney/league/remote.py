"""Entries of a league file for bots on other machines, which dial in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from pydantic import Field

from pips_tourney.league.format import Section, Whole

if TYPE_CHECKING:
    from pips_tourney.league.entries import BotEntry

_OWN: Final = ("cwd", "python", "install", "env")


class RemoteEntry(Section):
    """The terms that a league grants to bots on other machines."""

    grace_s: Whole = Field(default=20, ge=1, le=600)
    """How long a match waits for a bot whose stream was lost."""
    rtt_ms: Whole = Field(default=150, ge=0, le=2000)
    """The most that is credited to an answer for the way there and back."""
    drops: Whole = Field(default=5, ge=0, le=1000)
    """How many lost streams a night cost a bot nothing, if it is back in time."""


def remote_mistakes(where: str, bot: BotEntry) -> Iterator[tuple[str, str]]:
    """Settings that the entry of a bot on another machine cannot have."""
    for entry in _OWN:
        if bot.remote and entry in bot.model_fields_set:
            yield f"{where}.{entry}", f"{bot.name} runs on another machine, with what its author gives it"
