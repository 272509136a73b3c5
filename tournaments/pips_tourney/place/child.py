"""The processes of a place: one plays its night, one checks a version, others compare.

`python -m pips_tourney.place.child play LEAGUE NIGHT.db open|new|last LOGS [SECRET]`,
`... check FOLDER LEAGUE`, `... alike LEAGUE NIGHT.db`, or `... changed EARLIER.db
LEAGUE NIGHT.db FOLDER BOT [BEFORE ...]` compares a version with the versions before it,
`... scrimmage LEAGUE NIGHT.db BOT OTHER` plays two bots, each as an entry of a league
file. `... seat LEAGUE NIGHT.db BOT HEADER` plays a match with a person. Each
writes lines of JSON to the place. `... pages LEAGUE DIAL CERT KEY ADDRESS NIGHT.db FD
[--open-cards]` serves the pages of a night beside its host.
Each process ends when its standard input is closed, so none outlives its parent,
however that ends.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pips.v1.record_pb2 import MatchHeader
from pips_referee.records.record import Header
from pips_tourney.bots.found import BotProblem
from pips_tourney.errors import TourneyError
from pips_tourney.league.read import read_league
from pips_tourney.night.log.file_watch import private_files
from pips_tourney.night.log.store import read_store
from pips_tourney.night.night import last_night
from pips_tourney.reports.own_records import without_folders
from pips_tourney.sandbox.counting.processes import weigh_session
from pips_tourney.web.beside import TELL_S, TOKEN, UnderWay
from pips_tourney.workshop.checks.class_check import check_in_league
from pips_tourney.workshop.checks.same_deals import likeness, mark_of
from pips_tourney.workshop.checks.scrimmage import scrimmage as play_two
from pips_tourney.workshop.checks.scrimmage import seat_person

NICE: Final = 5
"""The niceness of a night: checks, whose authors wait, and the pages go first."""

if TYPE_CHECKING:
    from pips_tourney.night.log.store import Row
    from pips_tourney.play.evening import Announcement


class Lines:
    """A watcher that reports the night's progress and current matches to the place."""

    def __init__(self) -> None:
        self._under_way, self._pause_s = UnderWay(), TELL_S
        self._writing = threading.Lock()
        threading.Thread(target=self._keep_telling, daemon=True).start()

    def begins(self, announcement: Announcement) -> None:
        self._under_way.follow(announcement.under_way, announcement.referees)
        self._say({"begun": announcement.missing})
        self.told(f"{announcement.missing} matches are to be played.")

    def stored(self, rows: Sequence[Row]) -> None:
        """Do nothing: the pages read results from the database."""

    def ends(self) -> None:
        self._under_way.follow(tuple, ())

    def told(self, line: str) -> None:
        self._say({"told": line})

    def _say(self, what: dict[str, Any]) -> None:
        with self._writing:
            print(json.dumps(what, separators=(",", ":")), flush=True)

    def _keep_telling(self) -> None:
        before: object = None
        while True:
            time.sleep(self._pause_s)
            news = self._under_way.news()
            if news["tables"] or before != news:
                before = news
                self._say(news)


def play(league: Path, database: Path, how: str, logs: Path, secret: Path | None = None) -> int:
    """Play the night: `open` for new bots, a `new` night, or to its end (`last`)."""
    from pips_tourney.play.evening import RunConfig
    from pips_tourney.play.runner import run_night

    new, stays = how == "new", how != "last"
    watcher = Lines()
    config = RunConfig(league, database, secret_file=secret, new=new, go_on=not new, logs=logs, stays_open=stays)
    outcome = run_night(config, watcher)
    if not outcome.interrupted:
        watcher.told(f"The night's digest is {outcome.digest}.")
    return outcome.exit_code


def check(folder: Path, league: Path) -> int:
    """Check a version as the league does; print the result as JSON.

    A bot that is ready has a `mark`.
    """
    try:
        report = check_in_league(str(folder), league, lambda line: print(json.dumps({"progress": line}), flush=True))
        found = {"ok": report.ok, "said": "\n".join(report.letter())}
        if report.ok:
            found["mark"] = mark_of(folder, {played.game for played in report.games})
    except BotProblem as problem:
        found = {"ok": False, "said": without_folders(str(problem))}
    print(json.dumps(found), flush=True)
    return 0


def alike(league: Path, database: Path) -> int:
    """Compare the bots that play in a night, and print the result as JSON."""
    with read_store(database) as store:
        decisions = last_night(store).decisions()
    out, added = decisions.out, decisions.added.values()
    found = likeness(read_league(league).joined_by(added), out, private_files(database))
    print(json.dumps(found.as_json()), flush=True)
    return 0


def changed(database: str, league: str, running: str, folder: str, new: str, *earlier: str) -> int:
    """Print as JSON what a version changes on the deals of a finished night."""
    from pips_tourney.play.changed import what_changed

    found = what_changed(Path(database), Path(league), Path(running), Path(folder), new, *earlier)
    print(json.dumps({"changed": found}), flush=True)
    return 0


def scrimmage(league: str, running: str, *bots: str) -> int:
    """Print as JSON how a bot fared against another on some deals, unrated."""
    one, other = map(json.loads, bots)
    found = play_two(Path(league), one, other, private_files(Path(running)))
    print(json.dumps({"scrimmage": found | {"lines": [*map(without_folders, found["lines"])]}}), flush=True)
    return 0


def seat(league: str, running: str, bot: str, header: str) -> int:
    """Print as JSON where a person's seat is, then the record; or `why` there is none.

    What hinders a bot's start is for its author alone.
    """

    def tell(address: str, token: bytes) -> None:
        print(json.dumps({"address": address, "token": token.hex()}), flush=True)

    of = Header.read(MatchHeader.FromString(bytes.fromhex(header)))
    try:
        record = seat_person(Path(league), json.loads(bot), of, private_files(Path(running)), tell)
        told = {"record": record.hex()}
    except BotProblem:
        told = {}
    except TourneyError as error:
        told = {"why": without_folders(str(error))}
    print(json.dumps(told), flush=True)
    return 0


def pages(league: str, dial: str, cert: str, key: str, address: str, *night: str) -> int:
    """Serve the pages of a night with guests that another process hosts."""
    from pips_tourney.place.serve import PlaceConfig, serve_guests

    database, descriptor, *words = night
    config = PlaceConfig(Path(league), Path(database), address, (Path(cert), Path(key)) if cert else None)
    listener = socket.socket(fileno=int(descriptor))
    serve_guests(config, listener, dial, open_cards=bool(words), token=os.environ.pop(TOKEN, None))
    return 0


def _end_with_input() -> None:
    while os.read(0, 1 << 12):
        pass
    os.kill(os.getpid(), signal.SIGINT)


def main(words: Sequence[str]) -> int:
    """Run the process that the arguments name; returns its exit code."""
    try:
        if words[0] == "pages":
            return pages(*words[1:])
    except TourneyError as error:
        print(f"The pages cannot be served: {error}", file=sys.stderr)
        return 2
    signal.signal(signal.SIGINT, signal.default_int_handler)
    header = sys.stdin.buffer.readline().decode() if words[0] == "seat" else ""
    threading.Thread(target=_end_with_input, daemon=True).start()
    try:
        if words[0] == "check":
            return check(Path(words[1]), Path(words[2]))
        os.nice(NICE)
        weigh_session(os.getpid())
        if words[0] == "alike":
            return alike(Path(words[1]), Path(words[2]))
        if words[0] == "changed":
            return changed(*words[1:])
        if words[0] == "scrimmage":
            return scrimmage(*words[1:])
        if words[0] == "seat":
            return seat(words[1], words[2], words[3], header)
        return play(Path(words[1]), Path(words[2]), words[3], Path(words[4]), Path(words[5]) if words[5:] else None)
    except TourneyError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
