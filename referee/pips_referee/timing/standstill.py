"""Standstills of the whole machine, and waits that leave them out.

A virtual machine or a laptop may stand still for a while. The clock goes on, but no
kernel account includes that time. A timer that is far too late shows it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from time import monotonic
from typing import Final

BEAT_S: Final = 0.05
STILL_S: Final = 0.5
"""A timer late by more seconds than this shows that the machine stood still."""
BEATS: Final = 20
"""The number of beats in a wait, and of the most beats to repeat.

A beat in which the machine stood still is repeated. The limit lets a wait end even on a
machine that is always late.
"""


async def standstills(now: float) -> AsyncIterator[float]:
    """Yield for how many seconds the machine stood still, after each standstill.

    It ends after `BEATS` of them; `now` is the time from which they count.
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
    """Like `asyncio.timeout`, but not counting standstills of the machine."""
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
