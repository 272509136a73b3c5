"""The teacher's page about a course, walked through by its text."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Final, TypeVar

import pytest

from tests.lab.place.opened import SOURCES, OpenedPlace
from tests.patience import PATIENCE_S

PAGE: Final = (Path(__file__).parents[2] / "docs" / "course.md").read_text(encoding="utf-8")
WRITTEN: Final = re.findall(r"^```\w+ (\S+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
COMMANDS: Final = re.findall(r"^```text\n(pips-.*?)\n```$", PAGE, re.MULTILINE)
T = TypeVar("T")
BOLD: Final = re.findall(r"\*\*([^*]+)\*\*", PAGE.replace("\n", " "))


def run(words: list[str], folder: Path) -> str:
    """Run a command of the page; what it printed."""
    program = "from pips_tourney.cli.bot import main; main()" if words[0] == "pips-bot" else ""
    begin = [sys.executable, "-c", program] if program else [sys.executable, "-m", "pips_tourney"]
    ran = subprocess.run(
        [*begin, *words[1:]], cwd=folder, capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    assert ran.returncode == 0, (words, ran.stdout, ran.stderr)
    return ran.stdout


@pytest.mark.long
@pytest.mark.xdist_group("processes")
def test_the_course_goes_as_its_page_says() -> None:
    with tempfile.TemporaryDirectory(prefix="pc-", dir="/tmp") as name:
        folder = Path(name)
        for file, text in WRITTEN:
            (folder / file).write_text(text, encoding="utf-8")
        serve, submit, verify, annul, site = map(shlex.split, COMMANDS)
        assert serve[:5] == ["pips-tourney", "serve", "class.toml", "--roster", "roster.csv"]
        place = OpenedPlace(folder, 4)
        with ExitStack() as stack:
            stack.callback(place.close)
            place.open()
            walk(place, stack, submit, verify, annul, site)


def walk(place: OpenedPlace, stack: ExitStack, *commands: list[str]) -> None:
    """The weeks of the course, with the commands of the page."""
    submit, verify, annul, site = commands
    folder, seen = place.folder, ""
    ada, form = place.enter(place.codes["Ada Lovelace"])
    stack.callback(ada.close)
    assert re.search(r"My bot: bot \d{5}", ada.get("/mine").text)
    seen += ada.get("/mine").text
    ada.post("/mine/name", data={"form": form, "bot": "queen"})
    made = ada.post("/mine/token", data={"form": form}).text
    (token,) = re.findall(r"pips_[\w-]{20,}", made)
    (folder / "token.txt").write_text(token)
    (folder / "bot.py").write_text(SOURCES[0])
    said = run([place.address if word.startswith("http:") else word for word in submit], folder)
    assert "queen is ready" in said and "Elo" in said
    boss, mark = place.enter(place.organiser)
    stack.callback(boss.close)
    seen += boss.get("/organiser").text
    assert "Foxes" in seen
    matches = until(lambda: [row[1][:8] for row in boss.get("/night/api/matches").json()])
    until(lambda: "worst moment" in ada.get("/mine").text)
    seen += ada.get("/mine").text
    assert "Nothing was decided" in run([matches[0] if word == "MATCH" else word for word in annul], folder)
    assert "Paused" in boss.post("/organiser/pause", data={"form": mark, "reason": "a break"}).text
    boss.post("/organiser/resume", data={"form": mark})
    assert "Nothing was decided" in boss.post(
        "/organiser/withdraw", data={"form": mark, "bot": "queen", "reason": "x", "how": "preview"}
    ).text  # fmt: skip
    boss.post("/organiser/end", data={"form": mark, "night": "1"})
    until((folder / "class.1.db").exists)
    run(verify, folder)
    until(lambda: "queen" in boss.get("/api/v1/standings").text)
    boss.post("/organiser/deadline", data={"form": mark, "deadline": "2020-01-01T10:00", "at-once": "on"})
    assert "The deadline has passed" in ada.get("/mine").text
    until((folder / "class.2.db").exists)
    until(lambda: "queen" in boss.get("/organiser/grades.csv").text)
    assert boss.get("/organiser/feedback.zip").content[:2] == b"PK"
    run(site, folder)
    assert "queen" in (folder / "pages" / "site" / "index.html").read_text(encoding="utf-8")
    assert not any("Ada Lovelace" in path.read_text(encoding="utf-8") for path in (folder / "pages" / "site").iterdir())
    seen += boss.get("/organiser").text
    assert [words for words in BOLD if words not in seen] == []


def until(found: Callable[[], T]) -> T:
    """What is found, once it is there."""
    begun = time.monotonic()
    while not (what := found()):
        assert time.monotonic() - begun < PATIENCE_S
        time.sleep(0.3)
    return what
