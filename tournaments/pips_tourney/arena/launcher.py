"""The runner's side of a keeper: to start and stop processes and learn how they end."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from pips_tourney.arena.folder import referee_command, start_command
from pips_tourney.arena.ground import KeeperProcess
from pips_tourney.bots.executable import Executable
from pips_tourney.sandbox.bubblewrap import EnclosedProgram
from pips_tourney.sandbox.tiers import NO_SANDBOX, Sandbox

SEATS_S: Final = 0.05
"""How long a change of seats may wait to be sent together with others."""

Listener = Callable[[dict[str, Any]], None]


class Launcher:
    """One keeper process.

    `on_event` receives its messages (keeper.py lists them). `on_lost` is called when it
    ends.
    """

    def __init__(self, keeper: KeeperProcess, on_event: Listener, on_lost: Callable[[], None]) -> None:
        self._keeper = keeper
        self._on_event, self._on_lost = on_event, on_lost
        self._listening: asyncio.Task[None]
        self._unsent: list[str] = []

    @staticmethod
    def begin(keeper: KeeperProcess, on_event: Listener, on_lost: Callable[[], None]) -> Launcher:
        """Listen to a keeper that has already started."""
        launcher = Launcher(keeper, on_event, on_lost)
        launcher._listening = asyncio.create_task(launcher._listen())
        return launcher

    def start(
        self, name: str, program: Executable, secret: bytes, sandbox: Sandbox = NO_SANDBOX, *, door: str = ""
    ) -> None:
        """Start a process inside its sandbox.

        The process reads `secret` from the descriptor that replaces `{fd}` in its
        command or environment. `door` is the path of its socket.
        """
        command = start_command(name, program, secret)
        command |= {"door": door, "as_another_user": sandbox.as_another_user}
        if sandbox.limits is not None:
            command |= {"limits": sandbox.limits._asdict(), "filtered": True}
        if isinstance(program, EnclosedProgram):
            command |= {"texts": dict(program.texts), "opened": dict(program.opened)}
            command |= {"wrapped": not program.home, "home": program.home}
        self._tell(**command)

    def start_referee(
        self, folder: Path, key: bytes, grace_s: float, more: Sequence[str], *, same_addresses: bool
    ) -> None:
        """Start the arena's referee, with more arguments (see `referee_command`)."""
        self._tell(**referee_command(folder, key, grace_s, more, same_addresses=same_addresses))

    def group(self, base: str) -> None:
        """Have the keeper make its bots' control groups below `base`."""
        self._tell(do="group", base=base)

    def seat(self, name: str, by: int) -> None:
        """Count a process in at a match (1), or out (-1), for its CPU limit.

        The limit is in seconds, so the command may wait for others: every match has
        four of them, and each write wakes the keeper.
        """
        if not self._unsent:
            asyncio.get_running_loop().call_later(SEATS_S, self._send)
        self._unsent.append(json.dumps({"do": "seat", "name": name, "by": by}))

    def stop(self, name: str) -> None:
        """Kill a process and its group; its end is reported like any other."""
        self._tell(do="stop", name=name)

    def show(self, name: str) -> None:
        """Ask for the end of what a process has printed."""
        self._tell(do="show", name=name)

    async def close(self) -> None:
        """End the keeper and all its descendants; return when all have ended."""
        self._send()
        self._keeper.close()
        await self._listening

    def _tell(self, **command: object) -> None:
        """Send a command; it is lost if the keeper has ended, as `on_lost` reports."""
        self._unsent.append(json.dumps(command))
        self._send()

    def _send(self) -> None:
        """Send the commands that were not sent yet, in their order."""
        lines, self._unsent = self._unsent, []
        if lines:
            self._keeper.write("\n".join([*lines, ""]).encode())

    async def _listen(self) -> None:
        """Read events until the keeper ends, which closes its standard output last.

        If it is killed while it writes, its last line is incomplete and is ignored.
        """
        async for line in self._keeper.events():
            if line.endswith(b"\n"):
                self._on_event(json.loads(line))
        await self._keeper.ended()
        self._on_lost()
