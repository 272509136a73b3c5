"""A night with a story of faults: played to its end, and what must hold in it."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any, Final

from pips.v1 import record_pb2
from pips_referee.match import ABSENT
from pips_tourney.arena.refusals import MOST_REFUSALS
from pips_tourney.errors import TourneyError
from pips_tourney.night.director import office
from pips_tourney.night.log.store import open_log
from pips_tourney.play.evening import RunConfig
from pips_tourney.play.runner import run_night
from tests.lab.nights.faults import DISK, KINDS, Fault, Story
from tests.lab.nights.keeper import REFUSED
from tests.lab.nights.leagues import LEAGUES, TABLES
from tests.lab.nights.machine import CLOCK, Killed, Machine
from tests.lab.nights.night import Finished, Silent, config_of, finished, on
from tests.lab.nights.place import Place
from tests.lab.nights.virtual import BEGIN_S, Time, VirtualLoop, WaitsForEver
from tests.lab.nights.witness import Broken

ENDS: Final = {"bot-dies", "cut"}
"""Faults of bots that cost a match, not all that follow."""
MENDS_S: Final = 3.0
"""The most seconds that trouble of a place's disk lasts."""
MOST_RUNS: Final = 12
"""A night that is not over after this number of runs will never be."""


@dataclass
class Told:
    """A story while it is told: its machine, and what it has hit."""

    folder: Path
    story: Story
    hit: Counter[str] = field(default_factory=Counter)
    """By kind, how many faults happened."""
    hit_at: Counter[str] = field(default_factory=Counter)
    """By point, how many faults happened at it."""
    passed: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.folder.mkdir()
        self.kind = LEAGUES[self.story.league]
        self.league, secrets = self.kind.write(self.folder)
        self.database = self.folder / "night.db"
        luck = Random(self.story.seed)
        self.machine = Machine(Time(), luck, self.folder, secrets)
        self.machine.think_most_s = luck.choice((0.005, 0.005, 0.08))
        self.arenas = luck.randint(1, self.kind.arenas)
        self.machine.on_kill = self._keep
        self.watcher = Silent(self.machine)
        self._kept: dict[Path, bytes] = {}
        self._loops: list[VirtualLoop] = []
        self.place = Place(self.machine, self.league) if self.kind.is_place else None
        self.machine.disk_mends_s = None if self.place is None else MENDS_S

    def play(self) -> Finished:
        """Play run after run until the night is over; `Broken` if it never is."""
        with config_of(self.kind, self.league, self.machine, self.arenas) as config:
            for run in range(MOST_RUNS):
                if self._run(run, config):
                    return finished(self.folder)
        raise Broken(f"the night was not over after {MOST_RUNS} runs")

    def _run(self, run: int, config: RunConfig) -> bool:
        machine = self.machine
        machine.reset()
        self._resume()
        self._set_up(run)
        open_files, over = _open_files(), False
        try:
            with on(machine, self.kind, lambda loop: self._begin(loop, run)) as new_loop:
                over = self._play(config) if self.place is None else _serve(self.place, new_loop)
        except Killed:
            pass
        except WaitsForEver as error:
            raise Broken(f"something waits for ever: {error}") from None
        except TourneyError as error:  # the run has ended with a sentence; the next one goes on
            self.watcher.told(str(error))
        except Exception:
            if not machine.is_killed:  # then it is no end of the run, but of the loop
                raise
        self.passed.update(machine.passed)
        if machine.is_killed:
            over = False
            self.watcher.has_begun = self._had_begun
            self._restore()
        self._look(_open_files() - open_files)
        return over

    def _play(self, config: RunConfig) -> bool:
        """Play a run of a night; whether the night is over."""
        outcome = run_night(config, self.watcher)
        over = outcome.standings.complete
        if not (over or outcome.spoilt or self.machine.is_killed):
            self.machine.witness.breaks("a run ended before its night was over, and did not say why")
        return over

    def _set_up(self, run: int) -> None:
        """Let each fault of a run wait for its point."""
        waiting: defaultdict[tuple[str, int], list[Fault]] = defaultdict(list)
        for fault in self.story.faults:
            if fault.run == run and fault.point != CLOCK:
                waiting[fault.point, fault.number].append(fault)
        machine = self.machine

        def on_point(point: str, number: int) -> None:
            for fault in waiting.pop((point, number), ()) if waiting else ():
                if point in DISK or KINDS[fault.kind].happen is KINDS["killed"].happen:
                    self._happen(fault)
                elif machine.loop is not None:
                    machine.loop.call_soon(self._happen, fault)

        machine.on_point = on_point

    def _happen(self, fault: Fault) -> None:
        """Let it happen, and count what was hit."""
        if not self.machine.is_killed and KINDS[fault.kind].happen(self.machine, fault.which):
            self.hit[fault.kind] += 1
            self.hit_at[fault.point] += 1

    def _begin(self, loop: VirtualLoop, run: int) -> None:
        self._loops.append(loop)
        for fault in self.story.faults:
            if fault.run == run and fault.point == CLOCK:
                loop.call_later(fault.number / 1000, self._happen, fault)

    def _look(self, opened: Counter[str]) -> None:
        """Look at what a run has left, and whether what was told is kept."""
        machine, loops, self._loops = self.machine, self._loops, []
        machine.loop = None
        if machine.witness.broken:
            raise Broken(machine.witness.broken)
        if not machine.is_killed:
            left = [*machine.left(), *(path.name for path in self.folder.glob("arena-*")), *opened]
            if left:
                raise Broken(f"a run has left behind: {', '.join(left)}")
            for failure in (failure for loop in loops for failure in loop.failures):
                raise Broken(f"nobody heard: {failure}")
        for folder in self.folder.glob("arena-*"):
            shutil.rmtree(folder)
        if self.place is not None and (gone := self.place.lost()):
            raise Broken(f"hand-ins that were acknowledged are lost: {', '.join(gone)}")
        if self.database.exists() and self.database.stat().st_size:
            with open_log(self.database) as store:
                lost = machine.acknowledged - store.stored(sorted(machine.acknowledged))
                damage = [*store.damage(), *store.chain().problems]
            if lost or damage:
                raise Broken(f"acknowledged results are lost: {sorted(lost)} {damage}")

    def _resume(self) -> None:
        """Nobody resumes a night whose pause was under way when its run ended."""
        if not self.watcher.has_begun:
            return
        with office(self.database) as desk:
            if desk.decisions.paused is not None:
                desk.resume()

    def _keep(self, power: Random | None) -> None:
        """The runner ends now: keep its files as they are at this moment."""
        self._had_begun = self.watcher.has_begun
        disk = self.machine.disk
        written = disk.as_written() if power is None else disk.after_power_loss(power)
        self._kept = {Path(path): data for path, data in written.items()}
        for path in self._files():
            if str(path) not in disk.files:
                self._kept[path] = path.read_bytes()

    def _files(self) -> list[Path]:
        found = (path for path in self.folder.rglob("*") if path.is_file() and not path.name.endswith("-shm"))
        return [path for path in found if not path.relative_to(self.folder).parts[0].startswith("arena-")]

    def _restore(self) -> None:
        for path in self._files():
            if path not in self._kept:
                path.unlink()
        for path, data in self._kept.items():
            path.write_bytes(data)
        Path(f"{self.database}-shm").unlink(missing_ok=True)


def _serve(place: Place, new_loop: Callable[[], VirtualLoop]) -> bool:
    """Serve a place until everything that was handed in is played."""
    with asyncio.Runner(loop_factory=new_loop) as runner:
        return runner.run(place.serve())


def _open_files() -> Counter[str]:
    """The files that this process has open, by name."""
    found: Counter[str] = Counter()
    for entry in Path("/proc/self/fd").iterdir():
        try:
            name = entry.readlink()
        except OSError:  # that of the listing itself
            continue
        if name.parts[0] == "/" and "proc" not in name.parts:
            found[f"open {name.name}"] += 1
    return found


class Calm:
    """The undisturbed nights, each played when it is first asked for."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._played: dict[str, tuple[Finished, Mapping[str, int]]] = {}

    def __call__(self, league: str) -> Finished:
        return self._play(league)[0]

    def passed(self, league: str) -> Mapping[str, int]:
        """How often its night passes each point of the seams, and how long it takes."""
        return self._play(league)[1]

    def _play(self, league: str) -> tuple[Finished, Mapping[str, int]]:
        if league not in self._played:
            told = Told(self._home / f"calm-{league}", Story(league, 0, ()))
            end = told.play()
            took_ms = round(1000 * (told.machine.now() - BEGIN_S))
            self._played[league] = end, {**told.passed, CLOCK: took_ms}
        return self._played[league]


def check(story: Story, end: Finished, calm: Finished) -> None:
    """Check what must hold at a night's end; `Broken` says what did not."""
    records = {match: record_pb2.MatchRecord.FromString(record) for match, record in end.records.items()}
    is_place = LEAGUES[story.league].is_place
    if not any(KINDS[fault.kind].is_bots for fault in story.faults):
        faults = [
            f"{record.header.seats[fault.seat]} in {match}: {fault.detail}"
            for match, record in records.items()
            for fault in record.outcome.faults
        ]
        if faults:
            raise Broken(f"a bot was faulted for what the machine did: {faults[0]}")
        if not is_place and records.keys() != calm.records.keys():
            raise Broken(f"{len(records)} matches were played, not {len(calm.records)}")
        if not is_place and _unpaused(end.standings) != _unpaused(calm.standings):
            raise Broken("the standings are not those of the undisturbed night")
    _check_ends(story, records.values())
    if is_place:  # who plays depends on when it was handed in, and each night has its own secret
        return
    for match in records.keys() & calm.records.keys():
        before, record = record_pb2.MatchRecord.FromString(calm.records[match]), records[match]
        if not record.outcome.faults and record.outcome != before.outcome:
            raise Broken(f"{match} had no fault and ended otherwise")


def check_refusals(refused: Counter[str], end: Finished) -> None:
    """Check that no bot has lost a match by a refusal of the machine, up to a limit."""
    for match, data in end.records.items():
        record = record_pb2.MatchRecord.FromString(data)
        for fault in record.outcome.faults:
            bot = record.header.seats[fault.seat]
            if REFUSED in fault.detail and refused[bot] <= MOST_REFUSALS:
                raise Broken(f"{bot} in {match} was faulted for a refusal of the machine: {fault.detail}")


def _check_ends(story: Story, records: Iterable[record_pb2.MatchRecord]) -> None:
    """A bot's process that ends, or loses its stream, costs the match it is at.

    One that ends before its hello costs those that wait for it.
    """
    ends = [fault for fault in story.faults if KINDS[fault.kind].is_bots]
    if ends and {fault.kind for fault in ends} <= ENDS:
        reasons = Counter(fault.reason == ABSENT for record in records for fault in record.outcome.faults)
        if reasons[False] > len(ends) or reasons[True] > TABLES * len(ends):
            raise Broken(f"{len(ends)} ends of bots cost {reasons.total()} matches")


def _unpaused(table: str) -> dict[str, Any]:
    """Return the standings without the director's pauses.

    They name a pause that nobody had ended when the last match was over.
    """
    told: dict[str, Any] = json.loads(table)
    told["decisions"] = [decision for decision in told["decisions"] if decision["kind"] != "pause"]
    return told


def tell(folder: Path, story: Story, calm: Calm) -> tuple[str, Told]:
    """Play a story in a folder, which is removed after it.

    Returns what was broken, "" if nothing was, and the story with what it has hit.
    """
    told = Told(folder, story)
    try:
        end = told.play()
        check_refusals(told.machine.refused, end)
        check(story, end, calm(story.league))
    except Broken as broken:
        return str(broken), told
    except Exception as error:  # noqa: BLE001 - a run that fails in another way is broken too
        return f"a run failed: {error!r}", told
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return "", told


def shortened(folder: Path, story: Story, calm: Calm) -> Story:
    """Leave out faults of a story as long as something is still broken."""
    kept = story
    for fault in story.faults:
        less = replace(kept, faults=tuple(other for other in kept.faults if other is not fault))
        if tell(folder, less, calm)[0]:
            kept = less
    return kept
