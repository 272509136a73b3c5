"""The entries of a league file for the format of its contests (form.py)."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from pips_tourney.league.form import Kind, OrderedBy

Whole = Annotated[int, Field(strict=True)]
MOST_DEALS: Final = 2000


class Section(BaseModel):
    """A part of a league file."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)  # most commands use few of the sections


def by_name(value: object) -> object:
    """Let a name alone replace the complete entry."""
    return {"name": value} if isinstance(value, str) else value


class ScheduleEntry(Section):
    """The schedule: who meets whom. In the file, its name alone is enough."""

    name: Kind
    hero: str | None = None
    """In a gauntlet: the bot that meets all others."""
    rounds: Whole | None = Field(default=None, ge=1, le=100)
    """The number of rounds of a Swiss tournament.

    Unset: the logarithm to base 2 of the number of bots, rounded up.
    """
    advance: Whole | None = Field(default=None, ge=1)
    """In a knockout: how many bots of a table go on. Unset: half of them."""


class FinalEntry(Section):
    """A knockout of the best bots at the end of the night.

    In the file, its name alone is enough.
    """

    name: Literal["knockout"]
    bots: Whole | None = Field(default=None, ge=2)
    """How many bots play it. Unset: all."""
    deals: Whole | None = Field(default=None, ge=1, le=1_000_000)
    """How many deals every table of a round plays.

    Unset: as many as in the rest of the night, at most 100.
    """
    advance: Whole | None = Field(default=None, ge=1)


class StopEntry(Section):
    """When enough has been played. In the file, its name alone is enough."""

    name: Literal["settled"]
    confidence: float = Field(default=0.95, ge=0.5, lt=1)
    max_deals: Whole = Field(default=MOST_DEALS, ge=1, le=1_000_000)
    """The most deals of every combination.

    A pair that is still open then is `not decided`.
    """
    by: OrderedBy | None = None
    """Whether neighbours must differ clearly in Elo or in margin. Unset: as `rate`."""
    deals: Literal["equal", "adaptive"] = "equal"
    """Whether every combination plays equally many deals, or open pairs play more."""
    matches: Whole | None = Field(default=None, ge=1, le=100_000_000)
    """With adaptive deals: the most matches of every game."""
