"""A place that is killed again and again while a class hands in: lab `place-kills`.

At random moments it gets `kill -9` and is started again. Whatever a page acknowledged
is there afterwards, and every result and decision that was stored. Its night is then
played to its end, and its log once more in one undisturbed run: with the same bytes.
"""

from __future__ import annotations

import argparse
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import httpx2 as httpx

from pips_tourney.league.read import read_league
from pips_tourney.night.begin import begin, is_over
from pips_tourney.night.log.kinds import DECIDING
from pips_tourney.night.log.store import open_store, read_store
from pips_tourney.night.night import last_night
from pips_tourney.night.plan.from_league import make_programme
from pips_tourney.night.table.standings import standings
from pips_tourney.reports.tables import to_json
from pips_tourney.workshop.submit import NotHandedIn, PlaceClient
from tests.faults.night import records
from tests.lab.place.opened import OpenedPlace, write_bot
from tests.patience import PATIENCE_S

LEAGUE: Final = """
games = ["wichita"]
bots = [{ name = "random", sample = "random" }, { name = "greedy", sample = "greedy" }]
stop = { name = "settled", deals = "adaptive", matches = 600 }

[place]
anonymous = false
"""
LONGEST_LIFE_S: Final = 6.0
"""A place is killed at most so long after it was opened."""


class Seen:
    """What was acknowledged or stored, and must be there for ever."""

    def __init__(self, place: OpenedPlace) -> None:
        self._place = place
        self.versions: set[int] = set()
        self._results: set[str] = set()
        self._decided: list[tuple[str, str]] = []

    def look(self) -> None:
        """Read the files of the dead place, and compare them with what was there."""
        with closing(sqlite3.connect(self._place.folder / "class-place" / "place.db")) as book:
            kept = {number for (number,) in book.execute("SELECT id FROM versions")}
        assert self.versions <= kept, f"versions {self.versions - kept} are lost"
        with closing(sqlite3.connect(self._place.folder / "class.db")) as night:
            try:
                results = {match for (match,) in night.execute("SELECT id FROM results")}
                decided = night.execute("SELECT kind, payload FROM log ORDER BY seq").fetchall()
            except sqlite3.OperationalError:  # it is being made
                results, decided = set(), []
        assert self._results <= results, f"{len(self._results - results)} results are lost"
        assert decided[: len(self._decided)] == self._decided, "decisions are lost"
        self._results, self._decided = results, decided


def killed_often(folder: Path, kills: int, students: int, seed: int) -> dict[str, Any]:
    """Kill a place so often while students hand in; returns what was counted."""
    luck, place = random.Random(seed), OpenedPlace(folder, students)
    place.prepare()
    (folder / "class.toml").write_text(LEAGUE, encoding="utf-8")
    place.open()
    tokens = {name: place.student(name).token for name in place.codes}
    seen, refused = Seen(place), 0
    try:
        for _ in range(kills):
            until = time.monotonic() + luck.uniform(0.2, LONGEST_LIFE_S)
            names = luck.sample(sorted(tokens), min(2, students))
            for name in names:
                refused += not _hand_in(PlaceClient(place.address, tokens[name]), folder, luck.randrange(100), seen)
            time.sleep(max(0.0, until - time.monotonic()))
            place.kill()
            seen.look()
            place.open()
        _end_night(place, sorted(tokens), tokens)
    finally:
        place.close()
    ended = folder / "class.1.db"
    with read_store(ended) as store:
        added = len(last_night(store).decisions().added)
    digest = digest_of(ended)
    again = played_again(ended, folder)
    return {"versions": len(seen.versions), "away": refused, "bots": added, "digest": digest, "again": again}


def _hand_in(place: PlaceClient, folder: Path, number: int, seen: Seen) -> bool:
    """Hand in; whether it was acknowledged."""
    with suppress(NotHandedIn):
        seen.versions.add(place.submit(write_bot(folder, number))["id"])
        return True
    return False


def _end_night(place: OpenedPlace, names: list[str], tokens: dict[str, str]) -> None:
    """Wait for all checks, end the night, and wait until it is over."""
    until = time.monotonic() + PATIENCE_S
    for name in names:
        program = PlaceClient(place.address, tokens[name])
        while (newest := program.me()["version"]) is not None and newest["state"] in ("waiting", "checking"):
            assert time.monotonic() < until, newest
            time.sleep(0.2)
    client, form = place.enter(place.organiser)
    with closing(client):
        assert isinstance(client, httpx.Client)
        client.post("/organiser/end", data={"form": form, "night": "1"}).raise_for_status()
    ended = place.folder / "class.1.db"
    while not ended.exists():
        assert time.monotonic() < until, place.said
        time.sleep(0.2)
    assert is_over(ended)


def played_again(ended: Path, folder: Path) -> str:
    """The digest of the same log, played in one run that nobody disturbs."""
    league, fresh = folder / "class.toml", folder / "again.db"
    with read_store(ended) as source:
        secret, entries = source.secret(), source.log(*DECIDING)
    assert secret is not None
    with open_store(fresh) as store:
        begin(store, make_programme(read_league(league)), secret)
        for entry in entries:
            store.append(entry.kind, entry.payload)
    words = [sys.executable, "-m", "pips_tourney", "run", str(league), "--db", str(fresh), "--continue", "--json"]
    ran = subprocess.run(words, capture_output=True, text=True, timeout=2 * PATIENCE_S, check=False)
    assert ran.returncode == 0, ran.stderr
    return digest_of(fresh)


def digest_of(database: Path) -> str:
    """A hash over all matches and standings of a night, without answer times."""
    whole, played = sha256(), records(database)
    with read_store(database) as store:
        night = last_night(store)
        for fixture, _ in night.kept():
            whole.update(fixture.match_id.encode() + played[fixture.match_id].SerializeToString(deterministic=True))
        whole.update(to_json(standings(night), timings=False).encode())
    return whole.hexdigest()


def main() -> int:
    """Print what was counted; 1 if the bytes differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--students", type=int, default=6)
    parser.add_argument("--seed", type=int, default=1)
    said = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pk-", dir="/tmp") as folder:
        found = killed_often(Path(folder), said.kills, said.students, said.seed)
    print(
        f"{said.kills} kills: {found['versions']} acknowledged hand-ins, none lost ({found['away']} found it away); "
        f"{found['bots']} versions in the night"
    )
    print(f"its digest {found['digest']}\nplayed again {found['again']}")
    return int(found["digest"] != found["again"])


if __name__ == "__main__":
    sys.exit(main())
