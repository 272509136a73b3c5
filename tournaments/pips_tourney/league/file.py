"""The league file as a whole."""

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
    """It stands in titles, files and mails, and on terminals."""
    if plain(text) != text:
        raise PydanticCustomError("line", "should be one line, without control characters")
    return text


class LeagueFile(Section):
    """Everything a league file may say."""

    name: Annotated[str, AfterValidator(_in_a_line)] = ""
    games: list[Annotated[GameEntry, BeforeValidator(by_name)]] = Field(min_length=1)
    bots: list[BotEntry] = Field(min_length=1)
    schedule: Annotated[ScheduleEntry, BeforeValidator(by_name)] = ScheduleEntry(name="round-robin")
    max_tables: Whole = Field(default=MAX_TABLES, ge=1, le=100_000)
    """The most combinations of bots that are played.

    Where there are more, a balanced choice of this number is played.
    """
    stop: Annotated[StopEntry, BeforeValidator(by_name)] | None = None
    final: Annotated[FinalEntry, BeforeValidator(by_name)] | None = None
    deals: DealsEntry | None = None
    """Unset: the suite `quick` where it is enough, else drawn from the secret."""
    clock: ClockEntry = ClockEntry()
    startup_ms: Whole = Field(default=STARTUP_MS, ge=100, le=MOST_MS)
    """How long a bot may take from its start to its hello."""
    tables: Whole = Field(default=32, ge=1, le=1024)
    """Matches an arena has under way at once."""
    arenas: Whole | None = Field(default=None, ge=1, le=256)
    """Unset: one for every processor core."""
    engine: Literal["local", "dask"] = "local"
    """The place of arenas: this machine, or the workers of a Dask cluster."""
    scheduler: str | None = None
    """The cluster's scheduler, such as tls://HOST:8786."""
    tls: TlsEntry | None = None
    """For a scheduler at tls://. Unset: what Dask's own configuration says."""
    anchor: Annotated[AnchorEntry, BeforeValidator(by_name)] | None = None
    rate: OrderedBy = "results"
    """Whether a game's table is in the order of Elos or of mean margins in points."""
    max_faults: Whole | None = Field(default=None, ge=1)
    """A bot with this number of faults is withdrawn for the night. Unset: never.

    Faults count in the order of the schedule.
    """
    ponder: bool = True
    """Whether a bot may compute while it is not its turn.

    If not, its process plays one table at a time, and is stopped out of turn.
    """
    season: bool = False
    """Whether a run after a complete night plays another one.

    Standings then go over all of them.
    """
    debug: bool = False
    """No clock: a bot may be halted in its author's debugger."""
    sandbox: Annotated[SandboxEntry, BeforeValidator(_by_tier)] = SandboxEntry()
    hand_in: HandInEntry = HandInEntry()
    place: PlaceEntry = PlaceEntry()
    remote: RemoteEntry = RemoteEntry()
    """The terms for bots on other machines."""
    duplicate: bool | None = None
    """Whether every deal is played from all seats, or once.

    Unset: once if a bot is on another machine, or asks a model that is not `trusted`.
    Whoever is there could use what they saw from one seat in another.
    """
    fill: Literal["random"] | None = None
    """The house bot that fills seats when there are too few bots. It is not rated."""

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

        In a Swiss tournament and a knockout: that every table plays.
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

    The name comes with the seats where the game is played twice.
    """
    if entry.label:
        return entry.label
    alone = sum(other.name == entry.name and not other.label for other in entries) == 1
    name = name_from(entry.name.rpartition(":")[2]).strip("_")
    return name if alone or entry.seats is None else f"{name}-{entry.seats}"
