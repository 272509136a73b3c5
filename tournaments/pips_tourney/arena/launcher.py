"""The runner's end of a keeper: start and stop an arena's processes, hear
how they end.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from pips_tourney.bots.executable import Executable
from pips_tourney.sandbox.bubblewrap import EnclosedProgram
from pips_tourney.sandbox.tiers import NO_SANDBOX, Sandbox

KEEPER: Final = Path(__file__).with_name("keeper.py")
LINE_LIMIT: Final = 1 << 20

Listener = Callable[[dict[str, Any]], None]


class Launcher:
    """One keeper process. `on_event` gets its messages (keeper.py lists them),
    `on_lost` is called at its end.
    """

    def __init__(self, process: subprocess.Popen[bytes], on_event: Listener, on_lost: Callable[[], None]) -> None:
        self._process = process
        self._on_event, self._on_lost = on_event, on_lost
        self._commands: asyncio.WriteTransport
        self._listening: asyncio.Task[None]

    @staticmethod
    async def begin(
        folder: Path, core: int, on_event: Listener, on_lost: Callable[[], None], group: str = ""
    ) -> Launcher:
        """Start a keeper on a core; it removes `folder` when it ends. `group`: where it
        makes control groups.
        """
        # Popen and not asyncio's: it leaves gRPC's handlers of fork alone, which this
        # process may be too busy for.
        process = subprocess.Popen(  # noqa: ASYNC220 - it returns when the keeper has begun
            [sys.executable, "-I", "-S", str(KEEPER), str(folder), str(core), group],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip
        launcher = Launcher(process, on_event, on_lost)
        loop = asyncio.get_running_loop()
        events = asyncio.StreamReader(LINE_LIMIT)
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(events), process.stdout)
        launcher._commands, _ = await loop.connect_write_pipe(asyncio.Protocol, process.stdin)
        launcher._listening = asyncio.create_task(launcher._listen(events))
        return launcher

    def start(
        self,
        name: str,
        program: Executable,
        secret: bytes,
        sandbox: Sandbox = NO_SANDBOX,
        *,
        listen: bool = False,
        door: str = "",
    ) -> None:
        """Start a process; it reads `secret` from the descriptor that stands for `{fd}`
        in command or environment.

        The program is one that the sandbox has enclosed. `door` is the path of its
        socket.
        """
        limits = sandbox.limits
        self._tell(
            do="start", name=name, command=program.command, cwd=program.cwd, env=dict(program.env), secret=secret.hex(),
            listen=listen, door=door, limits=None if limits is None else limits._asdict(),
            as_another_user=sandbox.as_another_user, wrapped=isinstance(program, EnclosedProgram),
            filtered=limits is not None,
            texts=dict(program.texts) if isinstance(program, EnclosedProgram) else {},
            opened=dict(program.opened) if isinstance(program, EnclosedProgram) else {},
        )  # fmt: skip

    def seat(self, name: str, by: int) -> None:
        """A process sits down at a match (1), or leaves one (-1): its CPU time is
        limited by match.
        """
        self._tell(do="seat", name=name, by=by)

    def stop(self, name: str) -> None:
        """Kill a process and its group; that it ended is told as of any other."""
        self._tell(do="stop", name=name)

    def show(self, name: str) -> None:
        """Ask for the end of what a process has printed."""
        self._tell(do="show", name=name)

    async def close(self) -> None:
        """End every descendant of the keeper, and the keeper; returns when none is
        left.
        """
        self._commands.close()
        await self._listening

    def _tell(self, **command: object) -> None:
        """What is told to a keeper that has ended is lost with it: `on_lost`
        says so.
        """
        if not self._commands.is_closing():
            self._commands.write(json.dumps(command).encode() + b"\n")

    async def _listen(self, events: asyncio.StreamReader) -> None:
        """Until the keeper ends, which closes its standard output last of all."""
        async for line in events:
            self._on_event(json.loads(line))
        await asyncio.to_thread(self._process.wait)
        self._on_lost()


def allowed_cores() -> list[int]:
    """The processor cores this process may use, in order."""
    return sorted(os.sched_getaffinity(0))
