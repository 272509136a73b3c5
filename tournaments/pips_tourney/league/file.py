"""The complete league file."""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic_core import PydanticCustomError

from pips_referee.printable import plain
from pips_tourney.bots.tuning import STARTUP_MS
from pips_tourney.league.entries import (
    MOST_MS,
    AnchorEntry,
    BotEntry,
    ClockEntry,
    DealsEntry,
    GameEntry,
    HandInEntry,
    RemoteEntry,
    SandboxEntry,
    TlsEntry,
)
from pips_tourney.league.form import Format, Knockout, OrderedBy, Stop
from pips_tourney.league.format import FinalEntry, ScheduleEntry, Section, StopEntry, Whole, by_name
from pips_tourney.league.times import PlaceEntry
from pips_tourney.names import name_from
from pips_tourney.schedule.league import MAX_TABLES

DEALS: Final = 20
MOST_FINAL_DEALS: Final = 100
STATIC: Final = ("round-robin", "gauntlet")


def _by_tier(value: object) -> object:
    return {"tier": value} if isinstance(value, str) else value


def _in_a_line(text: str) -> str:
    """The text, if it is safe in titles, files and mails and on terminals."""
    if plain(text) != text:
        raise PydanticCustomError("line", "should be one line, without control characters")
    return text


class LeagueFile(Section):
    """All entries that a league file may have."""

    name: Annotated[str, AfterValidator(_in_a_line)] = ""
    games: list[Annotated[GameEntry, BeforeValidator(by_name)]] = Field(min_length=1)
    bots: list[BotEntry] = Field(min_length=1)
    schedule: Annotated[ScheduleEntry, BeforeValidator(by_name)] = ScheduleEntry(name="round-robin")
    max_tables: Whole = Field(default=MAX_TABLES, ge=1, le=100_000)
    """The most combinations of bots that are played.

    If there are more, a balanced sample of this size is played.
    """
    stop: Annotated[StopEntry, BeforeValidator(by_name)] | None = None
    final: Annotated[FinalEntry, BeforeValidator(by_name)] | None = None
    deals: DealsEntry | None = None
    """Unset: the suite `quick` if it is long enough, else drawn from the secret."""
    clock: ClockEntry = ClockEntry()
    startup_ms: Whole = Field(default=STARTUP_MS, ge=100, le=MOST_MS)
    """The limit for a bot from its start to its hello."""
    tables: Whole = Field(default=32, ge=1, le=1024)
    """How many matches an arena plays at the same time."""
    arenas: Whole | None = Field(default=None, ge=1, le=256)
    """Unset: one for every processor core."""
    engine: Literal["local", "dask"] = "local"
    """Where arenas run: on this machine, or on the workers of a Dask cluster."""
    scheduler: str | None = None
    """The cluster's scheduler, such as tls://HOST:8786."""
    tls: TlsEntry | None = None
    """For a scheduler at tls://. Unset: Dask's own configuration."""
    anchor: Annotated[AnchorEntry, BeforeValidator(by_name)] | None = None
    rate: OrderedBy = "results"
    """Whether a game's table is sorted by Elo or by mean margin in points."""
    max_faults: Whole | None = Field(default=None, ge=1)
    """A bot with this number of faults is withdrawn for the night. Unset: never.

    Faults count in the order of the schedule.
    """
    ponder: bool = True
    """Whether a bot may compute while it is not its turn.

    If not, its process plays one table at a time, and is suspended out of turn.
    """
    season: bool = False
    """Whether running the league after a complete night plays another night.

    Standings then cover all of them.
    """
    debug: bool = False
    """No clock, so that a bot may be stopped in its author's debugger."""
    sandbox: Annotated[SandboxEntry, BeforeValidator(_by_tier)] = SandboxEntry()
    hand_in: HandInEntry = HandInEntry()
    place: PlaceEntry = PlaceEntry()
    remote: RemoteEntry = RemoteEntry()
    """What bots on other machines are allowed."""
    duplicate: bool | None = None
    """Whether every deal is played from all seats, or once.

    Unset: once if a bot is on another machine, or asks a model that is not `trusted`.
    Somebody there could use in one seat what they saw from another.
    """
    fill: Literal["random"] | None = None
    """The sample bot that fills seats when there are too few bots. It is not rated."""

    @property
    def plays_duplicate(self) -> bool:
        if self.duplicate is not None:
            return self.duplicate
        return not any(bot.remote or bot.asks_untrusted for bot in self.bots)

    @property
    def suite(self) -> str | None:
        if self.deals is not None:
            return self.deals.suite
        return "quick" if self.stop is None and self.final is None and self.schedule.name in STATIC else None

    def deals_of(self, game: GameEntry) -> int:
        """The most deals of a game that every combination plays.

        In a Swiss tournament or a knockout: the most that every table plays.
        """
        if self.stop is not None:
            return self.stop.max_deals
        return game.deals or (self.deals and self.deals.count) or DEALS

    def form_of(self, game: GameEntry) -> Format:
        """The format in which a game is played."""
        ends, stop = self.stop, None
        if ends is not None:
            stop = Stop(ends.confidence, ends.max_deals, ends.by or self.rate, ends.deals, ends.matches)
        final = None
        if self.final is not None:
            deals = self.final.deals or min(self.deals_of(game), MOST_FINAL_DEALS)
            final = Knockout(self.final.bots, deals, self.final.advance)
        entry, duplicate = self.schedule, self.plays_duplicate
        table = entry.name, entry.hero, entry.rounds, entry.advance, self.max_tables
        return Format(*table, stop, final, duplicate)


def label_of(entry: GameEntry, entries: Collection[GameEntry]) -> str:
    """The name of a game in standings: its label, or its name.

    The number of seats is added to the name if the game is played twice.
    """
    if entry.label:
        return entry.label
    alone = sum(other.name == entry.name and not other.label for other in entries) == 1
    name = name_from(entry.name.rpartition(":")[2]).strip("_")
    return name if alone or entry.seats is None else f"{name}-{entry.seats}"
