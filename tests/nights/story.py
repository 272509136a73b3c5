"""A night with a story of faults: played to its end, and what must hold in it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final

from pips.v1 import record_pb2
from pips_tourney.errors import TourneyError
from pips_tourney.night.director import office
from pips_tourney.night.store import open_log
from pips_tourney.play.evening import RunConfig
from pips_tourney.play.run import run_night
from tests.nights.faults import KINDS, Fault, Killed, happen
from tests.nights.machine import Machine
from tests.nights.night import ARENAS, Finished, Silent, finished, on, write_league
from tests.nights.virtual import Time, VirtualLoop, WaitsForEver

MOST_RUNS: Final = 12
"""A night that is not over after so many runs will never be."""


class Broken(AssertionError):
    """What must hold in every night did not hold."""


@dataclass
class Told:
    """A story while it is told: its machine, and what it has hit."""

    folder: Path
    seed: int
    faults: Sequence[Fault]
    hit: dict[str, int] = field(default_factory=dict)
    """By kind, how many faults happened."""

    def __post_init__(self) -> None:
        self.folder.mkdir()
        self.league = write_league(self.folder)
        self.database = self.folder / "night.db"
        self.machine = Machine(Time(), Random(self.seed), self.database)
        self.machine.on_kill = self._keep
        self.watcher = Silent()
        self._kept: dict[str, bytes] = {}
        self._loops: list[VirtualLoop] = []

    def play(self) -> Finished:
        """Play run after run until the night is over; `Broken` if it never is."""
        for run in range(MOST_RUNS):
            if self._run(run):
                return finished(self.folder)
        raise Broken(f"the night was not over after {MOST_RUNS} runs")

    def _run(self, run: int) -> bool:
        self.machine.reset()
        self._resume()
        acknowledged: set[str] | None = None
        config = RunConfig(self.league, self.database, ARENAS, self.folder / "secret")
        try:
            with on(self.machine, self.folder, lambda loop: self._begin(loop, run)):
                over = run_night(config, self.watcher).standings.complete
        except Killed:
            self._restore()
            acknowledged = self._acknowledged
            self.watcher.acknowledged = set(acknowledged)
            over = False
        except WaitsForEver as error:
            raise Broken(f"something waits for ever: {error}") from None
        except TourneyError as error:  # the run has ended with a sentence; the next one goes on
            self.watcher.told(str(error))
            over = False
        self._look(killed=acknowledged is not None)
        return over

    def _begin(self, loop: VirtualLoop, run: int) -> None:
        self._loops.append(loop)
        for fault in self.faults:
            if fault.run == run:
                loop.call_later(max(fault.at_s, 0.001), happen, self.machine, fault, self.hit)

    def _look(self, *, killed: bool) -> None:
        """Look at what a run has left, and whether what was told is kept."""
        loop = self._loops.pop()
        if not killed:
            left = [*self.machine.left(), *(path.name for path in self.folder.glob("arena-*"))]
            if left:
                raise Broken(f"a run has left behind: {', '.join(left)}")
            if loop.failures:
                raise Broken(f"nobody heard: {loop.failures[0]}")
        for folder in self.folder.glob("arena-*"):
            shutil.rmtree(folder)
        if self.database.exists():
            with open_log(self.database) as store:
                lost = self.watcher.acknowledged - store.stored(sorted(self.watcher.acknowledged))
                damage = store.damage()
            if lost or damage:
                raise Broken(f"acknowledged results are lost: {sorted(lost)} {damage}")

    def _resume(self) -> None:
        """Nobody resumes a night whose pause was under way when its run ended."""
        if self.database.exists():
            with office(self.database) as desk:
                if desk.decisions.paused is not None:
                    desk.resume()

    def _keep(self, torn: bytes) -> None:
        """The runner ends now: keep its files as they are at this moment."""
        files = (Path(f"{self.database}{suffix}") for suffix in ("", "-wal"))
        self._kept = {str(path): path.read_bytes() for path in files if path.exists()}
        wal = f"{self.database}-wal"
        self._kept[wal] = self._kept.get(wal, b"") + torn
        self._acknowledged = set(self.watcher.acknowledged)

    def _restore(self) -> None:
        for path, data in self._kept.items():
            Path(path).write_bytes(data)
        Path(f"{self.database}-shm").unlink(missing_ok=True)


def check(story: Sequence[Fault], end: Finished, calm: Finished) -> None:
    """Check what must hold at a night's end; `Broken` says what did not."""
    records = {match: record_pb2.MatchRecord.FromString(record) for match, record in end.records.items()}
    if records.keys() != calm.records.keys():
        raise Broken(f"{len(records)} matches were played, not {len(calm.records)}")
    faults = [
        f"{record.header.seats[fault.seat]} in {match}: {fault.detail}"
        for match, record in records.items()
        for fault in record.outcome.faults
    ]
    if not any(KINDS[fault.kind].is_bots for fault in story):
        if faults:
            raise Broken(f"a bot was faulted for what the machine did: {faults[0]}")
        if _unpaused(end.standings) != _unpaused(calm.standings):
            raise Broken("the standings are not those of the undisturbed night")
    for match, record in records.items():
        before = record_pb2.MatchRecord.FromString(calm.records[match])
        if not record.outcome.faults and record.outcome != before.outcome:
            raise Broken(f"{match} had no fault and ended otherwise")


def _unpaused(table: str) -> dict[str, Any]:
    """Return the standings without the director's pauses.

    They name a pause that nobody had ended when the last match was over.
    """
    told: dict[str, Any] = json.loads(table)
    told["decisions"] = [decision for decision in told["decisions"] if decision["kind"] != "pause"]
    return told


def tell(folder: Path, seed: int, story: Sequence[Fault], calm: Finished) -> tuple[str, Mapping[str, int]]:
    """Play a story in a folder, which is removed after it.

    Returns what was broken, "" if nothing was, and how many faults happened by kind.
    """
    told = Told(folder, seed, story)
    try:
        check(story, told.play(), calm)
    except Broken as broken:
        return str(broken), told.hit
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return "", told.hit


def shortened(folder: Path, seed: int, story: Sequence[Fault], calm: Finished) -> list[Fault]:
    """Leave out faults of a story as long as something is still broken."""
    kept = list(story)
    for fault in story:
        less = [other for other in kept if other is not fault]
        if tell(folder, seed, less, calm)[0]:
            kept = less
    return kept
