"""A simulated machine: keepers, referees and bots as tasks of one loop."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine, Hashable, Iterable, Mapping
from itertools import combinations, count
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Final

from pips.v1 import player_pb2
from pips_referee.service.session import Session
from pips_tourney.arena.folder import REFEREE
from pips_tourney.arena.ground import Ground
from tests.lab.nights.bots import Process
from tests.lab.nights.disk import BROKEN, Disk
from tests.lab.nights.guests import Author
from tests.lab.nights.keeper import SimulatedKeeper
from tests.lab.nights.network import Cut, Network
from tests.lab.nights.referee import Channel, Referee
from tests.lab.nights.virtual import Time, VirtualLoop
from tests.lab.nights.witness import Witness

if TYPE_CHECKING:
    from tests.lab.nights.cluster import Cluster

FIRST_PID: Final = 1 << 30
"""No kernel gives a process a number as high as this."""
CLOCK: Final = "clock"
"""The point of a fault that waits for a moment: its number is in milliseconds."""
POINTS: Final[Mapping[str, str]] = {
    "write": "write to a database",
    "sync": "sync of a database",
    "dialled": "stream that is opened",
    "asked": "message to a bot",
    "answered": "message of a bot",
    "command": "command to a keeper",
    "event": "event of a keeper",
    "called": "call of the organiser to a referee",
    "ordered": "order to a referee",
    "result": "result of a referee",
}
"""Points of the seams at which faults happen, in words."""


class Killed(KeyboardInterrupt):
    """The runner's process ends at once; a loop lets it pass."""


class Machine(Ground):
    """One machine: what its keepers start, and what can fail.

    It is the `Ground` of its arenas.
    """

    CALM: Final = {"delay_s": 0.0005, "slow_start_s": 0.0, "disk_s": 0.001}
    """What messages, starts and commits take while nothing is slow, in seconds."""

    def __init__(self, now: Time, luck: Random, folder: Path, guests: Mapping[str, bytes] | None = None) -> None:
        self.now, self.luck, self.home = now, luck, folder
        self.guests = guests or {}
        """By player whose bot runs elsewhere, the secret of its invite."""
        self.listen = ""
        """Where guests dial in."""
        self.witness = Witness()
        self.passed: Counter[str] = Counter()
        """How often each point was passed in this run."""
        self.on_point: Callable[[str, int], None] = lambda point, number: None
        """Called with a point and how often it was passed."""
        self.delay_s, self.slow_start_s, self.disk_s = self.CALM.values()
        self.think_most_s = 0.005
        self.on_kill: Callable[[Random | None], None] = lambda power: None
        """Called at the runner's end; with luck if the power fails."""
        self.is_killed = False
        self.disk_mends_s: float | None = None
        """After how long the disk's trouble is over; None: when the run is."""
        self.acknowledged: set[str] = set()
        """The matches that were said to be stored."""
        self.refuses = 0
        """How many starts of bots it refuses from now on."""
        self.refused: Counter[str] = Counter()
        """How many it has refused, by bot, in all runs."""
        self.disk = Disk(folder, self.passes)
        self.network = Network(lambda: self.delay_s, self.passes)
        self.processes: dict[int, Process] = {}
        self.referees: dict[str, Referee] = {}
        self.keepers: list[SimulatedKeeper] = []
        self.loop: VirtualLoop | None = None
        self.cluster: Cluster | None = None
        self.authors: list[Author] = []
        self.losses: Counter[str] = Counter()
        """By guest, how often its stream was lost by its own network or author."""
        self._living: list[asyncio.Task[None]] = []
        self._last_pid = FIRST_PID
        self._seated: dict[Hashable, dict[int, Process]] = {}
        """By deal, the processes that have played it, by number."""
        self._folders = count()

    def passes(self, point: str) -> None:
        """Something passes a point of a seam, where a fault may wait for it."""
        self.passed[point] += 1
        self.on_point(point, self.passed[point])

    def slow(self, name: str, value: float) -> None:
        """Change what messages, starts or commits take, in seconds."""
        setattr(self, name, value)
        self.witness.worst_delay_us = max(self.witness.worst_delay_us, 1e6 * self.delay_s)

    def start_s(self) -> float:
        return 0.1 + self.luck.random() * 0.05 + self.slow_start_s

    def think_s(self) -> float:
        return 0.001 + self.luck.random() * self.think_most_s

    def reset(self) -> None:
        """Begin another run on it; the machine is calm again."""
        self.delay_s, self.slow_start_s, self.disk_s = self.CALM.values()
        self.refuses, self.is_killed = 0, False
        self.disk = Disk(self.home, self.passes)
        self.passed.clear()
        self.processes.clear()
        self.referees.clear()
        self.keepers.clear()
        self.cluster = None
        self.losses.clear()
        self.network.reset()
        self._seated.clear()
        self.now.progress()

    def begin(self, loop: VirtualLoop) -> None:
        """A run's loop begins: guests on their own machines dial in from now on."""
        self.loop = loop
        self.authors.clear()
        self._living.clear()
        for player, secret in self.guests.items():
            loop.call_soon(self._add_author, player, secret)

    def _add_author(self, player: str, secret: bytes) -> None:
        self.authors.append(author := Author(self, player, secret))
        self._living.append(asyncio.create_task(author.live()))

    def stand_still(self, seconds: float) -> None:
        """The whole machine stands still; those of authors go on."""
        self.now.stand_still(seconds)
        for author in self.authors:
            author.hears_nothing(seconds)

    def look_at_drops(self, sessions: Iterable[Session]) -> None:
        """Look whether guests have paid for lost streams that were not their own."""
        for session in sessions:
            if session.way is not None:
                paid = session.way.terms.drops - session.way.drops_left
                if paid > self.losses[session.process]:
                    self.witness.breaks(f"{session.process} paid for {paid} lost streams")

    def kill(self, power: Random | None = None) -> None:
        """End the runner's process now, or the whole machine if its power fails."""
        if self.is_killed:
            return
        self.on_kill(power)
        self.is_killed = True
        self.disk.trouble = {"write": BROKEN, "sync": BROKEN}
        if self.loop is not None:
            self.loop.call_soon(self._raise)

    @staticmethod
    def _raise() -> None:
        raise Killed

    def left(self) -> list[str]:
        """What a run has left behind on the machine, in words."""
        processes = [process.name for process in self.processes.values() if not process.name.endswith("/*/*")]
        streams = [address for address in self.network.lines.values() if address != self.listen]
        return [
            *(f"process {name}" for name in processes),
            *(f"a stream at {address}" for address in streams),
            *("a keeper" for _ in self.keepers),
        ]

    def is_alive(self, pid: int) -> bool:
        return pid in self.processes

    def add(self, name: str, *work: Coroutine[Any, Any, None]) -> Process:
        """Begin a process."""
        self._last_pid += 1
        process = Process(name, self._last_pid, [asyncio.create_task(part) for part in work])
        self.processes[process.pid] = process
        return process

    def remove(self, process: Process) -> None:
        """End a process at once; its stream is cut."""
        process.ended, process.last_pid = True, self._last_pid
        self.processes.pop(process.pid, None)
        for task in process.tasks:
            task.cancel()
        if process.line is not None:
            process.line.cut()

    def seats(self, deal: Hashable, processes: Iterable[Process]) -> None:
        """Look whether processes of two of a deal's rotations ever live together."""
        if self.guests:
            return  # they have one process for everything
        seated = self._seated.setdefault(deal, {})
        seated.update((process.pid, process) for process in processes)
        for one, other in combinations(seated.values(), 2):
            if one.turn != other.turn and (not one.ended or one.last_pid > other.pid):
                self.witness.breaks(f"{one.name} and {other.name} play one deal and live together")

    def bots(self, *, guests: bool = False) -> list[Process]:
        """The bots' living processes: those of keepers, or those of guests."""
        found = self.processes.values()
        return [process for process in found if process.name != REFEREE and process.name.endswith("/*/*") == guests]

    def keeper_of(self, referee: Referee) -> SimulatedKeeper:
        return next(keeper for keeper in self.keepers if keeper.has(referee))

    def attend(
        self, token: bytes, peer: str, far_s: float, silence: asyncio.Future[None]
    ) -> AsyncIterator[player_pb2.AttendResponse]:
        """News for a guest from whichever referee listens; `Cut` if none does."""
        found = [one for one in self.referees.values() if one.address == self.listen and not one.dead.done()]
        if not found:
            raise Cut(f"nobody listens at {self.listen}")
        return found[-1].attend(token, peer, far_s, silence)

    def folder(self) -> Path:
        arena = self.home / f"arena-{next(self._folders)}"
        (arena / "organiser").mkdir(parents=True)
        return arena

    async def begin_keeper(self, folder: Path, core: int) -> SimulatedKeeper:
        keeper = SimulatedKeeper(self, folder)
        self.keepers.append(keeper)
        return keeper

    def dial(self, address: str) -> Channel:
        return Channel(self, address)
