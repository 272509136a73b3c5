"""Nights whose processes are killed at random and resumed until they are over.

    python -m tests.lab.chaos [--nights 20]

A runner, its keepers and its referees belong to the machine. They are killed one by one
or together. In the end the standings are those of an undisturbed night, byte by byte. A
bot that is killed has crashed. It loses its current match, or those that waited for its
hello. All other matches are as if nothing had happened.
"""

from __future__ import annotations

import argparse
import json
import signal
import sqlite3
import subprocess
import time
from collections import Counter
from contextlib import closing, suppress
from functools import cache
from typing import ClassVar

import psutil
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from tests.e2e.desk import Desk, finish, wait_until
from tests.faults.night import kinds, records
from tests.patience import PATIENCE_S

BOTS = ("ada=random", "bo=greedy", "cy=slow_bot.py")
DEALS, TABLES = 5, 4
MATCHES = 30
RUNNER, BOT = "runner", "bot"
MACHINE = ("pips_tourney.arena.keeper", "pips_referee.cli")
MOST_RUNS = 8
"""A run can end because a bot was killed before its hello, but rarely this often."""


def play_undisturbed() -> tuple[str, dict[str, bytes]]:
    """Play an undisturbed night; return its standings and its records without times."""
    desk = new_desk()
    try:
        out, _ = finish(desk.play())
        return out, stored(desk)
    finally:
        desk.clear()


undisturbed = cache(play_undisturbed)


def new_desk() -> Desk:
    desk = Desk()
    desk.league(*BOTS, deals=DEALS, tables=TABLES)
    return desk


def stored(desk: Desk) -> dict[str, bytes]:
    return {
        match: record.SerializeToString(deterministic=True)
        for match, record in records(desk.folder / "night.db").items()
    }


class Chaos(RuleBasedStateMachine):
    """One night; rules depend on past actions alone, so examples can be rerun."""

    killed: ClassVar[Counter[str]] = Counter()
    """Counted over all nights."""

    def __init__(self) -> None:
        super().__init__()
        self.desk = new_desk()
        self.runner: subprocess.Popen[str] | None = None
        self.bots_killed = 0

    @initialize(arenas=st.integers(1, 2))
    def begin(self, arenas: int) -> None:
        self.runner = self.desk.play("--arenas", str(arenas))

    @precondition(lambda self: self.runner is None)
    @rule(arenas=st.integers(1, 2))
    def go_on(self, arenas: int) -> None:
        self.begin(arenas)

    @precondition(lambda self: self.runner is not None)
    @rule(
        results=st.integers(0, 8),
        ms=st.integers(0, 200),
        victims=st.sets(st.sampled_from((RUNNER, *MACHINE, BOT)), min_size=1),
        number=st.integers(0, 20),
        gently=st.booleans(),
    )
    def kill(self, results: int, ms: int, victims: set[str], number: int, *, gently: bool) -> None:
        """Kill after some more results are stored and an arbitrary pause."""
        assert self.runner is not None
        before = self.desk.results()
        wait_until(lambda: self.is_over or self.desk.results() >= before + results, "nothing is played")
        time.sleep(ms / 1000)
        found = [(kind, of_kind) for kind in MACHINE if kind in victims for of_kind in self.desk.named(kind)]
        bots = self.desk.bots()
        if BOT in victims and bots:
            found.append((BOT, bots[number % len(bots)]))
            self.bots_killed += 1
        if RUNNER in victims:
            self.killed[RUNNER] += not self.is_over
            self.runner.send_signal(signal.SIGTERM if gently else signal.SIGKILL)
        for kind, process in found:
            with suppress(psutil.Error):
                process.kill()
                self.killed[kind] += 1
        if RUNNER in victims:
            self.runner.communicate(timeout=PATIENCE_S)
            self.runner = None
            if number % 2:  # otherwise the next run begins while the keepers still clean up
                wait_until(lambda: not self.desk.left(), "processes are left")

    @property
    def is_over(self) -> bool:
        return self.runner is None or self.runner.poll() is not None

    def teardown(self) -> None:
        try:
            self.check(self.play_to_the_end())
        finally:
            self.desk.clear()

    def play_to_the_end(self) -> str:
        err = ""
        for _ in range(MOST_RUNS):
            runner = self.runner or self.desk.play()
            self.runner = None
            out, err = runner.communicate(timeout=PATIENCE_S)
            if runner.returncode == 0:
                return out
            assert self.bots_killed or "arena was lost" in err, err
        raise AssertionError(f"the night does not end: {err}")

    def check(self, out: str) -> None:
        expected, whole = undisturbed()
        found = stored(self.desk)
        assert set(found) == set(whole) and len(whole) == MATCHES
        wait_until(lambda: not self.desk.left(), "processes are left")
        self.desk.tell("verify", "night.db")
        with closing(sqlite3.connect(self.desk.folder / "night.db")) as connection:
            voids = [
                json.loads(payload) for (payload,) in connection.execute("SELECT payload FROM log WHERE kind = 'void'")
            ]
        assert all(void["why"] for void in voids)
        if not self.bots_killed:
            assert out == expected
        lost = 0
        for match, record in records(self.desk.folder / "night.db").items():
            if record.outcome.faults:
                assert [kinds(record, bot) for bot in record.header.seats if kinds(record, bot)] == [["crash"]]
                lost += 1
            else:
                assert found[match] == whole[match]
        assert lost <= TABLES * self.bots_killed


def run(nights: int, steps: int, *, derandomize: bool) -> None:
    """Play `nights` nights of `steps` steps.

    A failure is not shrunk, because what happened depends on timing.
    """
    run_state_machine_as_test(
        Chaos,
        settings=settings(
            max_examples=nights,
            stateful_step_count=steps,
            derandomize=derandomize,
            database=None,
            deadline=None,
            phases=[Phase.explicit, Phase.generate],
            suppress_health_check=list(HealthCheck),
            print_blob=True,
        ),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Nights whose processes are killed at random.")
    parser.add_argument("--nights", type=int, default=20)
    chosen = parser.parse_args()
    begun = time.monotonic()
    run(chosen.nights, steps=12, derandomize=False)
    print(f"{chosen.nights} nights ended as they should, in {time.monotonic() - begun:.0f} s")
    print("  killed:", ", ".join(f"{kind} {times}" for kind, times in Chaos.killed.most_common()))


if __name__ == "__main__":
    main()
