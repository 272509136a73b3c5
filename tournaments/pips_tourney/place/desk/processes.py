"""Starting and ending the processes of a place."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final

from pips_referee.timing.standstill import patience

END_S: Final = 5.0
"""Seconds in which a process must end after its input is closed."""
LONGEST_LINE: Final = 1 << 22


def command(words: Sequence[str]) -> list[str]:
    """The command of a process of `place/child.py`."""
    return [sys.executable, "-m", "pips_tourney.place.child", *words]


async def start(words: Sequence[str], err: int) -> asyncio.subprocess.Process:
    """Start a process of `place/child.py`."""
    return await asyncio.create_subprocess_exec(
        *command(words), stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=err,
        start_new_session=True, limit=LONGEST_LINE,
    )  # fmt: skip


async def read_all(words: Sequence[str], seconds: float, hear: Callable[[bytes], None]) -> tuple[int | None, str]:
    """Run a process to its end, and call `hear` for each of its lines.

    Returns its exit code, None if it took too long, and its standard error.
    """
    child = await start(words, err=asyncio.subprocess.PIPE)
    assert child.stdout is not None and child.stderr is not None
    try:
        async with patience(seconds):
            told = asyncio.create_task(child.stderr.read())
            async for line in child.stdout:
                hear(line)
            return await child.wait(), (await told).decode(errors="replace")
    except TimeoutError:
        return None, ""
    finally:
        await end(child)


async def end(child: asyncio.subprocess.Process) -> None:
    """End a process by closing its input, and kill it if it does not end."""
    if child.stdin is not None:
        child.stdin.close()
    try:
        async with patience(END_S):
            await child.wait()
    except TimeoutError:
        with suppress(ProcessLookupError):
            child.kill()
        await child.wait()
