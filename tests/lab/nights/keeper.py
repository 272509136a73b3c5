"""A simulated keeper: takes the launcher's commands, and tells of its processes."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pips_tourney.arena.folder import ORGANISER, REFEREE
from pips_tourney.arena.ground import KeeperProcess
from pips_tourney.bots.process_name import ProcessName
from tests.lab.nights.bots import Bot, Process
from tests.lab.nights.network import IN_ORDER_S
from tests.lab.nights.referee import Referee

if TYPE_CHECKING:
    from tests.lab.nights.machine import Machine

REFEREE_START_S: Final = 0.3
REFUSED: Final = "the machine started no process"
LATE_S: Final = 0.002
"""How long a command or an event is under way."""


class SimulatedKeeper(KeeperProcess):
    """The keeper's side of its two pipes, line by line as `keeper.py` says."""

    def __init__(self, machine: Machine, folder: Path) -> None:
        self._machine, self._folder = machine, folder
        self.children: dict[str, Process] = {}
        self._lines: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._taken_s = self._told_s = 0.0
        self._is_over = False
        self.hangs_until_s = 0.0

    def write(self, commands: bytes) -> None:
        for line in commands.splitlines():
            self._machine.passes("command")
            self._taken_s = self._after(self._taken_s, LATE_S)
            asyncio.get_running_loop().call_at(self._taken_s, self._take, json.loads(line))

    async def events(self) -> AsyncIterator[bytes]:
        while (line := await self._lines.get()) is not None:
            yield line

    def close(self) -> None:
        """Its input ends: it ends everything, and then itself."""
        if not self._is_over:
            asyncio.get_running_loop().call_at(self._after(self._taken_s, LATE_S), self._end_well)

    async def ended(self) -> None:
        await asyncio.sleep(0.001)

    def die(self, torn: bytes = b"") -> None:
        """It is killed, and its children with it; its last event may be torn."""
        if not self._is_over:
            self._end_children()
            if torn:
                self._lines.put_nowait(torn)
            asyncio.get_running_loop().call_later(LATE_S, self._lines.put_nowait, None)

    def end(self, process: Process, how: str, *, lack: str = "") -> None:
        """End a child of this keeper, perhaps for what the machine lacks; the runner
        is told.
        """
        if process.ended:
            return
        self._machine.remove(process)
        if self.children.get(process.name) is process:
            del self.children[process.name]
        if process.name == REFEREE:
            self._referee().end()
        self._tell(event="ended", name=process.name, how=how, output="", printed="", lack=lack)

    def _after(self, before_s: float, seconds: float) -> float:
        """When what comes next happens: in order, and not while the keeper hangs."""
        now_s = asyncio.get_running_loop().time()
        return max(now_s + seconds, self.hangs_until_s, before_s + IN_ORDER_S)

    def _tell(self, **event: Any) -> None:
        self._machine.passes("event")
        self._told_s = self._after(self._told_s, LATE_S)
        asyncio.get_running_loop().call_at(self._told_s, self._put, json.dumps(event).encode() + b"\n")

    def _put(self, line: bytes) -> None:
        if not self._is_over:
            self._lines.put_nowait(line)

    def _take(self, command: dict[str, Any]) -> None:
        if self._is_over:
            return
        name = command["name"]
        match command["do"]:
            case "start" if name == REFEREE:
                self._start_referee(command)
            case "start":
                self._start_bot(command)
            case "stop" if name in self.children:
                self.end(self.children[name], "killed by SIGKILL")
            case "show" if name in self.children:
                self._tell(event="shown", name=name, output="")

    def _start_referee(self, command: dict[str, Any]) -> None:
        machine = self._machine
        referee = Referee(machine, bytes.fromhex(command["secret"]), command["command"])
        machine.referees[f"unix:{self._folder / ORGANISER}"] = referee
        self.children[REFEREE] = machine.add(REFEREE)
        self._tell(event="started", name=REFEREE, pid=self.children[REFEREE].pid, group="")
        loop = asyncio.get_running_loop()
        loop.call_later(REFEREE_START_S, self._say_ready, self.children[REFEREE])

    def _say_ready(self, process: Process) -> None:
        if not process.ended:
            self._tell(event="said", name=REFEREE, line="ready")

    def _start_bot(self, command: dict[str, Any]) -> None:
        machine, name = self._machine, command["name"]
        if machine.refuses:
            machine.refuses -= 1
            machine.refused[ProcessName.parse(name).bot] += 1
            self._tell(
                event="ended", name=name, how=REFUSED, output="", printed="", lack="the machine had no process left",
            )  # fmt: skip
            return
        process = self.children[name] = machine.add(name)
        bot = Bot(machine, process, command["env"]["PIPS_REFEREE"], bytes.fromhex(command["secret"]))
        process.tasks.append(asyncio.create_task(self._watch(process, bot)))
        self._tell(event="started", name=name, pid=process.pid, group="")

    async def _watch(self, process: Process, bot: Bot) -> None:
        await bot.run()
        self.end(process, "exit status 2")

    def _end_well(self) -> None:
        if not self._is_over:
            self._end_children()
            shutil.rmtree(self._folder, ignore_errors=True)
            self._lines.put_nowait(None)

    def _end_children(self) -> None:
        self._is_over = True
        if REFEREE in self.children:
            self._referee().end()
        for process in self.children.values():
            self._machine.remove(process)
        self.children.clear()
        self._machine.keepers.remove(self)

    def _referee(self) -> Referee:
        return self._machine.referees[f"unix:{self._folder / ORGANISER}"]

    def has(self, referee: Referee) -> bool:
        return self._machine.referees.get(f"unix:{self._folder / ORGANISER}") is referee
