"""`pips-bot` with real processes: up to a first result, and the faults of processes."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.patience import PATIENCE_S

pytestmark = pytest.mark.measured

COMMAND = [sys.executable, "-c", "from pips_tourney.cli.bot import main; main()"]
SERPENT = "from pips_sdk.serpent import SerpentBot\n\nclass MyBot(SerpentBot):\n"


@dataclass(frozen=True)
class Desk:
    """A bot author's folder."""

    folder: Path

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text, encoding="utf-8")

    def run(self, status: int, *words: str) -> str:
        """Return a command's output with errors; fail on another exit status."""
        ended = subprocess.run(
            [*COMMAND, *words], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, timeout=PATIENCE_S, check=False,
        )  # fmt: skip
        assert ended.returncode == status, ended.stdout
        return ended.stdout

    def checked(self, status: int, word: str, *words: str) -> dict[str, Any]:
        report: dict[str, Any] = json.loads(self.run(status, "check", word, "--json", *words))
        return report


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_from_nothing_to_a_first_result(desk: Desk) -> None:
    desk.run(0, "new", "my_bot", "--game", "serpent")
    report = desk.checked(0, "my_bot")
    assert report["ok"]
    assert report["hello_ms"] > 0
    [game] = report["games"]
    assert (game["game"], game["matches"], game["faults"]) == ("serpent", 4, 0)
    assert game["slowest_ms"] > 0
    assert [note for note in report["notes"] if not note.startswith("No fence: ")] == []
    played = desk.run(0, "play", "my_bot", "random", "-n", "20", "--seed", "first", "--save", "kept")
    here = desk.run(0, "play", "my_bot", "random", "-n", "20", "--seed", "first", "--in-process")
    *matches, slowest = played.splitlines()
    assert matches == here.splitlines(), "processes and one process play the same matches"
    assert slowest.startswith("slowest answer: my_bot ")
    assert len(list((desk.folder / "kept").iterdir())) == 20
    assert "place 1: " in desk.run(0, "watch", "my_bot", "random", "--delay", "0")


def test_what_a_bot_prints_is_found(desk: Desk) -> None:
    desk.write("mine.py", f"{SERPENT}    def lead(self, view):\n        print('I lead', view.hand)\n"
               "        return view.playable[0]\n")  # fmt: skip
    desk.run(0, "play", "mine.py", "random", "-n", "2", "--logs", "logs")
    assert sorted(file.name for file in (desk.folder / "logs").iterdir()) == [
        f"{bot}.serpent.{turn}.log" for bot in ("mine", "random") for turn in (0, 1)
    ]
    assert "\nI lead (" in (desk.folder / "logs" / "mine.serpent.1.log").read_text(encoding="utf-8")
    shown = desk.run(0, "watch", "mine.py", "random", "--delay", "0")
    assert (
        re.search(r"seat \d \(mine\), question \d+, [\d.]+ ms: lead .*\n  \| I lead \(", shown)
        and "random printed" not in shown
    )


def test_a_loop_is_ended_by_the_clock_and_its_question_is_named(desk: Desk) -> None:
    desk.write("mine.py", f"{SERPENT}    def lead(self, view):\n        while True:\n            pass\n")
    report = desk.checked(1, "mine.py", "--answer-ms", "150")
    assert report["games"][0]["faults"] == 1, "the check ends at the first"
    [problem] = report["problems"]
    assert problem["what"].startswith("No answer in time to question ")
    assert problem["what"].endswith("(lead) of a match of Serpent.")
    assert "for an answer that had 0.150 s" in problem["where"]
    assert "Is there a loop in it that never ends?" in problem["todo"]


def test_what_a_process_prints_is_noted_and_what_it_leaves_behind_is_ended(desk: Desk) -> None:
    forks = "        subprocess.Popen(['sleep', '67'], process_group=0)\n"
    desk.write("mine.py", f"import subprocess\n{SERPENT}    def on_start(self):\n        print('my turn')\n{forks}")
    report = desk.checked(0, "mine.py")
    *_, printed = report["notes"]
    assert printed.startswith("it prints, for example 'my turn'")
    assert not [process for process in psutil.process_iter(["cmdline"]) if process.info["cmdline"] == ["sleep", "67"]]


@pytest.mark.parametrize(
    ("word", "text", "told"),
    [
        ("mine.py", "import numpie\n", "mine.py, line 1: ModuleNotFoundError: No module named 'numpie'"),
        ("python mine.py", "print('good bye')\n", "| good bye"),
        ("python mine.py", "raise ValueError('no')\n", "| ValueError: no"),
    ],
)
def test_a_bot_that_does_not_start(desk: Desk, word: str, text: str, told: str) -> None:
    desk.write("mine.py", text)
    report = desk.checked(1, word)
    [problem] = report["problems"]
    assert problem["what"].startswith("The bot did not start")
    assert told in problem["where"]
    assert problem["todo"] or "install it into the Python" in problem["where"]


def test_a_meeting_with_a_bot_that_does_not_start(desk: Desk) -> None:
    desk.write("mine.py", "raise ValueError('no')\n")
    told = desk.run(2, "play", "python mine.py", "random", "--game", "serpent", "-n", "2")
    assert "Error: mine:\nThe bot did not start: exit status 1.\n" in told
    assert "| ValueError: no" in told
