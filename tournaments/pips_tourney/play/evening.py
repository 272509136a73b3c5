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
"""The most matches that are named for each reason of a void."""


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
    """How long new deals are begun, in minutes from the start."""
    beacon: str | None = None
    """The text of the beacon that was named beforehand."""
    hosting: Hosting | None = None
    """How bots on other machines dial in."""
    logs: Path | None = None
    """A folder for the bots' output."""
    stays_open: bool = False
    """After the last match, the run waits for new bots until a signal ends it."""

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
    """What the bots' sandbox does not protect, and what the clock does not measure.

    For contests with more combinations of bots than are played: how even the choice is.
    """
    under_way: Callable[[], Collection[Fixture]] = tuple
    """The matches in progress at the time of the call."""
    referees: Collection[OrganiserDoor] = ()
    """The referees on this machine that can be asked for matches.

    They change during the night.
    """
    count: Callable[[], tuple[int, int]] | None = None
    """How many of the scheduled matches count now, and how many of these were played.

    The numbers fall if a bot is left out.
    """
    head: Callable[[], str] = str
    """The head of the database's chain at the time of the call, in hexadecimal."""


class Watcher(Protocol):
    """Receives the progress of a night."""

    def begins(self, announcement: Announcement) -> None: ...

    def stored(self, rows: Sequence[Row]) -> None: ...

    def ends(self) -> None: ...

    def told(self, line: str) -> None: ...


@dataclass(frozen=True, slots=True)
class NightOutcome:
    """The end of a run. `spoilt` gives, by match, why it was void again and again."""

    standings: Standings
    digest: str
    played_now: int
    interrupted: bool
    spoilt: Mapping[str, str]
    limited: bool = False
    """The run played all it was asked for, which was not the complete night."""
    season: Standings | None = None
    """The standings over all nights, if the league has a season."""
    head: str = ""
    """The head of the database's chain."""

    @property
    def exit_code(self) -> int:
        """The exit code of a run.

        It is 130 after a signal, as in shells, and 1 if the night could not be
        completed.
        """
        return 130 if self.interrupted else 0 if self.standings.complete or self.limited else 1

    def _voids(self) -> Iterator[str]:
        """A line for each reason, with the matches that were void for it."""
        by_reason: dict[str, list[str]] = {}
        for match, why in self.spoilt.items():
            by_reason.setdefault(why.partition("\n")[0], []).append(match)
        for why, matches in by_reason.items():
            named = ", ".join(matches[:MOST_NAMED])
            more = f" and {len(matches) - MOST_NAMED} more" if len(matches) > MOST_NAMED else ""
            who = f"matches {named}{more} were" if len(matches) > 1 else f"match {named} was"
            yield f"{who} void again and again: {why}"

    def told(self, config: RunConfig) -> list[str]:
        """The last lines printed for a night."""
        usual = config.database == usual_database(config.league)
        command = "run" if config.hosting is None else "serve"
        again = f"pips-tourney {command} {config.league}{'' if usual else f' --db {config.database}'}"
        options = "" if config.hosting is None else " and the options that you gave"
        lines = [*self._voids()]
        if self.limited and not self.standings.complete:
            left = [
                f"{part.scheduled - part.played} of {part.scheduled} in {part.label}" for part in self.standings.tables
            ]
            return [
                *lines,
                f"Played what was asked for: {self.played_now} matches. Left to play: {', '.join(left)}.",
                f"Go on with: {again}{options}",
            ]
        if not self.standings.complete:
            return [
                *lines,
                f"The head of its chain is {self.head}",
                f"Stopped: all results are kept in {config.database}. Go on with: {again}{options}",
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
