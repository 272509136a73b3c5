"""Standstills of the whole machine, and waits that leave them out.

A virtual machine or a laptop may stand still for a while. The clock goes on meanwhile,
and no account of the kernel has that time. A timer that is far too late shows it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from time import monotonic
from typing import Final

BEAT_S: Final = 0.05
STILL_S: Final = 0.5
"""The machine stood still if a timer comes so much too late."""
BEATS: Final = 20
"""A wait has so many beats, and at most as many more: one in which the machine stood
still does not count. So a wait ends on a machine that is always late.
"""


async def standstills(now: float) -> AsyncIterator[float]:
    """For how many seconds the machine stood still, each time that it did after
    `now`; at most `BEATS` times.
    """
    left = BEATS
    while left:
        await asyncio.sleep(BEAT_S)
        before, now = now, monotonic()
        if (late_s := now - before - BEAT_S) > STILL_S:
            left -= 1
            yield late_s


@asynccontextmanager
async def patience(seconds: float) -> AsyncIterator[asyncio.Timeout]:
    """Like `asyncio.timeout`, but without the time for which the machine stood
    still.
    """
    async with asyncio.timeout(None) as limit:
        waiting = asyncio.create_task(_run_out(limit, seconds))
        try:
            yield limit
        finally:
            waiting.cancel()


async def _run_out(limit: asyncio.Timeout, seconds: float) -> None:
    left = spare = BEATS
    while left:
        began_s = monotonic()
        await asyncio.sleep(seconds / BEATS)
        if spare and monotonic() - began_s - seconds / BEATS > STILL_S:
            spare -= 1
        else:
            left -= 1
    if not limit.expired():
        limit.reschedule(asyncio.get_running_loop().time())
