"""A desk for end-to-end tests: a league's folder, commands run in it, processes."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import chdir, closing, suppress
from pathlib import Path

import psutil
import pytest
from click.testing import CliRunner

from pips_tourney.cli.tourney import main
from tests.machine import Stopwatch
from tests.patience import PATIENCE_S

BOTS = Path(__file__).with_name("bots")
GONE_S = 2.0
"""How long a runner's processes may live after its end, in time the machine had."""


class Desk:
    """A folder with a short path, as Unix sockets need."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="pe-", dir="/tmp"))
        self.folder.chmod(0o755)  # as leagues are, which only a fence hides
        self._runners: list[subprocess.Popen[str]] = []
        (self.folder / "secret").write_text("a5" * 32, encoding="ascii")

    def league(self, *bots: str, deals: int | None = 3, tables: int = 4, more: str = "") -> None:
        """Write a league with few tables, so that results come one after the other.

        If `deals` is None, the file does not give their number. Bots are `NAME=SAMPLE`,
        `NAME=FILE` for a file beside this one, or `NAME=COMMAND LINE`.
        """
        count = "" if deals is None else f'deals = {{ suite = "quick", count = {deals} }}'
        lines = ['games = ["serpent"]', count, f"tables = {tables}", more]
        for name, what in (bot.split("=", 1) for bot in bots):
            lines += ["[[bots]]", f'name = "{name}"', self._program(what)]
        (self.folder / "night.toml").write_text("\n".join(lines), encoding="utf-8")

    def _program(self, what: str) -> str:
        if (BOTS / what).is_file():
            shutil.copy(BOTS / what, self.folder)
            return f'command = "python {what}"\ntrusted = true'
        return f'command = "{what}"\ntrusted = true' if " " in what or "/" in what else f'sample = "{what}"'

    def begin(self, *words: str, program: Sequence[str] = ("-m", "pips_tourney")) -> subprocess.Popen[str]:
        """Run `pips-tourney` with these words; its temporary files go here."""
        runner = subprocess.Popen(
            [sys.executable, *program, *words],
            cwd=self.folder,
            env={**os.environ, "TMPDIR": str(self.folder)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert runner.stdout is not None
        fcntl.fcntl(runner.stdout, fcntl.F_SETPIPE_SZ, 1 << 20)  # standings of many bots, read at the end
        self._runners.append(runner)
        return runner

    def tell(self, *words: str, status: int = 0) -> str:
        """Return what `pips-tourney` prints that plays nothing, run in this process.

        Where it ends with another status than 0, that is what it prints as an error.
        """
        with chdir(self.folder):
            ended = CliRunner().invoke(main, words, catch_exceptions=False)
        assert ended.exit_code == status, ended.output
        return ended.stderr if status else ended.stdout

    def play(self, *options: str) -> subprocess.Popen[str]:
        """Play a night with the secret file, printed as JSON. Unless told, one arena
        plays it: each starts every bot.
        """
        arenas = () if "--arenas" in options else ("--arenas", "1")
        return self.begin("run", "night.toml", "--secret-file", "secret", "--json", *arenas, *options)

    def results(self, database: str = "night.db") -> int:
        """Return how many results are stored."""
        path = self.folder / database
        if not path.is_file():
            return 0
        with closing(sqlite3.connect(path)) as connection:
            try:
                (count,) = connection.execute("SELECT count(*) FROM results").fetchone()
            except sqlite3.OperationalError:  # the database is being made
                return 0
        return int(count)

    def left(self) -> list[psutil.Process]:
        """Return the living processes of this desk."""
        found = []
        for process in psutil.process_iter():
            try:
                words = [*process.cmdline(), *process.environ().values()]
                if process.status() != psutil.STATUS_ZOMBIE and any(str(self.folder) in word for word in words):
                    found.append(process)
            except psutil.Error:
                continue
        return found

    def named(self, word: str) -> list[psutil.Process]:
        """Return those whose command line contains this word."""
        found = []
        for process in self.left():
            with suppress(psutil.Error):
                if any(word in part for part in process.cmdline()):
                    found.append(process)
        return found

    def bots(self) -> list[psutil.Process]:
        """Return those that are bots, by what they were given."""
        found = []
        for process in self.left():
            with suppress(psutil.Error):
                if "PIPS_TOKEN_FD" in process.environ():
                    found.append(process)
        return found

    def assert_nothing_is_left(self) -> None:
        wait_until(lambda: not self.left(), f"{self.left()} are left", GONE_S)
        assert not list(self.folder.glob("pips-*"))

    def is_running(self) -> bool:
        """Return whether any command that was begun here has not ended."""
        return any(runner.poll() is None for runner in self._runners)

    def said(self) -> str:
        """Return what those that have ended said on standard error."""
        return "".join(runner.communicate()[1] for runner in self._runners)

    def clear(self) -> None:
        for process in self.left():
            process.kill()
        for runner in self._runners:
            runner.communicate(timeout=PATIENCE_S)
        shutil.rmtree(self.folder, ignore_errors=True)


@pytest.fixture
def desk() -> Iterator[Desk]:
    desk = Desk()
    yield desk
    desk.clear()


def finish(process: subprocess.Popen[str], status: int = 0) -> tuple[str, str]:
    """Wait for a process to end with this status; return what it printed."""
    out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == status, err
    return out, err


def wait_for_results(desk: Desk, more_than: float) -> None:
    """Wait until more results are stored, or every runner has ended: none will come."""
    wait_until(
        lambda: desk.results() > more_than or not desk.is_running(),
        f"no more than {more_than} results were stored",
    )
    assert desk.results() > more_than, desk.said()


def kill(process: subprocess.Popen[str], number: signal.Signals = signal.SIGKILL) -> None:
    process.send_signal(number)
    if number == signal.SIGKILL:
        process.communicate(timeout=PATIENCE_S)


def wait_until(holds: Callable[[], bool], what: str, patience_s: float = PATIENCE_S) -> None:
    """Wait until it holds: real processes take real time."""
    watch = Stopwatch()
    while not holds():
        assert watch.had_s() < patience_s, what
        time.sleep(0.005)
