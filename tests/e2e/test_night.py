"""League nights with real referees and bots: played, stopped, resumed, verified."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import closing

import psutil
import pytest

from pips_referee.command.interrupted import SENTENCE
from tests.e2e.desk import Desk, finish, kill, wait_for_results, wait_until
from tests.patience import PATIENCE_S

THREE = ("ada=random", "bo=greedy", "cy=slow_bot.py")
"""With the third bot a night of 60 matches is long enough to be stopped midway."""


@pytest.fixture(scope="module")
def undisturbed() -> Iterator[str]:
    """The standings of an undisturbed night of those three bots, on one arena."""
    desk = Desk()
    desk.league(*THREE, deals=10)
    yield finish(desk.play())[0]
    desk.clear()


def test_a_night_is_played_shown_and_verified_and_leaves_nothing_behind(desk: Desk) -> None:
    desk.league(*THREE)
    out, err = finish(desk.play("--arenas", "2"))
    table = json.loads(out)["tables"][0]
    assert table["scheduled"] == table["counted"] == 18
    assert {row["bot"] for row in table["rows"]} == {"ada", "bo", "cy"}
    assert "18 of 18 matches to play" in err
    desk.assert_nothing_is_left()
    assert desk.tell("standings", "night.toml", "--json") == out
    verified = desk.tell("verify", "night.db")
    digest = verified.split()[-1]
    assert verified.startswith("18 results verified")
    assert digest in err
    again, err = finish(desk.play())
    assert again == out
    assert "complete already" in err and "--new" in err


@pytest.mark.parametrize("arenas", [1, pytest.param(2, marks=pytest.mark.long)])
def test_killed_again_and_again_a_night_ends_as_if_nothing_had_happened(
    desk: Desk, undisturbed: str, arenas: int
) -> None:
    desk.league(*THREE, deals=10)
    for share in (0.1, 0.5):
        before = desk.results()
        runner = desk.play("--arenas", str(arenas))
        wait_for_results(desk, max(before, share * 60))
        kill(runner)
        desk.assert_nothing_is_left()
        assert before < desk.results() < 60
    stored = desk.results()
    pieces, err = finish(desk.play("--arenas", str(3 - arenas)))
    assert f"{60 - stored} of 60 matches to play" in err
    assert pieces == undisturbed
    desk.tell("verify", "night.db")


@pytest.mark.parametrize(
    ("word", "number"),
    [
        pytest.param("pips_tourney.arena.keeper", signal.SIGINT, marks=pytest.mark.long),
        ("pips_tourney.arena.keeper", signal.SIGKILL),
        ("pips_referee.cli", signal.SIGTERM),
        pytest.param("pips_referee.cli", signal.SIGKILL, marks=pytest.mark.long),
    ],
)
def test_ended_while_it_loads_a_runner_leaves_nothing(desk: Desk, word: str, number: signal.Signals) -> None:
    """Its arenas have begun by then."""
    desk.league(*THREE)
    runner = desk.play("--arenas", "2")
    wait_until(lambda: bool(desk.named(word)), f"no {word}")
    kill(runner, number)
    runner.communicate(timeout=PATIENCE_S)
    desk.assert_nothing_is_left()


def test_a_wrong_league_ends_what_was_begun(desk: Desk) -> None:
    desk.league("ada=random", "ada=random")
    _, err = finish(desk.play(), 2)
    assert "ada" in err
    assert not desk.left()
    assert not list(desk.folder.glob("pips-*"))


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.long)])
def test_a_signal_ends_a_night_that_can_go_on(desk: Desk, number: signal.Signals) -> None:
    desk.league(*THREE, deals=6)
    runner = desk.play("--arenas", "2")
    wait_for_results(desk, 0)
    kill(runner, number)
    out, err = finish(runner, 130)
    assert "all results are kept in night.db. Go on with: pips-tourney run night.toml" in err
    desk.assert_nothing_is_left()
    stored = desk.results()
    assert stored == json.loads(out)["tables"][0]["played"]
    _, err = finish(desk.play())
    assert f"{36 - stored} of 36 matches to play" in err


@pytest.mark.parametrize("number", [pytest.param(signal.SIGINT, marks=pytest.mark.long), signal.SIGTERM])
def test_a_signal_while_a_million_matches_are_counted(desk: Desk, number: signal.Signals) -> None:
    """The runner ends at once: it does not count to the end or print a traceback."""
    bots = "".join(f'{{ name = "b{number}", sample = "random" }},' for number in range(16))
    text = f'games = ["serpent"]\ndeals = {{ count = 20000 }}\nbots = [{bots}]\n'
    (desk.folder / "night.toml").write_text(text, encoding="utf-8")
    runner = desk.play()
    assert runner.stderr is not None
    assert runner.stderr.readline().startswith("Counting the matches of this night: up to 4,800,000.")
    kill(runner, number)
    out, err = finish(runner, 130)
    assert (out, err.splitlines()[-1]) == ("", SENTENCE)
    assert "Traceback" not in err  # Python 3.11.2 may print a line again that the signal came into


def test_two_runners_do_not_share_a_night(desk: Desk) -> None:
    desk.league(*THREE, deals=20, tables=1)
    runner = desk.play()
    wait_for_results(desk, 0)
    _, err = finish(desk.play(), 2)
    assert f"another runner (process {runner.pid}) is playing this night" in err
    kill(runner)
    desk.assert_nothing_is_left()


def test_bots_that_do_not_start_are_named_before_any_match(desk: Desk) -> None:
    desk.league(
        "ada=random",
        "nofile=./nowhere --deep",
        "exits=python -c 'import sys; sys.exit(\\\"I need a brain\\\")'",
        "silent=sleep 600",
        more="startup_ms = 1500",
    )
    _, err = finish(desk.play(), 2)
    assert "no match was played" in err
    told = err[err.index("no match was played") :].splitlines()
    assert told[1:3] == ["  exits (serpent): exit status 1", "    | I need a brain"]
    assert told[4].startswith("  nofile (serpent): could not be started: there is no ./nowhere")
    assert told[7].startswith("  silent (serpent): said no hello within 1.5 s")
    assert told[8] == "    (it printed nothing)"
    assert told[9].startswith("    What to do: Does it loop, compute for long or wait for input")
    assert desk.results() == 0
    desk.assert_nothing_is_left()


@pytest.mark.parametrize("end", ["the night's end", "kill -9"])
def test_a_bot_that_daemonises_is_ended_with_the_others(desk: Desk, end: str) -> None:
    desk.league("ada=slow_bot.py", "bo=daemon_bot.py", deals=10 if end == "kill -9" else 1)
    runner = desk.play()
    if end == "kill -9":
        wait_for_results(desk, 0)
        wait_until(lambda: len(desk.named("daemon_bot")) >= 2, "no bot has its daemon")
        kill(runner)
    else:
        finish(runner)
    desk.assert_nothing_is_left()


def test_a_bot_that_crashes_loses_that_match_and_plays_the_others(desk: Desk) -> None:
    desk.league("ada=random", "bo=crashing_bot.py", deals=10)
    finish(desk.play())
    out = desk.tell("export", "night.db", "--as", "json", "--timings")
    table = json.loads(out)["tables"][0]
    rows = {row["bot"]: row for row in table["rows"]}
    crashes = rows["bo"]["faults"].pop("crash")
    assert rows["bo"]["faults"] == rows["ada"]["faults"] == {}
    assert 0 < crashes < 20 == table["counted"]
    desk.tell("verify", "night.db")
    with closing(sqlite3.connect(desk.folder / "night.db")) as connection:
        records = [record for (record,) in connection.execute("SELECT record FROM results WHERE faults != '[]'")]
    assert len(records) == crashes
    assert all(b"exit status 7" in record and b"my last words" in record for record in records)
    desk.assert_nothing_is_left()


@pytest.mark.parametrize(
    "victim", [pytest.param("pips_tourney.arena.keeper", marks=pytest.mark.long), "pips_referee.cli"]
)
def test_when_an_arena_is_killed_its_matches_are_played_again(desk: Desk, undisturbed: str, victim: str) -> None:
    desk.league(*THREE, deals=10, tables=1)
    runner = desk.play("--arenas", "2")
    for share in (0.1, 0.4):
        wait_for_results(desk, share * 60)
        desk.named(victim)[0].kill()
    pieces, _ = finish(runner)
    assert pieces == undisturbed
    with closing(sqlite3.connect(desk.folder / "night.db")) as connection:
        voids = [
            json.loads(payload) for (payload,) in connection.execute("SELECT payload FROM log WHERE kind = 'void'")
        ]
    assert voids and all("ended" in void["why"] or "lost" in void["why"] for void in voids)
    desk.assert_nothing_is_left()


def test_arenas_are_pinned_to_the_allowed_cores(desk: Desk) -> None:
    desk.league(*THREE, deals=10)
    runner = desk.play("--arenas", "2")
    wait_for_results(desk, 0)
    others = [process for process in desk.left() if process.pid != runner.pid]
    pinned = [process.cpu_affinity() for process in others if process.ppid() != runner.pid]
    assert all(len(cores) == 1 for cores in pinned)
    assert len({cores[0] for cores in pinned}) == min(2, len(os.sched_getaffinity(0)))
    assert psutil.Process(runner.pid).memory_info().rss < 200e6
    kill(runner)
    desk.assert_nothing_is_left()


def test_what_was_killed_all_at_once_is_cleared_by_the_next_run(desk: Desk) -> None:
    """Runner and keepers die together, and the bots with them.

    A daemon and the arena's folder remain until the next run.
    """
    desk.league("ada=slow_bot.py", "bo=daemon_bot.py", deals=10, more='sandbox = "none"')
    runner = desk.play()
    wait_for_results(desk, 0)
    for process in [*desk.named("pips_tourney.arena.keeper"), psutil.Process(runner.pid)]:
        process.suspend()
    for process in [*desk.named("pips_tourney.arena.keeper"), psutil.Process(runner.pid)]:
        process.kill()
    runner.communicate()
    assert desk.named("daemon_bot")
    assert list(desk.folder.glob("pips-*"))
    stored = desk.results()
    _, err = finish(desk.play())
    assert f"{20 - stored} of 20 matches to play" in err
    assert "that a killed keeper had left" in err
    desk.assert_nothing_is_left()
