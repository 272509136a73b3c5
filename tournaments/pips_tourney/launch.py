"""The runner's end of a keeper: start and stop an arena's processes, hear how they end."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from pips_tourney.program import Program

KEEPER: Final = Path(__file__).with_name("keeper.py")
LINE_LIMIT: Final = 1 << 20

Listener = Callable[[dict[str, Any]], None]


class Launcher:
    """One keeper process. `on_event` gets its messages (keeper.py lists them), `on_lost` is called at its end."""

    def __init__(self, process: asyncio.subprocess.Process, on_event: Listener, on_lost: Callable[[], None]) -> None:
        self._process = process
        assert process.stdin is not None and process.stdout is not None
        self._commands, self._events = process.stdin, process.stdout
        self._on_event, self._on_lost = on_event, on_lost
        self._listening = asyncio.create_task(self._listen())

    @staticmethod
    async def begin(folder: Path, core: int, on_event: Listener, on_lost: Callable[[], None]) -> Launcher:
        """Start a keeper on a core; it removes `folder` when it ends."""
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-I", "-S", str(KEEPER), str(folder), str(core),
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=LINE_LIMIT, start_new_session=True,
        )  # fmt: skip
        return Launcher(process, on_event, on_lost)

    def start(self, name: str, program: Program, secret: bytes, *, listen: bool = False) -> None:
        """Start a process; it reads `secret` from the descriptor that stands for `{fd}` in command or environment."""
        self._tell(
            do="start", name=name, command=program.command, cwd=program.cwd, env=dict(program.env),
            secret=secret.hex(), listen=listen,
        )  # fmt: skip

    def stop(self, name: str) -> None:
        """Kill a process and its group; that it ended is told as of any other."""
        self._tell(do="stop", name=name)

    async def close(self) -> None:
        """End every descendant of the keeper, and the keeper; returns when none is left."""
        self._commands.close()
        await self._process.wait()
        await self._listening

    def _tell(self, **command: object) -> None:
        self._commands.write(json.dumps(command).encode() + b"\n")

    async def _listen(self) -> None:
        async for line in self._events:
            self._on_event(json.loads(line))
        self._on_lost()


def allowed_cores() -> list[int]:
    """The processor cores this process may use, in order."""
    return sorted(os.sched_getaffinity(0))
