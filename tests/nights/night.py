"""One simulated night from its seed: the real run, its story of faults, its end."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from time import monotonic
from typing import Any
from unittest.mock import patch

from pips_tourney.engines.match_queue import MatchQueue
from pips_tourney.night.night import last_night
from pips_tourney.night.standings import standings
from pips_tourney.night.store import Row, Store, read_store
from pips_tourney.play.evening import Announcement, RunConfig
from pips_tourney.play.run import run_night
from pips_tourney.reports.tables import to_json
from tests.nights.machine import Channel, Machine, Stub
from tests.nights.virtual import Time, VirtualLoop

LEAGUE = """
name = "A simulated night"
game = "serpent"
deals = { count = 3 }
tables = 3
sandbox = "none"
bots = [
  { name = "ada", sample = "random" }, { name = "bo", sample = "random" }, { name = "cy", sample = "random" },
]
"""
SECRET = "5a" * 32
ARENAS = 2


class SimulatedWaits:
    """The core's account of a simulated process: nobody waits for a core."""

    ran_us = 0

    def __init__(self, machine: Machine, pid: int, *_: object) -> None:
        self._machine, self._pid = machine, pid

    def is_alive(self) -> bool:
        return self._machine.is_alive(self._pid)

    def mark(self, now: float) -> None:
        """Nothing is counted."""

    def mark_again(self, now: float) -> bool:
        return True

    def sample(self, now: float) -> None:
        """Nothing is counted."""

    def credit_us(self, now: float) -> int:
        return 0

    def burnt_us(self, in_turn_s: float, *, is_in_turn: bool = True) -> int:
        return 0

    def look(self, *, refresh: bool = False) -> int:
        return 0

    def busy_us(self) -> int:
        return 0

    def close(self) -> None:
        """There is no file."""

    pause = stop = go_on = close


class Silent:
    """A watcher that remembers what was said to be stored."""

    def __init__(self) -> None:
        self.acknowledged: set[str] = set()
        self.lines: list[str] = []

    def begins(self, announcement: Announcement) -> None:
        """Nobody looks on."""

    def stored(self, rows: Sequence[Row]) -> None:
        self.acknowledged.update(row.id for row in rows)

    def ends(self) -> None:
        """Nobody looks on."""

    def told(self, line: str) -> None:
        self.lines.append(line)


@dataclass(frozen=True)
class Finished:
    """A night that was played to its end."""

    standings: str
    records: dict[str, bytes]


@contextmanager
def on(machine: Machine, folder: Path, began: Callable[[VirtualLoop], None] = lambda _: None) -> Iterator[None]:
    """Within it, the house runs on a simulated machine; `began` gets each new loop."""

    def new_loop() -> VirtualLoop:
        loop = VirtualLoop(machine.now, lambda: machine.disk_s)
        began(loop)
        return loop

    def add(store: Store, *what: Any) -> None:
        if machine.disk_trouble and store._lock is not None:
            store._connection.execute(machine.disk_trouble)
            machine.disk_trouble = ""
        add_truly(store, *what)

    add_truly = Store.add

    def new_folder() -> Path:
        arena = folder / f"arena-{os.urandom(4).hex()}"
        (arena / "organiser").mkdir(parents=True)
        return arena

    waits = partial(SimulatedWaits, machine)
    places: dict[str, Any] = {
        "pips_tourney.play.run.fast_loop": lambda: new_loop,
        "pips_tourney.play.run.clear_leftovers": tuple,
        "pips_tourney.night.store.Store.add": add,
        "pips_tourney.arena.arena.short_folder": new_folder,
        "pips_tourney.arena.arena.Launcher.begin": machine.begin_launcher,
        "pips_tourney.arena.arena.grpc.aio.insecure_channel": lambda address, **_: Channel(machine, address),
        "pips_tourney.arena.arena.referee_pb2_grpc.RefereeServiceStub": Stub,
        "pips_tourney.arena.starting.CoreWait": waits,
        "pips_tourney.arena.starting.CoreTime": waits,
        "pips_referee.session.CoreWait": waits,
        "pips_referee.session.Group": waits,
        "pips_referee.clock.OwnWaits": lambda: waits(0),
    }
    for name, module in list(sys.modules.items()):
        if name.startswith("pips_") and getattr(module, "monotonic", None) is monotonic:
            places[f"{name}.monotonic"] = machine.now
    with ExitStack() as stack:
        for place, what in places.items():
            stack.enter_context(patch(place, what))
        stack.enter_context(patch.dict(MatchQueue.__init__.__kwdefaults__ or {}, clock=machine.now))
        yield


def write_league(folder: Path) -> Path:
    """Write the league of every simulated night, and its secret."""
    (folder / "secret").write_text(SECRET, encoding="ascii")
    path = folder / "night.toml"
    path.write_text(LEAGUE, encoding="utf-8")
    return path


def finished(folder: Path) -> Finished:
    """What a night has left behind."""
    with read_store(folder / "night.db") as store:
        night = last_night(store)
        table = to_json(standings(night), timings=False)
        rows = {fixture.match_id: row.record for fixture, row in night.records() if row is not None}
    return Finished(table, rows)


def undisturbed(folder: Path, seed: int = 0, arenas: int = ARENAS) -> Finished:
    """Play a night in which nothing fails, in an empty folder."""
    folder.mkdir()
    league, machine = write_league(folder), Machine(Time(), Random(seed), folder / "night.db")
    with on(machine, folder):
        run_night(RunConfig(league, folder / "night.db", arenas, folder / "secret"), Silent())
    return finished(folder)
