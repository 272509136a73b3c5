"""A simulated machine: keepers, referees and bots as tasks of one loop."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import count
from pathlib import Path
from random import Random
from typing import Any, Final

from pips.v1 import player_pb2, referee_pb2
from pips_referee.bots import BotService
from pips_referee.game import Action
from pips_referee.organiser import OrganiserService
from pips_referee.sessions import SessionRegistry
from pips_referee.timekeeper import keep_time
from pips_referee.wire import get_wire
from pips_tourney.arena.arena import REFEREE
from pips_tourney.arena.folder import ORGANISER
from tests.nights.network import Aborted, Cut, Line, Network, rpc_error
from tests.nights.virtual import Time

FIRST_PID: Final = 1 << 30
"""No kernel gives a process a number as high as this."""
DIALS: Final = 50
"""A bot tries to come back so often after it lost its stream."""


def steady(view: Any) -> Action:
    """A legal action that depends on the view alone, so that it can be asked again."""
    legal = list(view.legal_actions())
    number = int.from_bytes(sha256(repr(view).encode()).digest()[:4], "big")
    action: Action = legal[number % len(legal)]
    return action


@dataclass(eq=False)
class Process:
    """A simulated process: its tasks, and how it ended."""

    name: str
    pid: int
    tasks: list[asyncio.Task[None]] = field(default_factory=list)
    ended: bool = False
    hangs: bool = False
    line: Line | None = None
    hello: player_pb2.Hello | None = None


class Referee:
    """A referee's process: the real services, without gRPC below them."""

    def __init__(self, network: Network, key: bytes, grace_s: float) -> None:
        self.registry = SessionRegistry(key)
        self.service = OrganiserService(self.registry, self, grace_s)
        self._network = network
        self._doors: set[str] = set()
        self.clock = asyncio.create_task(keep_time(self.registry, grace_s))
        self.dead: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def open(self, process: str, address: str) -> None:
        """Open a door, as `Doors` of the real referee does with a server."""
        self._network.listen(address, BotService(self.registry, door=process).Play)
        Path(address.removeprefix("unix:")).touch()  # noqa: ASYNC240 - it takes no time
        self._doors.add(address)

    async def close(self, address: str) -> None:
        self._network.close(address)
        self._doors.discard(address)
        Path(address.removeprefix("unix:")).unlink(missing_ok=True)  # noqa: ASYNC240 - it takes no time

    def end(self) -> None:
        """The process ends: its doors close, and its organiser's calls fail."""
        self.clock.cancel()
        for address in self._doors:
            self._network.close(address)
        if not self.dead.done():
            self.dead.set_result(None)


class Bot:
    """A bot's process: it says hello and answers, and comes back to a lost stream."""

    def __init__(self, machine: Machine, process: Process, address: str, token: bytes) -> None:
        self._machine, self._process, self._address = machine, process, address
        self._hello = process.hello = player_pb2.Hello(
            protocol_version=1, bot_name="steady", games=["serpent"], token=token
        )

    async def run(self) -> None:
        """Play until the referee sends it away."""
        await asyncio.sleep(self._machine.start_s())
        for _ in range(DIALS):
            try:
                line = self._process.line = self._machine.network.dial(self._address)
                line.to_referee.send(player_pb2.PlayRequest(hello=self._hello).SerializeToString())
                await self._answer(line)
            except Cut:
                pass
            await asyncio.sleep(0.05)

    async def _answer(self, line: Line) -> None:
        wire = get_wire("serpent")
        async for data in line.to_bot:
            message = player_pb2.PlayResponse.FromString(data)
            if message.HasField("welcome"):
                self._hello.session_key = message.welcome.session_key
            if not message.questions:
                continue
            await asyncio.sleep(self._machine.think_s())
            while self._process.hangs:  # noqa: ASYNC110 - it hangs
                await asyncio.sleep(1.0)
            request = player_pb2.PlayRequest()
            for question in message.questions:
                answer = request.answers.add(table=question.table, number=question.number)
                wire.write_action(steady(wire.read_view(question.view)), answer.action)
            line.to_referee.send(request.SerializeToString())


class Machine:
    """One machine: what its launchers start, and what can fail."""

    CALM: Final = {"delay_s": 0.0005, "slow_start_s": 0.0, "disk_s": 0.001}
    """What messages, starts and commits take while nothing is slow, in seconds."""

    def __init__(self, now: Time, luck: Random, database: Path) -> None:
        self.now, self.luck, self.database = now, luck, database
        self.network = Network(lambda: self.delay_s)
        self.delay_s, self.slow_start_s, self.disk_s = self.CALM.values()
        self.disk_trouble = ""
        """The pragma that makes the next commit fail as the disk would."""
        self.on_kill: Callable[[bytes], None] = lambda torn: None
        """Called at the runner's end, with the torn bytes of its last commit."""
        self.refuses = 0
        """How many starts of bots it refuses from now on."""
        self.processes: dict[int, Process] = {}
        self.referees: dict[str, Referee] = {}
        self.launchers: list[SimulatedLauncher] = []
        self._pids = count(FIRST_PID)

    def start_s(self) -> float:
        return 0.1 + self.luck.random() * 0.05 + self.slow_start_s

    def think_s(self) -> float:
        return 0.001 + self.luck.random() * 0.004

    def reset(self) -> None:
        """Begin another run on it; the machine is calm again."""
        self.delay_s, self.slow_start_s, self.disk_s = self.CALM.values()
        self.disk_trouble, self.refuses = "", 0
        self.processes.clear()
        self.launchers.clear()
        self.network.reset()

    def left(self) -> list[str]:
        """What a run has left behind on the machine, in words."""
        processes = [f"process {process.name}" for process in self.processes.values()]
        streams = [f"a stream at {address}" for address in self.network.lines.values()]
        return [*processes, *streams, *("a keeper" for _ in self.launchers)]

    def is_alive(self, pid: int) -> bool:
        return pid in self.processes

    def add(self, name: str, *work: Coroutine[Any, Any, None]) -> Process:
        """Begin a process."""
        process = Process(name, next(self._pids), [asyncio.create_task(part) for part in work])
        self.processes[process.pid] = process
        return process

    def remove(self, process: Process) -> None:
        """End a process at once; its stream is cut."""
        process.ended = True
        self.processes.pop(process.pid, None)
        for task in process.tasks:
            task.cancel()
        if process.line is not None:
            process.line.cut()

    def bots(self) -> list[Process]:
        """The bots' living processes."""
        return [process for process in self.processes.values() if process.name != REFEREE]

    async def begin_launcher(
        self, folder: Path, core: int, on_event: Callable[[dict[str, Any]], None], on_lost: Callable[[], None],
        group: str = "",
    ) -> SimulatedLauncher:  # fmt: skip
        """What `Launcher.begin` does."""
        launcher = SimulatedLauncher(self, folder, on_event, on_lost)
        self.launchers.append(launcher)
        return launcher


class SimulatedLauncher:
    """A keeper and the runner's side of it, in place of `Launcher`."""

    def __init__(
        self, machine: Machine, folder: Path, on_event: Callable[[dict[str, Any]], None], on_lost: Callable[[], None]
    ) -> None:
        self._machine, self._folder = machine, folder
        self._on_event, self._on_lost = on_event, on_lost
        self.children: dict[str, Process] = {}
        self._is_closed = False

    def start(self, name: str, program: Any, secret: bytes, *_: object, **__: object) -> None:
        if self._is_closed:
            return
        machine = self._machine
        if name == REFEREE:
            words = list(program.command)
            grace_s = float(words[words.index("--grace-s") + 1])
            referee = Referee(machine.network, secret, grace_s)
            machine.referees[f"unix:{self._folder / ORGANISER}"] = referee
            self.children[name] = machine.add(name)
            self._later(0.3, {"event": "said", "name": name, "line": "ready"})
            return
        if machine.refuses:
            machine.refuses -= 1
            self._later(0.01, {"event": "ended", "name": name, "how": "could not be started",
                               "output": "", "lack": "the machine had no process left"})  # fmt: skip
            return
        process = self.children[name] = machine.add(name)
        bot = Bot(machine, process, program.env["PIPS_REFEREE"], secret)
        process.tasks.append(asyncio.create_task(self._watch(process, bot)))
        self._later(0.005, {"event": "started", "name": name, "pid": process.pid})

    async def _watch(self, process: Process, bot: Bot) -> None:
        await bot.run()
        self.end(process, "exit status 2")

    def seat(self, name: str, by: int) -> None:
        """Its CPU limit is the machine's affair, and there is none."""

    def stop(self, name: str) -> None:
        if name in self.children:
            self.end(self.children[name], "killed by SIGKILL")

    def show(self, name: str) -> None:
        self._later(0.001, {"event": "shown", "name": name, "output": ""})

    def end(self, process: Process, how: str) -> None:
        """End a child of this keeper; the runner is told."""
        if process.ended:
            return
        self._machine.remove(process)
        if self.children.get(process.name) is process:
            del self.children[process.name]
        if process.name == REFEREE:
            self._referee().end()
        self._later(0.003, {"event": "ended", "name": process.name, "how": how, "output": ""})

    def die(self) -> None:
        """The keeper ends, and all its children with it."""
        if not self._is_closed:
            self._end_all()
            asyncio.get_running_loop().call_later(0.002, self._on_lost)

    async def close(self) -> None:
        if not self._is_closed:
            self._end_all()
            await asyncio.sleep(0.01)
            self._on_lost()

    def _end_all(self) -> None:
        self._is_closed = True
        if REFEREE in self.children:
            self._referee().end()
        for process in self.children.values():
            self._machine.remove(process)
        self.children.clear()
        self._machine.launchers.remove(self)
        shutil.rmtree(self._folder, ignore_errors=True)  # as the real keeper does

    def _referee(self) -> Referee:
        return self._machine.referees[f"unix:{self._folder / ORGANISER}"]

    def _later(self, seconds: float, event: dict[str, Any]) -> None:
        def tell() -> None:
            if not self._is_closed:
                self._on_event(event)

        asyncio.get_running_loop().call_later(seconds, tell)


class Channel:
    """A channel to a referee's organiser socket."""

    def __init__(self, machine: Machine, address: str) -> None:
        self.machine, self.address = machine, address

    async def close(self, *_: object) -> None:
        """There is nothing to close: its calls end by themselves."""


class Stub:
    """What the organiser calls, in place of gRPC's stub."""

    def __init__(self, channel: Channel) -> None:
        self._referee = channel.machine.referees[channel.address]
        self._network = channel.machine.network

    async def OpenDoor(self, request: referee_pb2.OpenDoorRequest, **_: object) -> Any:  # noqa: N802 - its name in the contract
        return await self._call(self._referee.service.OpenDoor, request)

    async def CloseDoor(self, request: referee_pb2.CloseDoorRequest, **_: object) -> Any:  # noqa: N802 - its name in the contract
        return await self._call(self._referee.service.CloseDoor, request)

    async def ListBots(self, request: referee_pb2.ListBotsRequest, **_: object) -> Any:  # noqa: N802 - its name in the contract
        return await self._call(self._referee.service.ListBots, request)

    async def _call(self, method: Any, request: Any) -> Any:
        await asyncio.sleep(self._network.delay_s())
        if self._referee.dead.done():
            raise rpc_error("failed to connect to all addresses")
        try:
            return await method(request, Line(self._network.delay_s))
        except Aborted as error:
            raise rpc_error(error.details, error.code) from None

    async def RunMatch(  # noqa: N802 - its name in the contract
        self, requests: AsyncIterator[referee_pb2.RunMatchRequest], **_: object
    ) -> AsyncIterator[referee_pb2.RunMatchResponse]:
        line: Any = Line(self._network.delay_s)
        results = self._referee.service.RunMatch(_as_sent(requests), line)
        dead = self._referee.dead
        try:
            while True:
                following: asyncio.Future[Any] = asyncio.ensure_future(anext(results))
                waited: list[asyncio.Future[Any]] = [following, dead]
                await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
                if dead.done():
                    following.cancel()
                    with suppress(BaseException):
                        await following
                    raise rpc_error("Socket closed")
                try:
                    yield following.result()
                except StopAsyncIteration:
                    return
        finally:
            if not dead.done():
                following.cancel()


async def _as_sent(requests: AsyncIterator[referee_pb2.RunMatchRequest]) -> AsyncIterator[referee_pb2.RunMatchRequest]:
    """Messages as they arrive: no object is shared by two processes."""
    async for request in requests:
        yield referee_pb2.RunMatchRequest.FromString(request.SerializeToString())
