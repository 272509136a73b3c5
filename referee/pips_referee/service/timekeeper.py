"""The referee's only clock: late answers, lost processes."""

from __future__ import annotations

import asyncio
from time import monotonic
from typing import Final

from pips_referee.service.sessions import GRACE_S, SessionRegistry
from pips_referee.timing.clock import WATCH_S
from pips_referee.timing.standstill import STILL_S

TICKS_A_LOOK: Final = 10
"""CPU time out of turn is measured at every tenth tick."""


async def keep_time(registry: SessionRegistry, grace_s: float = GRACE_S) -> None:
    """Check the clocks for ever: late answers, lost processes."""
    ticks = 0
    try:
        while True:
            await asyncio.sleep(WATCH_S)
            now = monotonic()
            ticks += 1
            still_s = late_s if (late_s := registry.lateness.tick(now)) > STILL_S else 0.0
            for session in list(registry.sessions.values()):
                if still_s:
                    session.stood_still(now, still_s)
                session.lose_process()
                if session.connected.is_set():
                    session.fault_overdue(now, registry.lateness.late_s)
                    session.ping(now)
                    if ticks % TICKS_A_LOOK == 0:
                        session.look_out_of_turn(now)
                elif session.queue or (session.lost_at is not None and (session.seats or session.guest is not None)):
                    session.await_return(now, grace_s)
    finally:
        registry.lateness.close()
