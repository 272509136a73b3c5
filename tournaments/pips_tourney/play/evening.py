"""A run: its options, its announcement, and its outcome."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from pips_referee.service.tokens import OrganiserDoor
from pips_tourney.errors import TourneyError
from pips_tourney.night.log.file_watch import private_files, usual_database
from pips_tourney.night.log.store import Row
from pips_tourney.night.plan.fixtures import Fixture
from pips_tourney.night.plan.programme import Programme
from pips_tourney.night.table.tables import Standings
from pips_tourney.remote.lobby import Hosting

MOST_NAMED: Final = 3
"""Matches that are named beside what made them void, at most."""


@dataclass(frozen=True, slots=True)
class RunConfig:
    """The options of `pips-tourney run`."""

    league: Path
    database: Path
    arenas: int | None = None
    secret_file: Path | None = None
    new: bool = False
    """Begin another night; the old database is moved aside."""
    go_on: bool = False
    """Go on even if the league or a bot has changed."""
    minutes: float | None = None
    """After this time no new deal is begun."""
    beacon: str | None = None
    """The text of the beacon that was named beforehand."""
    hosting: Hosting | None = None
    """How bots on other machines dial in."""
    logs: Path | None = None
    """A folder for what the bots print."""
    stays_open: bool = False
    """A night that is played waits for newcomers; a signal ends the run."""

    def private(self) -> Iterator[Path]:
        """Paths that no bot may read."""
        yield from private_files(self.database)
        if self.secret_file is not None:
            yield self.secret_file
        if self.logs is not None:
            yield self.logs
        if self.hosting is not None:
            yield self.hosting.people.folder


@dataclass(frozen=True, slots=True)
class Announcement:
    """A night as announced before its first match."""

    programme: Programme
    matches: int
    missing: int
    arenas: int
    secret_commitment: str
    moved_aside: Path | None
    notes: tuple[str, ...] = ()
    """Things the bots' sandbox does not protect, or the clock does not know.

    For contests with more combinations of bots than are played: how even the choice is.
    """
    under_way: Callable[[], Collection[Fixture]] = tuple
    """The matches being played at a moment."""
    referees: Collection[OrganiserDoor] = ()
    """The referees on this machine, where matches can be asked for.

    They change while the night is played.
    """
    count: Callable[[], tuple[int, int]] | None = None
    """How many of the matches asked for count now, and how many of these were played.

    There are fewer when a bot is left out.
    """
    head: Callable[[], str] = str
    """The head of the database's chain at a moment, in hexadecimal."""


class Watcher(Protocol):
    """Is informed how the night goes."""

    def begins(self, announcement: Announcement) -> None: ...

    def stored(self, rows: Sequence[Row]) -> None: ...

    def ends(self) -> None: ...

    def told(self, line: str) -> None: ...


@dataclass(frozen=True, slots=True)
class NightOutcome:
    """How a run ended. `spoilt` says why matches were void again and again."""

    standings: Standings
    digest: str
    played_now: int
    interrupted: bool
    spoilt: Mapping[str, str]
    limited: bool = False
    """All that was asked for was played, but that was not all of the night."""
    season: Standings | None = None
    """The standings over all nights, where the league goes on."""
    head: str = ""
    """The head of the database's chain."""

    @property
    def exit_code(self) -> int:
        """The exit code of a run.

        It is 130 after a signal, as in shells, and 1 when the machine kept the night
        from its end.
        """
        return 130 if self.interrupted else 0 if self.standings.complete or self.limited else 1

    def _voids(self) -> Iterator[str]:
        """A line for each reason, with the matches that it made void."""
        by_reason: dict[str, list[str]] = {}
        for match, why in self.spoilt.items():
            by_reason.setdefault(why.partition("\n")[0], []).append(match)
        for why, matches in by_reason.items():
            named = ", ".join(matches[:MOST_NAMED])
            more = f" and {len(matches) - MOST_NAMED} more" if len(matches) > MOST_NAMED else ""
            who = f"matches {named}{more} were" if len(matches) > 1 else f"match {named} was"
            yield f"{who} void again and again: {why}"

    def told(self, config: RunConfig) -> list[str]:
        """The last lines of a night."""
        usual = config.database == usual_database(config.league)
        again = f"pips-tourney run {config.league}{'' if usual else f' --db {config.database}'}"
        lines = [*self._voids()]
        if self.limited and not self.standings.complete:
            left = [
                f"{part.scheduled - part.played} of {part.scheduled} in {part.label}" for part in self.standings.tables
            ]
            return [
                *lines,
                f"Played what was asked for: {self.played_now} matches. Left to play: {', '.join(left)}.",
                f"Go on with: {again}",
            ]
        if not self.standings.complete:
            return [
                *lines,
                f"The head of its chain is {self.head}",
                f"Stopped: all results are kept in {config.database}. Go on with: {again}",
            ]
        night = "Played" if self.played_now else "This night was complete already"
        return [
            f"{night}. Its digest is {self.digest}; the secret is revealed in {config.database}.",
            f"The head of its chain is {self.head}",
            f"Check every match of it with: pips-tourney verify {config.database}",
            f"Play another night with: {again}{'' if self.season else ' --new'}",
        ]


class LeagueChanged(TourneyError):
    """The league or its bots are not those of the night in the database."""

    def __init__(self, database: Path, differences: Sequence[str]) -> None:
        self.differences = tuple(differences)
        listed = "\n".join(f"  {difference}" for difference in differences)
        super().__init__(
            f"{database} holds a night of another league:\n{listed}\n"
            "Play a new night with --new (the old one is kept beside it), or go on with --continue: "
            "what was played stays, and counts where it still fits."
        )
