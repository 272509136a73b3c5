"""The zoo: bots that do everything wrong, in leagues beside unharmed honest bots."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest

from pips_tourney.sandbox.tiers import Tier
from tests.e2e.desk import Desk, finish
from tests.faults.night import HONEST, MOST_BYTES, MOST_OVER_S, ONE_AGAINST_ALL, ZOO, Played, kinds, play, write

ON_THE_STREAM = {
    "floods_the_stream": "flood",
    "answers_twice": "wrong_question",
    "answers_an_old_question": "wrong_question",
    "answers_another_table": "wrong_question",
    "answers_for_another_seat": "wrong_question",
    "sends_garbage": "malformed",
    "sends_100_mb": "disconnect",
    "closes_half_way": "disconnect",
    "connects_twice": None,
    "calls_the_organiser": None,
    "finds_the_organiser": None,
    "opens_streams": None,
}
IN_MOVES = {
    "raises_in_move": "crash",
    "exits_in_move": "crash",
    "hangs_silently": "timeout",
    "hangs_while_printing": "timeout",
    "never_reads": "timeout",
    "sleeps_just_over": "timeout",
    "sleeps_just_under": None,
}
BESIDE = {
    "floods_stdout": "timeout",
    "floods_stderr": "timeout",
    "eats_cpu_out_of_turn": None,
    "double_forks": None,
    "ignores_sigterm": None,
    "reads_environments": None,
}
"""The fault each is charged with; None for none."""
NEVER_START = {
    "never_connects": "said no hello within",
    "never_says_hello": "said no hello within",
    "wrong_token": "the token is not one of this referee's",
    "wrong_version": "this referee speaks protocol version 1, the bot 99",
    "raises_at_import": "no brain was found",
}
BOASTERS = {"reads_database", "opens_network", "fills_tmp", "remembers_cards"}
"""Bots that get what they want as processes of the night's own user, and report it."""
UNHINDERED = {*BOASTERS, "deletes_its_folder"}
GREEDY = {"allocates_without_end": "crash"}
SUBMITTED = {
    "breeds_children",
    "hides_memory",
    "leaves_its_core",
    "names_places",
    "reads_the_night",
    "sets_its_path",
    "starts_threads",
    "talks_to_itself",
    "writes_to_the_machine",
}
SOON_OUT = {"dies_after_hello", "starts_once"}
"""These two groups play in test_submissions.py."""
LONG_MS = 10_000


@cache
def undisturbed(limit_ms: int) -> Played:
    """Play the night of the honest bots alone."""
    desk = Desk()
    try:
        write(desk, (), limit_ms=limit_ms)
        return play(desk)
    finally:
        desk.clear()


@pytest.mark.parametrize(
    ("zoo", "limit_ms"),
    # A flood is hundreds of steps between threads. On a busy machine each step waits
    # for the core.
    [
        pytest.param(ON_THE_STREAM, LONG_MS, id="on the stream"),
        pytest.param(IN_MOVES, 1500, id="in moves", marks=pytest.mark.long),
        pytest.param(BESIDE, 2000, id="beside the match", marks=pytest.mark.long),
    ],
)
def test_honest_bots_notice_nothing(desk: Desk, zoo: dict[str, str | None], limit_ms: int) -> None:
    """Their records without times equal those of a night without bad bots."""
    write(desk, zoo, limit_ms=limit_ms)
    night = play(desk)
    assert night.without(zoo) == undisturbed(limit_ms).without(())
    assert {bad: charged(night, bad) for bad in zoo} == {bad: {kind} if kind else set() for bad, kind in zoo.items()}, [
        f"{match}: {faults}" for match, faults in night.faults().items()
    ]
    for bad in zoo:
        for good in HONEST:
            for record in night.of(bad, good):
                seat = list(record.header.seats).index(good)
                assert kinds(record, good) == [], (bad, good)
                if kinds(record, bad):
                    assert record.outcome.places[seat] == 1
    assert night.most_bytes < MOST_BYTES
    assert night.longest_s < limit_ms / 1000 + MOST_OVER_S
    if "hangs_while_printing" in zoo:
        lost = next(record for record in night.of("hangs_while_printing") if kinds(record, "hangs_while_printing"))
        explained = desk.tell("explain", "night.db", lost.header.match_id)
        assert "a fault: timeout (late): " in explained
        assert "| thinking" in explained, explained
        assert 'hangs_while_printing.py", line 17, in choose' in explained  # where it was


SLOW_AT_FIRST = """
import time
from pips_sdk import run
from pips_sdk.serpent import SerpentBot
class Slow(SerpentBot):
    def lead(self, view):
        if self._question < 8:
            time.sleep(0.1)
        return super().lead(view)
run(Slow)
"""


def test_what_is_computed_out_of_turn_is_measured_and_can_be_forbidden(desk: Desk) -> None:
    """Against a bot that takes its time there is much time out of turn."""
    eater = "eats_cpu_out_of_turn"
    (desk.folder / "slow.py").write_text(SLOW_AT_FIRST, encoding="utf-8")
    bots = ("slow=python slow.py", f"{eater}=python {ZOO / eater}.py")

    def out_of_turn_ms(*options: str) -> tuple[float, float]:
        finish(desk.play(*options))
        out = desk.tell("export", "night.db", "--as", "json", "--timings")
        (table,) = json.loads(out)["tables"]
        assert all(row["faults"] == {} for row in table["rows"])
        burnt = {row["bot"]: row["out_of_turn_ms"] for row in table["rows"]}
        return burnt[eater], burnt["slow"]

    desk.league(*bots, deals=8, tables=1)  # a machine at work gives it less than the whole time
    burnt_ms, honest_ms = out_of_turn_ms()
    assert burnt_ms > 200 and honest_ms < burnt_ms / 5
    shown = desk.tell("standings", "night.db")
    assert f"{eater} computed for " in shown and "while it was not its turn" in shown
    desk.league(*bots, deals=2, tables=1, more="ponder = false")
    stopped_ms, _ = out_of_turn_ms("--new")
    assert stopped_ms < burnt_ms / 5


def play_enclosed(desk: Desk, zoo: Iterable[str], tier: str, status: int = 0) -> Played:
    """Play a night under a tier, match by match.

    So what one rotation of a deal has shown can be used in the next.
    """
    with socket.create_server(("127.0.0.1", 0)) as server:
        env = {"LOOK_HERE": str(desk.folder / "night.db"), "DIAL": str(server.getsockname()[1])}
        more = f'{ONE_AGAINST_ALL}\nsandbox = {{ tier = "{tier}", memory_mb = 256 }}\ntables = 1'
        write(desk, zoo, more, env=env, limit_ms=LONG_MS)
        return play(desk, status=status)


def test_what_a_bot_can_do_that_is_a_process_like_any_other(desk: Desk) -> None:
    night = play_enclosed(desk, UNHINDERED, "none")
    assert night.without(UNHINDERED) == undisturbed(LONG_MS).of_hero()
    assert "No fence: the bots play on trust and could do what you may" in night.err
    for bad in UNHINDERED:
        assert charged(night, bad) == {"crash"}, bad
    for bad in BOASTERS:
        details = [fault.detail for record in night.of(bad) for fault in record.outcome.faults]
        assert any("gained: " in detail for detail in details), bad


def test_in_a_fence_they_gain_nothing(desk: Desk, fence: tuple[Tier, str]) -> None:
    zoo = {*UNHINDERED, *GREEDY, "reads_environments"}
    tier, refusal = fence
    night = play_enclosed(desk, zoo, tier, status=2 if refusal else 0)
    if refusal:  # then no match was played
        assert refusal in night.err and not night.records
        return
    assert night.without(zoo) == undisturbed(LONG_MS).of_hero()
    assert {bad: charged(night, bad) for bad in UNHINDERED} == {bad: set() for bad in UNHINDERED}
    assert charged(night, "reads_environments") == set()
    assert_memory_was_limited(night)


def test_limits_hold_what_takes_too_much(desk: Desk) -> None:
    zoo = {*GREEDY, "fills_tmp"}
    night = play_enclosed(desk, zoo, "limits")
    assert night.without(zoo) == undisturbed(LONG_MS).of_hero()
    assert charged(night, "fills_tmp") == set()
    assert "No fence: the bots play on trust and could do what you may" in night.err
    assert_memory_was_limited(night)


def assert_memory_was_limited(night: Played) -> None:
    (bad,) = GREEDY
    assert charged(night, bad) == {"crash"}
    details = [fault.detail for record in night.of(bad) for fault in record.outcome.faults]
    assert all(re.fullmatch(r"ended, for it took \d+ MB of memory and may take 256", detail) for detail in details)


def charged(night: Played, bot: str) -> set[str]:
    return {kind for record in night.of(bot) for kind in kinds(record, bot)}


def test_who_opens_a_thousand_streams_before_its_hello_keeps_nobody_out_but_itself(desk: Desk) -> None:
    """A night on one arena goes on without it, and the honest bots make no fault."""
    write(desk, ["opens_streams"], f"{ONE_AGAINST_ALL}\nstartup_ms = 5000", env={"FIRST": "1"}, limit_ms=LONG_MS)
    with (desk.folder / "night.toml").open("a", encoding="utf-8") as league:
        league.write("\noptional = true\n")
    night = play(desk)
    assert "opens_streams is left out" in night.err
    assert night.without(()) == undisturbed(LONG_MS).of_hero()


def test_bots_that_never_start_are_named_before_any_match(desk: Desk) -> None:
    write(desk, NEVER_START, "startup_ms = 3000")
    night = play(desk, status=2)
    assert not night.records
    for bad, says in NEVER_START.items():
        told = re.split(r"\n  (?=\w)", night.err[night.err.index(f"  {bad} (") :])[0]
        assert says in told


def test_every_bot_of_the_zoo_is_played_and_documented() -> None:
    zoo = {path.stem for path in ZOO.glob("*.py")} - {"raw"}
    played = {*ON_THE_STREAM, *IN_MOVES, *BESIDE, *NEVER_START, *UNHINDERED, *GREEDY}
    assert zoo == played | {*SUBMITTED, *SOON_OUT}
    page = (Path(__file__).parents[2] / "docs" / "faults.md").read_text(encoding="utf-8")
    listed = page.partition("## The zoo\n")[2].partition("\n## ")[0]
    listed += page.partition("## The zoo as submissions\n")[2].partition("\n## ")[0]
    assert set(re.findall(r"^[-|] `(\w+)`(?::| \|)", listed, re.MULTILINE)) == zoo
