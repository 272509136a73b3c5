"""The processes of a place: one plays its night, one checks a version.

`python -m pips_tourney.place.child play LEAGUE NIGHT.db [new|last]` or
`... check FOLDER LEAGUE`. Each ends when its standard input does, so none outlives the
place, however that ends.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pips_tourney.errors import TourneyError

if TYPE_CHECKING:
    from pips_tourney.night.store import Row
    from pips_tourney.play.evening import Announcement


class Lines:
    """A watcher that prints what the organiser should know."""

    def begins(self, announcement: Announcement) -> None:
        self.told(f"{announcement.missing} matches are to be played.")

    def stored(self, rows: Sequence[Row]) -> None:
        """Say nothing: the pages read results from the database."""

    def ends(self) -> None:
        """Say nothing: another beginning follows at once."""

    def told(self, line: str) -> None:
        print(line, flush=True)


def play(league: Path, database: Path, how: str) -> int:
    """Play the night: `open` for newcomers, a `new` one, or to its end (`last`)."""
    from pips_tourney.play.evening import RunConfig
    from pips_tourney.play.run import run_night

    config = RunConfig(league, database, new=how == "new", go_on=how != "new", stays_open=how != "last")
    outcome = run_night(config, Lines())
    if not outcome.interrupted:
        print(f"The night's digest is {outcome.digest}.", flush=True)
    return outcome.exit_code


def check(folder: Path, league: Path) -> int:
    """Check a version as the league does, and print the finding as JSON."""
    from pips_tourney.bots.find import BotProblem
    from pips_tourney.reports.own_records import without_folders
    from pips_tourney.workshop.class_check import check_in_league

    try:
        report = check_in_league(str(folder), league)
        found = {"ok": report.ok, "said": "\n".join(report.found.letter())}
    except BotProblem as problem:
        found = {"ok": False, "said": without_folders(str(problem))}
    print(json.dumps(found), flush=True)
    return 0


def _end_with_input() -> None:
    while os.read(0, 1 << 12):
        pass
    os.kill(os.getpid(), signal.SIGINT)


def main(words: Sequence[str]) -> int:
    """Run the process that the words name; the exit code is that of a command."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Thread(target=_end_with_input, daemon=True).start()
    try:
        if words[0] == "check":
            return check(Path(words[1]), Path(words[2]))
        return play(Path(words[1]), Path(words[2]), words[3])
    except TourneyError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
