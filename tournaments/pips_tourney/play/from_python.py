"""A league from Python or a notebook: `run_league`, and rows for pandas or polars."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pips_tourney.errors import TourneyError
from pips_tourney.night.log.file_watch import usual_database
from pips_tourney.night.log.store import read_store
from pips_tourney.night.night import last_night
from pips_tourney.night.table.standings import standings
from pips_tourney.night.table.standings_json import as_json
from pips_tourney.reports.matches import matches, matches_json, seat_rows

MISTAKE = 2
"""The exit code of a command with wrong arguments."""


class NotPlayed(TourneyError):
    """A league that could not be played; the text says why."""


@dataclass(frozen=True, slots=True)
class PlayedLeague:
    """A night that was played, completely or in part."""

    database: Path
    complete: bool
    standings: dict[str, Any]
    """The data of `pips-tourney standings --json`."""
    matches: list[dict[str, Any]]
    """A row for each match, with its contest, deal and rotation."""
    seats: list[dict[str, Any]]
    """A row for each seat of each match: `pandas.DataFrame(played.seats)`."""

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A row for each bot and table of the standings."""
        return [{"table": table["label"], **row} for table in self.standings["tables"] for row in table["rows"]]


def run_league(
    league: str | Path,
    database: str | Path | None = None,
    *,
    options: Sequence[str] = (),
    told: Callable[[str], object] | None = None,
) -> PlayedLeague:
    """Play the night of a league file, or the rest of it, and read the results.

    A separate process plays it, so the caller may have a running event loop. An
    interrupt ends it as Ctrl-C does: stored results are not lost. `options` are those
    of `pips-tourney run`, such as `["--minutes", "10"]`. `told` is called with each
    line of progress; by default lines are printed on stderr.

    Raises `NotPlayed`.
    """
    file = _path_of(league)
    wanted = options.split() if isinstance(options, str) else [*map(str, options)]
    if any(word.partition("=")[0] == "--db" for word in wanted):
        raise NotPlayed("`database` says where the night is kept: leave --db out of the options")
    place = Path(database) if database is not None else usual_database(file)
    words = [sys.executable, "-m", "pips_tourney", "run", "--db", str(place), "--json", *wanted, "--", file]
    process = subprocess.Popen(
        words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace"
    )
    said = []
    try:
        for line in _lines(process):
            said.append(line)
            (told or _print)(line)
        status = process.wait()
    except BaseException:
        process.terminate()
        process.wait()
        raise
    if status == MISTAKE or not place.exists():
        raise NotPlayed("\n".join(said[-20:]).removeprefix("Error: ") or "nothing was played")
    return read_played(place)


def read_played(database: str | Path) -> PlayedLeague:
    """Read a night, even one still in progress. Raises `StoreError`."""
    with read_store(Path(database)) as store:
        table = standings(last_night(store))
        listed = matches(store)
        return PlayedLeague(
            Path(database), table.complete, as_json(table, timings=True), matches_json(listed), [*seat_rows(listed)]
        )


def _path_of(league: object) -> str:
    if not isinstance(league, str | Path) or "\n" in str(league):
        raise NotPlayed("a league is named by the path of its file: write its text into one")
    return str(league)


def _lines(process: subprocess.Popen[str]) -> Iterator[str]:
    assert process.stderr is not None
    with process.stderr as stderr:
        for line in stderr:
            yield line.rstrip("\n")


def _print(line: str) -> None:
    print(line, file=sys.stderr)
