"""Nights with bad bots among honest ones, and what became of both."""

from __future__ import annotations

import json
import shutil
import sqlite3
import time
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import psutil

from pips.v1 import record_pb2
from tests.e2e.desk import Desk, wait_until
from tests.machine import Stopwatch
from tests.patience import PATIENCE_S
from tests.same_night import timeless

ROOT = Path(__file__).parents[2]
ZOO = Path(__file__).with_name("zoo")
HONEST = ("ada", "bo", "cy")
SAMPLES = ("random", "greedy", "cautious")
ONE_AGAINST_ALL = f'schedule = {{ name = "gauntlet", hero = "{HONEST[0]}" }}'
"""An honest bot meets each of the others, and they do not meet."""
MOST_BYTES = 200_000_000
"""Most memory that a runner, keeper or referee may take, whatever bots do."""
MOST_OVER_S = 3.0
"""How long beyond its limit a bot may hold up a table."""
LOOK_S = 0.5
HOUSE = ("pips_tourney.arena.keeper", "pips_referee.cli")


@dataclass(frozen=True)
class Played:
    """A night: records without times, its end, and what bots did to processes."""

    records: Mapping[str, record_pb2.MatchRecord]
    standings: Mapping[str, dict[str, object]]
    """The rows, by bot."""
    err: str
    most_bytes: int
    """Peak memory of the largest among the runner, its keepers and its referees."""
    longest_s: float
    """Longest time a bot's question was open, in time that the machine had."""

    def of(self, *bots: str) -> list[record_pb2.MatchRecord]:
        """Return the matches in which all of these sit."""
        return [record for record in self.records.values() if set(bots) <= set(record.header.seats)]

    def of_hero(self) -> dict[str, bytes]:
        """Return the records that `ONE_AGAINST_ALL` has of these bots too."""
        pairs = set(self.without(HONEST[:1]))
        return {match: record for match, record in self.without(()).items() if match not in pairs}

    def faults(self) -> dict[str, list[str]]:
        """Return by match the faults in it: which bot did what, in a sentence."""
        return {
            match: [f"{record.header.seats[fault.seat]}: {fault.detail}" for fault in record.outcome.faults]
            for match, record in self.records.items()
            if record.outcome.faults
        }

    def without(self, bots: Iterable[str]) -> dict[str, bytes]:
        """Return the records in which none of these sits, as bytes."""
        bad = set(bots)
        return {
            match: record.SerializeToString(deterministic=True)
            for match, record in self.records.items()
            if not bad & set(record.header.seats)
        }


def write(
    desk: Desk,
    zoo: Iterable[str],
    more: str = "",
    env: Mapping[str, str] | None = None,
    limit_ms: int = 500,
) -> None:
    """Write a league of the honest bots and these of the zoo.

    Each bot is in a folder of its own with a copy of its code.
    """
    lines = [
        'games = [{ name = "serpent", options = { max_tiebreaks = 0 } }]',
        'deals = { suite = "quick", count = 1 }',
        f"clock = {{ answer_ms = {limit_ms} }}",
        more,
    ]
    for name, sample in zip(HONEST, SAMPLES, strict=True):
        lines += ["[[bots]]", f'name = "{name}"', f'sample = "{sample}"']
    variables = {"PYTHONPATH": str(ROOT), "LIMIT_S": f"{limit_ms / 1000}", **(env or {})}
    written = ", ".join(f"{name} = {json.dumps(value)}" for name, value in variables.items())
    for name in zoo:
        home = desk.folder / name / "home"
        home.mkdir(parents=True)
        shutil.copy(ZOO / f"{name}.py", home.parent)
        lines += ["[[bots]]", f'name = "{name}"', f'command = "python {home.parent / name}.py"', "trusted = true"]
        lines += [f'cwd = "{name}/home"', f"env = {{ {written} }}"]
    (desk.folder / "night.toml").write_text("\n".join(lines), encoding="utf-8")


def play(desk: Desk, *options: str, status: int = 0) -> Played:
    """Play the night of the league that was written."""
    runner = desk.play(*options)
    process, most, looked, watch = psutil.Process(runner.pid), 0, 0.0, Stopwatch()

    def is_over() -> bool:
        nonlocal most, looked
        watch.look()
        if runner.poll() is None:
            house = [process]
            if time.monotonic() > looked + LOOK_S:
                looked = time.monotonic()
                house += [child for child in process.children(recursive=True) if _is_of_the_house(child)]
            most = max(most, *map(_resident_bytes, house))
        return runner.poll() is not None

    wait_until(is_over, "the night does not end")
    out, err = runner.communicate(timeout=PATIENCE_S)
    assert runner.returncode == status, err
    desk.assert_nothing_is_left()
    rows = {row["bot"]: row for row in json.loads(out)["tables"][0]["rows"]} if out else {}
    timed = read_records(desk.folder / "night.db").values()
    times = [answer.used_us + answer.credited_us for record in timed for answer in record.answers]
    return Played(records(desk.folder / "night.db"), rows, err, most, watch.had_at_least_s(max(times, default=0) / 1e6))


def _is_of_the_house(process: psutil.Process) -> bool:
    try:
        return any(name in word for word in process.cmdline() for name in HOUSE)
    except psutil.Error:
        return False


def _resident_bytes(process: psutil.Process) -> int:
    try:
        memory: int = process.memory_info().rss
    except psutil.Error:
        return 0  # it has ended
    return memory


def read_records(database: Path) -> dict[str, record_pb2.MatchRecord]:
    """Return all records of a night by match."""
    if not database.is_file():
        return {}
    with closing(sqlite3.connect(database)) as connection:
        rows = connection.execute("SELECT id, record FROM results").fetchall()
    return {match: record_pb2.MatchRecord.FromString(data) for match, data in rows}


def records(database: Path) -> dict[str, record_pb2.MatchRecord]:
    """Return all records of a night by match, without times."""
    found = read_records(database)
    for record in found.values():
        timeless(record)
    return found


def kinds(record: record_pb2.MatchRecord, bot: str) -> list[str]:
    """Return the faults of a bot in a match."""
    seat = list(record.header.seats).index(bot)
    return [
        record_pb2.FaultKind.Name(fault.kind).removeprefix("FAULT_KIND_").lower()
        for fault in record.outcome.faults
        if fault.seat == seat
    ]
