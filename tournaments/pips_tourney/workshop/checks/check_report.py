"""The results of a bot's check, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from pips_referee.printable import plain
from pips_tourney.reports.own_records import without_folders
from pips_tourney.workshop.duels.duel import Duel, Scoresheet
from pips_tourney.workshop.problems import Problem

READY: Final = "ready"


@dataclass(frozen=True, slots=True)
class GameReport:
    """A bot's results in one game."""

    game: str
    seats: int
    opponents: list[str]
    matches: int
    won: int
    """How many matches it won, alone or with others."""
    faults: int
    slowest_ms: float | None
    """The time of its longest answer. None if there was no clock."""


@dataclass(eq=False)
class Report:
    """The results of a check.

    `problems` would lose matches. `notes` are only worth knowing.
    """

    bot: str
    answer_ms: int
    in_process: bool = False
    league: str = ""
    """The league of the check; "" for any league."""
    submission: str = ""
    """The submission's path from the league's folder."""
    hello_ms: float | None = None
    games: list[GameReport] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    same_as: list[str] = field(default_factory=list)
    """Other submissions with the same files."""
    printed: str = ""
    """How much the bot's processes printed, as a sentence; "" for nothing."""

    @property
    def ok(self) -> bool:
        return not self.problems

    @property
    def matches(self) -> int:
        """How many matches it played."""
        return sum(game.matches for game in self.games)

    @property
    def verdict(self) -> str:
        """`ready`, or the first problem, in one line."""
        if not self.problems:
            return READY
        first = self.problems[0]
        told = first.where.splitlines()[:1] if first.where else []
        return without_folders(" ".join([first.what, *told]))

    def as_json(self) -> dict[str, Any]:
        """JSON values; `ok` says whether a league would take the bot."""
        return {"ok": self.ok, "matches": self.matches, **asdict(self)}

    def letter(self) -> Iterator[str]:
        """The lines for the bot's author, without folders of the organiser."""
        if not self.problems:
            played = f"it played {self.matches} matches without a fault" if self.games else "its model replied"
            yield f"{self.bot} is ready: {played}."
            slow = [f"{game.slowest_ms:.0f} ms in {game.game}" for game in self.games if game.slowest_ms is not None]
            yield from [f"Its slowest answer took {', '.join(slow)}, of {self.answer_ms} ms."] if slow else []
            yield from [self.printed] if self.printed else []
        for number, problem in enumerate(self.problems):
            if number:
                yield ""
            yield from map(without_folders, problem.lines())
        if self.problems:
            yield ""
            yield "Check it again on your own machine: pips-bot check MY_BOT"

    def lines(self) -> Iterator[str]:
        """The report, as lines for a reader."""
        if self.hello_ms is not None:
            yield f"✓ it started, and said hello after {self.hello_ms:.0f} ms"
        for game in self.games:
            mark = "✗" if game.faults else "✓"
            time = "" if game.slowest_ms is None else f", slowest answer {game.slowest_ms:.0f} of {self.answer_ms} ms"
            against = " and ".join(game.opponents)
            yield (
                f"{mark} {game.game}, {game.seats} seats: {game.matches} matches against {against}, "
                f"{game.won} won, {game.faults} lost by a fault{time}"
            )
        for note in filter(None, [*self.notes, self.printed]):
            yield f"- {plain(note)}"
        for problem in self.problems:
            yield ""
            yield from problem.lines()
        yield ""
        bot, league = plain(self.bot), plain(self.league or "a league")
        if self.ok:
            yield f"{bot} is ready for {league}."
        else:
            count = "one thing" if len(self.problems) == 1 else f"{len(self.problems)} things"
            yield f"{bot} is not ready: {count} to fix, then check again."

    def note_game(self, duel: Duel, sheet: Scoresheet) -> None:
        """Note the results of a game, and the bot's first fault."""
        name, contest = duel.names[0], duel.contest
        results = [result for results in sheet.results.values() for result in results]
        faults = sum(count for (bot, _), count in sheet.faults.items() if bot == name)
        if (problem := sheet.problems.get(name)) is not None:
            self.problems.append(problem)
        slowest_ms = None if self.in_process else sheet.slowest_us[name] / 1000
        won = sum(result.places[result.bots.index(name)] == 1 for result in results)
        opponents = [bot for bot in duel.bots if bot != name]
        self.games.append(GameReport(contest.game, contest.seats, opponents, sheet.played, won, faults, slowest_ms))
