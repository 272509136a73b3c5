"""A real place and its students, who hand in as programs do."""

from __future__ import annotations

import csv
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import httpx2 as httpx

from pips_tourney.workshop.submit import PlaceClient

LEAGUE: Final = """
name = "Class"
games = ["wichita"]
bots = [{ name = "random", sample = "random" }, { name = "greedy", sample = "greedy" }]
deals = 20
max_faults = 15

[place]
anonymous = false
"""
SOURCES: Final = (
    "from pips_sdk.wichita import WichitaBot\n\nclass MyBot(WichitaBot):\n    pass\n",
    "from pips_sdk.wichita import WichitaBot\n\nclass Mine(WichitaBot):\n    name = 'other'\n",
)
OPEN_S: Final = 120.0


@dataclass
class OpenedPlace:
    """A place that is served by its own process, in a folder of its own."""

    folder: Path
    students: int
    port: int = 0
    organiser: str = ""
    process: subprocess.Popen[str] | None = None
    codes: dict[str, str] = field(default_factory=dict)
    more: tuple[str, ...] = ()
    league: str = LEAGUE
    python: str = sys.executable
    user: int | None = None
    """The owner of the process; unset: that of the tests."""

    def prepare(self) -> None:
        """Write the league and its roster."""
        (self.folder / "class.toml").write_text(self.league, encoding="utf-8")
        names = "".join(f"s{number:02}\n" for number in range(self.students))
        (self.folder / "roster.csv").write_text(f"name\n{names}", encoding="utf-8")

    def open(self) -> None:
        """Start it, and wait until it says where it is."""
        roster = ["--roster", "roster.csv"] if self.students else []
        words = ["serve", "class.toml", *roster, "--listen", f"127.0.0.1:{self.port}", *self.more]
        with (self.folder / "said").open("w") as said:
            self.process = subprocess.Popen(
                [self.python, "-m", "pips_tourney", *words], cwd=self.folder, stdout=said, stderr=said,
                text=True, start_new_session=True, user=self.user, group=self.user,
                extra_groups=None if self.user is None else [],
                env={**os.environ, "TMPDIR": str(self.folder), "HOME": str(self.folder)},
            )  # fmt: skip
        until = time.monotonic() + OPEN_S
        while not (found := re.search(r"open at http://[^:]+:(\d+)/[\s\S]*enter#(\S+)", self.said)):
            assert self.process.poll() is None and time.monotonic() < until, self.said
            time.sleep(0.05)
        self.port, self.organiser = int(found[1]), found[2]
        if self.students:
            with (self.folder / "class-place" / "invites.csv").open(encoding="utf-8") as file:
                self.codes = {row["name"]: row["code"] for row in csv.DictReader(file)}

    @property
    def said(self) -> str:
        return (self.folder / "said").read_text(encoding="utf-8")

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def kill(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def close(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.kill()

    def student(self, name: str) -> PlaceClient:
        """A student's program, with a token of theirs."""
        return PlaceClient(self.address, self.token(name))

    def token(self, name: str) -> str:
        """A new token of a student, made on their page."""
        client, form = self.enter(self.codes[name])
        made = client.post("/mine/token", data={"form": form}).text
        client.close()
        token = re.search(r"pips_[\w-]{20,}", made)
        assert token is not None, made
        return token[0]

    def enter(self, code: str) -> tuple[httpx.Client, str]:
        """A visitor, and what their forms carry."""
        client = httpx.Client(base_url=self.address, follow_redirects=True, timeout=60)
        found = re.search(r'name="form" value="([0-9a-f]{64})"', client.post("/enter", data={"code": code}).text)
        assert found is not None
        return client, found[1]


def write_bot(folder: Path, number: int) -> Path:
    """A bot's file, each with other words in it."""
    path = folder / f"bot{number}.py"
    path.write_text(f"# of student {number}\n{SOURCES[number % len(SOURCES)]}", encoding="utf-8")
    return path
