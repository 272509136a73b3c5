"""The command line: what it prints, and how it ends."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from pips_tourney.arena.starting import StartFailure
from pips_tourney.engines import BotsDidNotStart, EngineError, Job
from pips_tourney.play import crew as crew_module
from tests.pips_tourney.cli.conftest import Terminal
from tests.pips_tourney.in_process import InProcessEngine


def test_run_standings_and_verify(terminal: Terminal) -> None:
    run = terminal.type("run", "night.toml")
    assert run.exit_code == 0
    assert "Test night: serpent" in run.stdout
    assert "Test night: 2 bots (ada, bo), serpent (2 seats), 3 deals" in run.stderr
    assert "6 of 6 matches to play" in run.stderr
    assert "The secret's SHA-256 is " in run.stderr
    for night in ("night.toml", "night.db"):
        shown = terminal.type("standings", night)
        assert (shown.exit_code, shown.stdout) == (0, run.stdout)
    assert "probability" in terminal.type("standings", "night.db", "--full").stdout
    verified = terminal.type("verify", "night.db")
    assert verified.exit_code == 0
    assert verified.stdout.startswith("6 results verified; the night's digest is ")
    assert verified.stdout.split()[-1] in run.stderr


def test_a_forged_result_is_named_and_ends_with_1(terminal: Terminal) -> None:
    terminal.type("run", "night.toml")
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect("night.db")) as connection, connection:
        (match,) = connection.execute("SELECT id FROM results LIMIT 1").fetchone()
        connection.execute("UPDATE results SET scores = '[0,99]' WHERE id = ?", (match,))
    connection.close()
    verified = terminal.type("verify", "night.toml")
    assert verified.exit_code == 1
    assert f"match {match}: its row does not say what its record says: scores" in verified.stderr
    assert "2 problems in 6 results" in verified.stderr


def test_json_and_csv_are_alone_on_standard_output(terminal: Terminal) -> None:
    told = terminal.type("run", "night.toml", "--json")
    assert json.loads(told.stdout)["complete"] is True
    assert terminal.type("standings", "night.db", "--json").stdout == told.stdout
    assert terminal.type("export", "night.db", "--as", "csv").stdout.startswith("table,rank,bot,elo")
    assert "median_ms" in terminal.type("export", "night.db", "--as", "csv", "--timings").stdout


def test_the_database_can_be_elsewhere(terminal: Terminal) -> None:
    assert terminal.type("run", "night.toml", "--db", "x.db").exit_code == 0
    assert Path("x.db").exists() and not Path("night.db").exists()


def test_a_new_night_says_where_the_old_one_is(terminal: Terminal) -> None:
    terminal.type("run", "night.toml")
    again = terminal.type("run", "night.toml", "--new")
    assert "The night before this one is now night.1.db" in again.stderr


def test_mistakes_end_with_2(terminal: Terminal) -> None:
    terminal.league.write_text("games = 1", encoding="utf-8")
    told = terminal.type("run", "night.toml")
    assert told.exit_code == 2
    assert "night.toml: 2 mistakes" in told.stderr
    assert terminal.type("standings", "night.db").exit_code == 2
    assert terminal.type("run", "nowhere.toml").exit_code == 2


class _Failing:
    def __init__(self, error: EngineError) -> None:
        self._error = error

    async def play(self, job: Job) -> None:
        raise self._error


def test_bots_that_did_not_start_are_shown_with_their_last_lines(terminal: Terminal) -> None:
    lines = "\n".join(f"line \x1b[{number}m" for number in range(30))
    failures = [StartFailure("bo/serpent/0", "exit status 1", lines + "\n"), StartFailure("ada/serpent/0", "late", "")]
    told = terminal.type("run", "night.toml", engine=_Failing(BotsDidNotStart(failures)))
    assert told.exit_code == 2
    shown = told.stderr[told.stderr.index("Error: ") :].splitlines()
    assert shown[:5] == [
        "Error: no match was played, for these bots did not start:",
        "  ada (serpent): late",
        "    (it printed nothing)",
        "    What to do: Start it by hand to see more.",
        "  bo (serpent): exit status 1",
    ]
    assert shown[5:-1] == [f"    | line \\x1b[{number}m" for number in range(18, 30)]
    assert shown[-1] == "    What to do: Fix what it says there; the last line tells what it is."


def test_a_lost_arena_ends_with_2_and_its_reason(terminal: Terminal) -> None:
    told = terminal.type("run", "night.toml", engine=_Failing(EngineError("an arena was lost 3 times in a row: why")))
    assert told.exit_code == 2
    assert "an arena was lost 3 times in a row: why" in told.stderr


def test_a_dry_run_plays_nothing(terminal: Terminal) -> None:
    told = terminal.type("run", "night.toml", "--dry-run", "--arenas", "3")
    assert told.exit_code == 0, told.output
    assert told.stdout.startswith("6 matches with about ")
    assert "on 3 arenas with up to 18 processes at once" in told.stdout
    assert not Path("night.db").exists()


def test_progress_moves_for_people_alone(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    from pips_tourney.cli.nights.progress import Progress
    from pips_tourney.play.evening import RunConfig
    from pips_tourney.play.runner import run_night

    class Screen(io.StringIO):
        def isatty(self) -> bool:
            return True

    shown: list[str] = []
    for screen in (Screen(), io.StringIO()):
        monkeypatch.setattr(sys, "stderr", screen)
        monkeypatch.setattr(crew_module, "make_engine", lambda *_: InProcessEngine())
        progress = Progress()
        progress.stored([])
        run_night(RunConfig(terminal.league, Path(f"{len(shown)}.db")), progress)
        shown.append(screen.getvalue())
    on_screen, in_a_log = shown
    assert "6/6" in on_screen and "6/6" not in in_a_log and "\r" not in in_a_log


def test_the_only_night_of_a_folder_need_not_be_named_anywhere(terminal: Terminal) -> None:
    terminal.type("run", "night.toml")
    for words in (
        ["standings"],
        ["standings", "--full"],
        ["verify"],
        ["status"],
        ["audit", "--quick"],
        ["report", "-o", "r"],
    ):
        assert terminal.type(*words).exit_code == 0, words
    [match] = {line.split()[0] for line in terminal.type("export", "--as", "pgn").stdout.split('Round "')[1:2]}
    assert "No faults: it was won and lost by play." in terminal.type("explain", match.strip('"]')).stdout
    named = terminal.type("standings").stdout.rstrip().splitlines()[-1].partition(": ")[2].split()
    assert terminal.type(*named[1:]).exit_code == 0  # the command that the text ends with
    Path("other.db").write_bytes(Path("night.db").read_bytes())
    for words in (["standings"], ["verify"], ["report"], ["explain", match]):
        told = terminal.type(*words)
        assert (told.exit_code, "which night?" in told.stderr) == (2, True), words


def test_status_says_what_an_added_bot_brings(terminal: Terminal) -> None:
    terminal.type("run", "night.toml")
    assert "complete, 6 of 6" in terminal.type("status").stdout
    terminal.type("add", "greedy")
    said = terminal.type("status").stdout
    assert "stopped, 6 of 6" in said
    assert "The next run plays 12 more matches, of greedy" in said
    assert json.loads(terminal.type("status", "--json").stdout)["more"] == 12
    terminal.type("run", "night.toml")
    assert "complete, 18 of 18" in terminal.type("status").stdout
