"""The entries of a league file for the format of its contests (form.py)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import comb
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from pips_tourney.league.form import Kind, OrderedBy
from pips_tourney.schedule import MAX_TABLES
from pips_tourney.schedule.adaptive import whole_turn

Whole = Annotated[int, Field(strict=True)]
MOST_DEALS: Final = 2000


class Section(BaseModel):
    """A part of a league file."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)  # most commands need few sections


def by_name(value: object) -> object:
    """Lets a name alone replace the whole entry."""
    return {"name": value} if isinstance(value, str) else value


class ScheduleEntry(Section):
    """The schedule: who meets whom. In the file its name alone is enough."""

    name: Kind
    hero: str | None = None
    """In a gauntlet: the bot that meets all others."""
    rounds: Whole | None = Field(default=None, ge=1, le=100)
    """The rounds of a Swiss tournament.

    Unset: the logarithm to base 2 of the number of bots, rounded up.
    """
    advance: Whole | None = Field(default=None, ge=1)
    """In a knockout: how many of a table go on. Unset: half of them."""


class FinalEntry(Section):
    """A knockout of the best at the end of the night.

    In the file its name alone is enough.
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
    """When enough is played. In the file its name alone is enough."""

    name: Literal["settled"]
    confidence: float = Field(default=0.95, ge=0.5, lt=1)
    max_deals: Whole = Field(default=MOST_DEALS, ge=1, le=1_000_000)
    """The most deals of every combination.

    A pair that is open by then is `not decided`.
    """
    by: OrderedBy | None = None
    """Whether neighbours by Elo or by margin have to be apart. Unset: as `rate`."""
    deals: Literal["equal", "adaptive"] = "equal"
    """Whether every combination plays as many deals, or more where they decide."""
    matches: Whole | None = Field(default=None, ge=1, le=100_000_000)
    """With adaptive deals: the most matches of every game."""


@dataclass(frozen=True, slots=True)
class Entered:
    """The entries, and what they name."""

    schedule: ScheduleEntry
    final: FinalEntry | None
    stop: StopEntry | None
    bots: Mapping[str, int]
    """By the name of each bot, how many of the games it plays."""
    seats: Mapping[str, int]
    """By game, how many seats a table has."""
    counts: tuple[str, ...]
    """The places in the file that say how many deals are played."""
    duplicate: bool
    """Whether every deal is played in all rotations."""


def form_mistakes(entered: Entered) -> Iterator[tuple[str, str]]:
    """Mistakes that no single entry shows: where, and what."""
    schedule, final, stop = entered.schedule, entered.final, entered.stop
    kind = schedule.name
    yield from _schedule_mistakes(schedule, entered)
    if stop is not None:
        if kind in ("swiss", "knockout"):
            yield "stop", f"a {kind} tournament ends with its last round; stop is for round-robin and gauntlet"
        if stop.matches is not None and stop.deals == "equal":
            yield "stop.matches", 'a number of matches is for deals = "adaptive"'
        yield from _budget_mistakes(stop, schedule, entered)
        for where in entered.counts:
            yield where, "with stop it is max_deals that says how many deals are played at most: leave this out"
    if final is not None:
        if kind == "knockout":
            yield "final", "a knockout is its own final"
        for game, seats in entered.seats.items():
            if final.bots is not None and final.bots < seats:
                yield "final.bots", f"{game} needs {seats} bots at a table, not {final.bots}"
        yield from _advance_mistakes("final.advance", final.advance, entered.seats)


def _budget_mistakes(stop: StopEntry, schedule: ScheduleEntry, entered: Entered) -> Iterator[tuple[str, str]]:
    hero = schedule.hero is not None
    for game, seats in entered.seats.items() if stop.matches is not None else ():
        combinations = min(comb(max(len(entered.bots), seats) - hero, seats - hero), MAX_TABLES)
        rotations = seats if entered.duplicate else 1
        least = combinations * rotations * whole_turn(seats, duplicate=entered.duplicate)
        if stop.matches is not None and stop.matches < least:
            yield "stop.matches", f"too few: every order at every table of {game} takes {least}"


def _schedule_mistakes(schedule: ScheduleEntry, entered: Entered) -> Iterator[tuple[str, str]]:
    for entry, kind in (("hero", "gauntlet"), ("rounds", "swiss"), ("advance", "knockout")):
        if getattr(schedule, entry) is not None and schedule.name != kind:
            yield f"schedule.{entry}", f"only a {kind} has this entry, not a {schedule.name}"
    if schedule.name == "gauntlet":
        if schedule.hero is None:
            yield "schedule.hero", 'a gauntlet needs one: schedule = { name = "gauntlet", hero = "BOT" }'
        elif schedule.hero not in entered.bots:
            yield "schedule.hero", f"no bot is called {schedule.hero!r}"
        elif entered.bots[schedule.hero] < len(entered.seats):
            yield "schedule.hero", f"{schedule.hero} does not play all games of the league"
    if schedule.name == "knockout":
        yield from _advance_mistakes("schedule.advance", schedule.advance, entered.seats)


def _advance_mistakes(where: str, advance: int | None, seats: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    for game, size in seats.items():
        if advance is not None and advance >= size:
            yield where, f"of a table of {game}, {size} bots, from 1 to {size - 1} can go on, not {advance}"
