"""What entering a league asks of a bot, without processes; tests/e2e has them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from pips_tourney.arena.exchange import ArenaLost
from pips_tourney.bots import found
from pips_tourney.bots.found import BotProblem
from pips_tourney.sandbox.tiers import SandboxError
from pips_tourney.workshop.checks import check as module
from pips_tourney.workshop.checks.check import check
from pips_tourney.workshop.checks.check_report import Report
from pips_tourney.workshop.checks.class_check import check_in_league
from pips_tourney.workshop.duels import in_process
from pips_tourney.workshop.duels.in_process import Spoilt
from tests.pips_tourney.fences import hide_fences
from tests.pips_tourney.workshop.conftest import SERPENT, Write

TWO_GAMES = """
from pips_sdk.pippip import PippipBot
from pips_sdk.serpent import SerpentBot

class Three(PippipBot): pass
class Two(SerpentBot): pass
"""


def checked(word: str) -> Report:
    return check(word, in_process=True, answer_ms=1000)


def test_every_game_it_claims_is_played_from_every_seat(write: Write) -> None:
    write("both.py", TWO_GAMES)
    report = checked("both.py")
    assert report.ok
    assert [(game.game, game.seats, game.matches) for game in report.games] == [("pippip", 3, 6), ("serpent", 2, 4)]
    assert report.games[0].opponents == ["greedy", "house greedy"]
    lines = list(report.lines())
    assert lines[0].startswith("✓ pippip, 3 seats: 6 matches against greedy and house greedy, ")
    assert lines[-1] == "both is ready for a league."


def test_the_deals_are_always_the_same(write: Write) -> None:
    write("mine.py", f"{SERPENT}    pass\n")
    assert checked("mine.py").as_json() == checked("mine.py").as_json()


def test_the_report_as_json(write: Write) -> None:
    write("mine.py", f"{SERPENT}    def lead(self, view):\n        return 7\n")
    report = json.loads(json.dumps(checked("mine.py").as_json()))
    assert report["ok"] is False
    assert report["games"] == [
        {
            "game": "serpent",
            "seats": 2,
            "opponents": ["greedy"],
            "matches": 4,
            "won": 0,
            "faults": 4,
            "slowest_ms": None,
        }
    ]
    [problem] = report["problems"]
    assert re.fullmatch(r"It failed at question \d \(lead\) of a match of Serpent\.", problem["what"])
    assert "MyBot.lead() must return one Card, such as view.playable[0], but it returned 7" in problem["where"]
    assert "(at mine.py:4)" in problem["where"]
    assert problem["todo"] == "Return what the sentence above asks for."


def test_what_is_wrong_with_the_file_is_a_problem_of_the_report(write: Write) -> None:
    write("mine.py", "import numpie\n")
    report = checked("mine.py")
    lines = list(report.lines())
    assert "    mine.py, line 1: ModuleNotFoundError: No module named 'numpie'" in lines
    assert lines[-1] == "mine is not ready: one thing to fix, then check again."


def test_what_it_prints_is_noted(write: Write) -> None:
    write("mine.py", f"{SERPENT}    def give(self, view):\n        print('hello')\n        return view.playable[:3]\n")
    report = checked("mine.py")
    assert report.ok
    _, printed = report.notes
    assert printed.startswith("it prints, for example 'hello': in a league nobody reads that")
    assert printed.endswith("goes to stderr: print(..., file=sys.stderr)")


def test_a_loop(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PATIENCE_S", 1.0)
    write("mine.py", f"{SERPENT}    def lead(self, view):\n        while True:\n            pass\n")
    report = checked("mine.py")
    assert [(game.matches, game.faults) for game in report.games] == [(1, 1)]
    assert report.problems[0].what.startswith("MyBot did not answer question ")
    assert next(report.lines()).startswith("✗ serpent")


def test_an_action_that_no_message_holds_is_a_problem_of_the_report(write: Write) -> None:
    text = "from pips_sdk.dominion import Deploy, DominionBot\nclass Mine(DominionBot):\n"
    write("mine.py", f"{text}    def deploy(self, view):\n        return Deploy(view.deployments[0].cell, -4)\n")
    [problem] = checked("mine.py").problems
    assert "Mine.deploy() must return one of view.deployments, or None, but it returned Deploy(" in problem.where
    assert "(at mine.py:3)" in problem.where
    assert problem.todo == "Return what the sentence above asks for."


def test_a_bot_that_ends_the_program_is_not_ready(write: Write) -> None:
    write("mine.py", f"import sys\n{SERPENT}    def lead(self, view):\n        sys.exit()\n")
    report = checked("mine.py")
    assert not report.ok
    [problem] = report.problems
    assert "SystemExit: the bot ended the program (at mine.py:6)" in problem.where
    assert problem.todo.startswith("Answer every question: a bot goes on until `run` is done with it")


@pytest.mark.xdist_group("processes")
@pytest.mark.parametrize("word", ["mine/bot.py", "mine"])
def test_its_file_is_read_in_the_sandbox_alone(write: Write, folder: Path, word: str) -> None:
    """Code outside of the class runs when a file is read.

    Here it would leave a mark on the disk and in the log.
    """
    mark = folder / "outside"
    write("mine/bot.py", f"try:\n    open({str(mark)!r}, 'w')\nexcept OSError:\n    pass\n{SERPENT}    pass\n")
    report = check(word, in_process=False, answer_ms=5000)
    assert report.ok and [game.game for game in report.games] == ["serpent"]
    assert mark.exists() is any(note.startswith("No fence: ") for note in report.notes)


@pytest.mark.xdist_group("processes")
def test_an_author_s_own_bot_is_checked_where_there_is_no_fence(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On the author's word: as root too, and below a home that is closed to others."""
    hide_fences(monkeypatch)
    write("mine/bot.py", f"{SERPENT}    pass\n")
    report = check("mine", in_process=False, answer_ms=5000)
    assert report.ok and report.notes[0].startswith("No fence: the bots play on trust")
    (league := tmp_path / "class.toml").write_text('game = "serpent"\nbots = "submissions/*"\n', encoding="utf-8")
    as_the_league = check_in_league("mine", league, by_its_author=True)
    assert as_the_league.ok and as_the_league.notes[0].startswith("No fence: ")
    with pytest.raises(SandboxError, match="mine is a stranger's bot"):
        check_in_league("mine", league)  # as a place checks what was handed in


def test_no_process_outside_of_the_sandbox_describes_it(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbid(*_: object) -> None:
        raise AssertionError("a bot's file is read without a sandbox")

    write("mine/bot.py", f"{SERPENT}    pass\n")
    monkeypatch.setattr(found, "_read", forbid)
    assert check("mine", in_process=False, answer_ms=5000).ok


def test_a_folder_that_a_league_would_not_take_is_not_checked(write: Write, folder: Path) -> None:
    write("mine/bot.py", f"{SERPENT}    pass\n")
    (folder / "mine/out").symlink_to("/etc")
    with pytest.raises(BotProblem, match=r"^mine: out is a link to '/etc', out of the bot's folder"):
        check("mine", in_process=False, answer_ms=1000)


def test_a_sample_bot_is_no_bot_of_ones_own() -> None:
    with pytest.raises(BotProblem, match=r"^greedy is a sample bot, and those are checked"):
        checked("greedy")


def test_a_machine_that_fails(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(*_: object) -> None:
        raise ArenaLost("no memory")

    write("mine.py", f"{SERPENT}    pass\n")
    monkeypatch.setattr(module, "_check_processes", fail)
    with pytest.raises(Spoilt, match=r"^no memory$"):
        check("mine.py", in_process=False, answer_ms=1000)


def test_without_linux_a_program_cannot_be_checked() -> None:
    with pytest.raises(BotProblem, match=r"^sh is a program of its own: in this process only Python files can be"):
        checked("sh -c true")


def test_the_watchdog_is_as_patient_as_can_be_expected() -> None:
    assert in_process.PATIENCE_S >= 10
