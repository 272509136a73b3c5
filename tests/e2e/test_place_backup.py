"""A backup from the middle of a night goes on in another folder, as another user."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest

from pips_tourney.place.backup import back_up
from tests.lab.place.opened import LEAGUE, OpenedPlace, write_bot
from tests.patience import PATIENCE_S

NOBODY = 65534
STUDENTS = 2


@pytest.mark.long
@pytest.mark.xdist_group("processes")
def test_no_result_is_lost_and_every_code_opens_its_page() -> None:
    """Where root runs it, the other place is another user's."""
    league, user = LEAGUE.replace("deals = 20", "deals = 500"), another_user()
    with tempfile.TemporaryDirectory(prefix="pb-", dir="/tmp") as one, tempfile.TemporaryDirectory(prefix="pb-") as two:
        here = OpenedPlace(Path(one), STUDENTS, league=league)
        there = OpenedPlace(Path(two), STUDENTS, league=league, user=user, more=("--from", "class-backup.zip"))
        try:
            here.prepare()
            here.open()
            for number, name in enumerate(here.codes):
                here.student(name).submit(write_bot(here.folder, number))
            until(lambda: all(f'"{name}"' in str(of_night(here)[0]) for name in here.codes))
            stored, log = of_night(here)
            back_up(here.folder / "class.db", there.folder / "class-backup.zip")
        finally:
            here.close()
        assert len(of_night(here)[0]) > len(stored), "it was played meanwhile"
        there.prepare()
        if user is not None:
            for path in (there.folder, *there.folder.iterdir()):
                os.chown(path, user, user)
        try:
            there.open()
            assert there.codes == here.codes
            results, entries = of_night(there)
            assert results.items() >= stored.items() and entries[: len(log)] == log
            for name, code in there.codes.items():
                client, _ = there.enter(code)
                assert f"My bot: {name}" in (page := client.get("/mine").text) and f"{name}: ready" in page
                client.close()
            until(lambda: len(of_night(there)[0]) > len(results))
            assert (there.folder / "class.db").stat().st_uid == (os.geteuid() if user is None else user)
        finally:
            there.close()


def another_user() -> int | None:
    """Somebody else who can run Pips; None where this user may not become another.

    An interpreter below root's own folder is out of others' reach.
    """
    words = [sys.executable, "-c", "import pips_tourney"]
    with suppress(PermissionError):
        if not subprocess.run(words, cwd="/", user=NOBODY, group=NOBODY, extra_groups=[], check=False).returncode:
            return NOBODY
    return None


def until(found: Callable[[], object]) -> None:
    ends = time.monotonic() + PATIENCE_S
    while not found():
        assert time.monotonic() < ends
        time.sleep(0.05)


def of_night(place: OpenedPlace) -> tuple[dict[str, tuple[str, bytes]], list[tuple[str, str]]]:
    """The seating of each match and the hash of its record, and the log, until now."""
    with closing(sqlite3.connect(place.folder / "class.db")) as night:
        if not night.execute("SELECT 1 FROM sqlite_master WHERE name = 'results'").fetchall():
            return {}, []
        rows = night.execute("SELECT id, seats, sha256 FROM results")
        results = {match: (seats, sha256) for match, seats, sha256 in rows}
        return results, night.execute("SELECT kind, payload FROM log ORDER BY seq").fetchall()
