"""What a league file is as a whole."""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated, Final, Literal

from pydantic import BeforeValidator, Field

from pips_tourney.league.entries import (
    MOST_MS,
    AnchorEntry,
    BotEntry,
    ClockEntry,
    DealsEntry,
    GameEntry,
    HandInEntry,
    SandboxEntry,
    TlsEntry,
)
from pips_tourney.league.format import (
    FinalEntry,
    Format,
    Knockout,
    ScheduleEntry,
    Section,
    Stop,
    StopEntry,
    Whole,
    by_name,
)
from pips_tourney.league.remote import RemoteEntry
from pips_tourney.schedule import MAX_TABLES

DEALS: Final = 20
MOST_FINAL_DEALS: Final = 100
STATIC: Final = ("round-robin", "gauntlet")


def _by_tier(value: object) -> object:
    return {"tier": value} if isinstance(value, str) else value


class LeagueFile(Section):
    """Everything a league file may say."""

    name: str = ""
    games: list[Annotated[GameEntry, BeforeValidator(by_name)]] = Field(min_length=1)
    bots: list[BotEntry] = Field(min_length=1)
    schedule: Annotated[ScheduleEntry, BeforeValidator(by_name)] = ScheduleEntry(name="round-robin")
    max_tables: Whole = Field(default=MAX_TABLES, ge=1, le=100_000)
    """Combinations of bots that are played; where there are more, a balanced choice of
    so many.
    """
    stop: Annotated[StopEntry, BeforeValidator(by_name)] | None = None
    final: Annotated[FinalEntry, BeforeValidator(by_name)] | None = None
    deals: DealsEntry | None = None
    """Unset: the suite `quick` where it is enough, else drawn from the secret."""
    clock: ClockEntry = ClockEntry()
    startup_ms: Whole = Field(default=10_000, ge=100, le=MOST_MS)
    """How long a bot may take from its start to its hello."""
    tables: Whole = Field(default=32, ge=1, le=1024)
    """Matches an arena has under way at once."""
    arenas: Whole | None = Field(default=None, ge=1, le=256)
    """Unset: one for every processor core."""
    engine: Literal["local", "dask"] = "local"
    """Where arenas run: on this machine, or on the workers of a Dask cluster."""
    scheduler: str | None = None
    """The cluster's scheduler, such as tls://HOST:8786. Unset: a cluster of `arenas`
    workers on this machine.
    """
    tls: TlsEntry | None = None
    """For a scheduler at tls://. Unset: what Dask's own configuration says."""
    anchor: Annotated[AnchorEntry, BeforeValidator(by_name)] | None = None
    forfeits: Literal["loss", "unrated"] = "loss"
    """What a match with a fault is to the ratings: a result like any other, or none."""
    max_faults: Whole | None = Field(default=None, ge=1)
    """A bot that has made so many faults, in the order of the schedule, is withdrawn
    for the night. Unset: never.
    """
    ponder: bool = True
    """Whether a bot may compute while it is not its turn. If not, its process plays one
    table at a time, and is stopped out of turn.
    """
    season: bool = False
    """Whether a run after a complete night plays another one, and standings go over all
    of them.
    """
    debug: bool = False
    """No clock: a bot may stand in its author's debugger."""
    sandbox: Annotated[SandboxEntry, BeforeValidator(_by_tier)] = SandboxEntry()
    hand_in: HandInEntry = HandInEntry()
    remote: RemoteEntry = RemoteEntry()
    """For bots on other machines."""
    duplicate: bool | None = None
    """Whether every deal is played from all seats, or once. Unset: once where a bot is
    on another machine, whose author could keep what it saw from one seat for another.
    """
    fill: Literal["random"] | None = None
    """The house bot that takes the seats for which there are too few bots; it is not
    rated.
    """

    @property
    def plays_duplicate(self) -> bool:
        return not any(bot.remote for bot in self.bots) if self.duplicate is None else self.duplicate

    @property
    def suite(self) -> str | None:
        if self.deals is not None:
            return self.deals.suite
        return "quick" if self.stop is None and self.final is None and self.schedule.name in STATIC else None

    def deals_of(self, game: GameEntry) -> int:
        """How many of a game every combination plays, at most; in a Swiss tournament
        and a knockout, every table.
        """
        if self.stop is not None:
            return self.stop.max_deals
        return game.deals or (self.deals and self.deals.count) or DEALS

    def form_of(self, game: GameEntry) -> Format:
        """How a game is played."""
        stop = None if self.stop is None else Stop(self.stop.confidence, self.stop.max_deals)
        final = None
        if self.final is not None:
            deals = self.final.deals or min(self.deals_of(game), MOST_FINAL_DEALS)
            final = Knockout(self.final.bots, deals, self.final.advance)
        entry = self.schedule
        return Format(
            entry.name, entry.hero, entry.rounds, entry.advance, self.max_tables, stop, final, self.plays_duplicate
        )


def label_of(entry: GameEntry, entries: Collection[GameEntry]) -> str:
    """What standings call a game: its label, its name, or its name with the seats where
    it comes twice.
    """
    if entry.label:
        return entry.label
    alone = sum(other.name == entry.name and not other.label for other in entries) == 1
    return entry.name if alone or entry.seats is None else f"{entry.name}-{entry.seats}"
