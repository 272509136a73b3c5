"""Nights with bad bots among honest ones, and what became of both."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import psutil

from pips.v1 import record_pb2
from tests.e2e.desk import PATIENCE_S, Desk, wait_until

ROOT = Path(__file__).parents[2]
ZOO = Path(__file__).with_name("zoo")
HONEST = ("ada", "bo", "cy")
SAMPLES = ("random", "greedy", "cautious")
MOST_RUNNER_BYTES = 200_000_000


@dataclass(frozen=True)
class Played:
    """A night: its records without times, by match; how it ended, and the most memory that its runner took."""

    records: Mapping[str, record_pb2.MatchRecord]
    standings: Mapping[str, dict[str, object]]
    """The rows, by bot."""
    err: str
    runner_bytes: int

    def of(self, *bots: str) -> list[record_pb2.MatchRecord]:
        """The matches in which all of these sit."""
        return [record for record in self.records.values() if set(bots) <= set(record.header.seats)]

    def without(self, bots: Iterable[str]) -> dict[str, bytes]:
        """The records in which none of these sits, as bytes."""
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
    """A league of the honest bots and these of the zoo, each in a folder of its own with a copy of its code."""
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
        lines += ["[[bots]]", f'name = "{name}"', f'command = "python {home.parent / name}.py"']
        lines += [f'cwd = "{name}/home"', f"env = {{ {written} }}"]
    (desk.folder / "night.toml").write_text("\n".join(lines), encoding="utf-8")


def play(desk: Desk, *options: str, status: int = 0) -> Played:
    """The night of the league that was written."""
    runner = desk.play(*options)
    process, most = psutil.Process(runner.pid), 0

    def is_over() -> bool:
        nonlocal most
        if runner.poll() is None:
            most = max(most, process.memory_info().rss)
        return runner.poll() is not None

    wait_until(is_over, "the night does not end", 2 * PATIENCE_S)
    out, err = runner.communicate(timeout=PATIENCE_S)
    assert runner.returncode == status, err
    desk.assert_nothing_is_left()
    rows = {row["bot"]: row for row in json.loads(out)["tables"][0]["rows"]} if out else {}
    return Played(records(desk.folder / "night.db"), rows, err, most)


def records(database: Path) -> dict[str, record_pb2.MatchRecord]:
    """All records of a night by match, times left out."""
    if not database.is_file():
        return {}
    with closing(sqlite3.connect(database)) as connection:
        rows = connection.execute("SELECT id, record FROM results").fetchall()
    found = {match: record_pb2.MatchRecord.FromString(data) for match, data in rows}
    for record in found.values():
        for answer in record.answers:
            answer.used_us = answer.credited_us = 0
            answer.shared_by = 0
    return found


def kinds(record: record_pb2.MatchRecord, bot: str) -> list[str]:
    """The faults of a bot in a match."""
    seat = list(record.header.seats).index(bot)
    return [
        record_pb2.FaultKind.Name(fault.kind).removeprefix("FAULT_KIND_").lower()
        for fault in record.outcome.faults
        if fault.seat == seat
    ]
