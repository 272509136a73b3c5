"""One simulated night from its seed: the real run, its story of faults, its end."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from importlib import import_module
from pathlib import Path
from time import monotonic
from typing import Any
from unittest.mock import patch

from pips_tourney.arena.arena import Arena
from pips_tourney.engines.match_queue import MatchQueue
from pips_tourney.night.log.store import Row, read_store
from pips_tourney.night.night import last_night
from pips_tourney.night.table.standings import standings
from pips_tourney.people.store import People
from pips_tourney.play.evening import Announcement, RunConfig
from pips_tourney.remote.certificates import host_folder
from pips_tourney.remote.lobby import Hosting
from pips_tourney.reports.tables import to_json
from tests.lab.nights.disk import on_disk
from tests.lab.nights.leagues import LISTEN, Kind
from tests.lab.nights.machine import Machine
from tests.lab.nights.virtual import VirtualLoop


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
    """A watcher that remembers what was said to be stored, and looks at each record."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self.lines: list[str] = []
        self.has_begun = False
        """A night was announced: its database holds it."""

    def begins(self, announcement: Announcement) -> None:
        self.has_begun = True
        self._machine.now.progress()

    def stored(self, rows: Sequence[Row]) -> None:
        if rows:
            self._machine.now.progress()
        if not self._machine.is_killed:
            self._machine.acknowledged.update(row.id for row in rows)
        for row in rows:
            self._machine.witness.look(row.record)

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
def on(
    machine: Machine, kind: Kind, began: Callable[[VirtualLoop], None] = lambda _: None
) -> Iterator[Callable[[], VirtualLoop]]:
    """Within it, a night of that kind runs on a simulated machine.

    `began` gets each new loop. Yields what makes loops.
    """

    def new_loop() -> VirtualLoop:
        loop = VirtualLoop(machine.now, lambda: machine.disk_s)
        machine.begin(loop)
        began(loop)
        return loop

    waits = partial(SimulatedWaits, machine)
    places: dict[str, Any] = {
        "pips_tourney.play.runner.fast_loop": lambda: new_loop,
        "pips_tourney.play.crew.clear_leftovers": tuple,
        "pips_tourney.engines.local.Arena": partial(Arena, ground=machine),
        "pips_tourney.arena.starting.CoreWait": waits,
        "pips_tourney.arena.starting.CoreTime": waits,
        "pips_referee.service.session.CoreWait": waits,
        "pips_referee.service.session.Group": waits,
        "pips_referee.timing.clock.OwnWaits": lambda: waits(0),
        "os.urandom": machine.luck.randbytes,
        "random._urandom": machine.luck.randbytes,
    }
    if kind.is_cluster:
        from tests.lab.nights.cluster import simulated_cluster  # Dask takes a second to load

        places["pips_tourney.engines.dask.worker.Arena"] = partial(Arena, ground=machine)
        places["pips_tourney.engines.dask.driver.DaskEngine._client"] = staticmethod(
            partial(simulated_cluster, machine)
        )
        import_module("pips_tourney.engines.dask.driver")
    if kind.is_place:
        from tests.lab.nights.place import start_child

        for room in ("desk", "processes"):
            places[f"pips_tourney.place.desk.{room}.start"] = partial(start_child, machine)
    for name, module in list(sys.modules.items()):
        if name.startswith("pips_"):
            for attribute, true, simulated in (
                ("monotonic", monotonic, machine.now),
                ("datetime", datetime, machine.now.wall()),
            ):
                if getattr(module, attribute, None) is true:
                    places[f"{name}.{attribute}"] = simulated
    with ExitStack() as stack:
        for place, what in places.items():
            stack.enter_context(patch(place, what))
        stack.enter_context(patch.dict(MatchQueue.__init__.__kwdefaults__ or {}, clock=machine.now))
        stack.enter_context(on_disk(machine.disk))
        yield new_loop


@contextmanager
def config_of(kind: Kind, league: Path, machine: Machine, arenas: int) -> Iterator[RunConfig]:
    """The options with which a night of `kind` is played."""
    database = league.with_name("night.db")
    with ExitStack() as stack:
        hosting = None
        if kind.guests:
            machine.listen = LISTEN
            people = stack.enter_context(People(host_folder(league)))
            hosting = Hosting(LISTEN, "cert.pem", "key.pem", people, when_all_here=True)
            hosting.database = database
        yield RunConfig(league, database, arenas, league.with_name("secret"), hosting=hosting)


def finished(folder: Path) -> Finished:
    """What a night has left behind."""
    with read_store(folder / "night.db") as store:
        night = last_night(store)
        table = to_json(standings(night), timings=False)
        rows = {fixture.match_id: row.record for fixture, row in night.records() if row is not None}
    return Finished(table, rows)
