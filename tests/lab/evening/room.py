"""The teacher's room: a folder, commands typed in it, and pages that are looked at."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from tests.e2e.desk import Desk, wait_until
from tests.patience import PATIENCE_S

DEFECTS: Final = (
    *(f"W{number}" for number in range(1, 18)),
    *(f"D{number}" for number in range(1, 16)),
    *(f"F{number}" for number in range(1, 7)),
    *("C5", "C15", "C17", "C20", "C21", "H3", "M3", "acts"),
)
"""W: of the evening. D: of a course on a place; F: what was in its way. The last ones
are of commands, of proxies, of requests, and of what students and organisers may do."""
SOON_S: Final = 90.0
"""How long a page may take to hold what is waited for."""
BOT: Final = ("-c", "from pips_tourney.cli.bot import main; main()")


@dataclass
class Findings:
    """By defect, how it was shown to be gone, or what was found instead."""

    gone: dict[str, list[str]] = field(default_factory=dict)
    wrong: dict[str, list[str]] = field(default_factory=dict)

    def shown(self, defect: str, how: str) -> None:
        self.gone.setdefault(defect, []).append(how)

    @contextmanager
    def step(self, *defects: str) -> Iterator[None]:
        """Note what goes wrong, and go on with the evening."""
        try:
            yield
        except Exception as error:  # noqa: BLE001 - the evening goes on, and the table says so
            told = " ".join(f"{type(error).__name__}: {error}".split())[:300]
            print(f"{', '.join(defects)}: {told}", flush=True)
            for defect in defects:
                self.wrong.setdefault(defect, []).append(told)

    def lines(self) -> Iterator[str]:
        """The table: a line for each defect."""
        for defect in DEFECTS:
            if defect in self.wrong:
                yield f"{defect:4} NOT gone: {'; '.join(self.wrong[defect])}"
            elif defect in self.gone:
                yield f"{defect:4} gone: {'; '.join(self.gone[defect])}"
            else:
                yield f"{defect:4} NOT shown"

    @property
    def ok(self) -> bool:
        return not self.wrong and len(self.gone) == len(DEFECTS)


@dataclass
class Typed:
    """A command that has ended."""

    out: str
    err: str
    status: int

    @property
    def said(self) -> str:
        return " ".join(f"{self.out} {self.err}".split())


class Room:
    """A desk at which commands are typed one after another."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.folder = desk.folder

    def type(self, *words: str, bot: bool = False, status: int | None = 0) -> Typed:
        """Type a command and wait for its end; check its exit code."""
        process = self.desk.begin(*words, **({"program": BOT} if bot else {}))
        out, err = process.communicate(timeout=PATIENCE_S)
        ended = Typed(out, err, process.returncode)
        assert status is None or ended.status == status, f"{' '.join(words)} ended with {ended.status}: {ended.said}"
        assert "Traceback" not in err, f"{' '.join(words)} printed a traceback: {err[-300:]}"
        return ended

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text, encoding="utf-8")

    def status(self, night: str) -> dict[str, Any]:
        return dict(json.loads(self.type("status", night, "--json").out))


@dataclass
class Pages:
    """A command that serves pages, and what it has printed so far."""

    process: subprocess.Popen[str]
    said: Path
    base: str = ""

    def get(self, path: str = "", method: str = "GET", body: object = None) -> tuple[int, str]:
        """The status and the text of an answer."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json", "Origin": self.base.rstrip("/")}
        try:
            with urlopen(Request(f"{self.base}{path}", data, headers, method=method), timeout=PATIENCE_S) as answer:
                return answer.status, answer.read().decode()
        except HTTPError as error:
            return error.code, error.read().decode()

    def about(self) -> dict[str, Any]:
        """What a page that is opened now holds."""
        _, page = self.get()
        [inside] = re.findall(r'id="about">(.*?)</script>', page, re.DOTALL)
        return dict(json.loads(inside))

    def until(self, holds: Callable[[dict[str, Any]], bool], what: str) -> dict[str, Any]:
        """Open the page until it holds something."""
        found: list[dict[str, Any]] = []

        def look() -> bool:
            time.sleep(0.1)
            found[:] = [self.about()]
            return holds(found[0])

        wait_until(look, what, SOON_S)
        return found[0]

    def text(self) -> str:
        return self.said.read_text(encoding="utf-8", errors="replace")

    def stop(self) -> int:
        """Ctrl-C, and the exit code."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(PATIENCE_S)


@contextmanager
def serving(room: Room, *words: str, name: str) -> Iterator[Pages]:
    """A command that serves pages on a free port; it is ended at the latest here."""
    said = room.folder / f"{name}.log"
    with said.open("w", encoding="utf-8") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "pips_tourney", *words], cwd=room.folder, stdout=log, stderr=subprocess.STDOUT,
            text=True, start_new_session=True,
        )  # fmt: skip
    pages = Pages(process, said)
    try:
        wait_until(lambda: process.poll() is not None or "http://" in pages.text(), f"{name} serves nothing")
        assert process.poll() is None, pages.text()[-500:]
        pages.base = re.findall(r"(http://\S+/)", pages.text())[0]
        yield pages
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait(PATIENCE_S)
