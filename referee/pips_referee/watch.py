"""The one clock of a referee: late answers, lost processes."""

from __future__ import annotations

import asyncio
from time import monotonic
from typing import Final

from pips_referee.clock import WATCH_S, Lateness
from pips_referee.lobby import GRACE_S, Lobby
from pips_referee.match import FaultKind
from pips_referee.session import STREAM_ENDED, Session
from pips_referee.table import late, too_long

ENDED_S: Final = 2.0
"""How long a lost stream may be that of a process about to end; then it has hung up. Of
one that has ended the launcher's word on how is waited for as long as for its return.
"""
TICKS_A_LOOK: Final = 10
"""After so many looks at the clocks what bots compute out of turn is looked at."""


async def watch(lobby: Lobby, grace_s: float = GRACE_S) -> None:
    """The one clock of a referee: late answers, lost processes."""
    ticks = 0
    try:
        while True:
            await asyncio.sleep(WATCH_S)
            now = monotonic()
            ticks += 1
            lobby.lateness.tick(now)
            for session in list(lobby.sessions.values()):
                session.lose_process()
                if session.connected.is_set():
                    _watch_clock(session, now, lobby.lateness)
                    session.ping(now)
                    if ticks % TICKS_A_LOOK == 0:
                        session.look_out_of_turn(now)
                elif session.lost_at is not None or session.queue:
                    _watch_lost(session, now, grace_s)
    finally:
        lobby.lateness.close()


def _watch_clock(session: Session, now: float, lateness: Lateness) -> None:
    spent = session.overdue(now, lateness.late_s)
    if spent is not None:
        head = session.queue[0]
        session.give_up()
        session.restart_clock(now)
        if not head.withdrawn:
            clock = head.table.clocks[head.seat]
            if spent.used_us > clock.limit_us:
                reason, detail = "late", late(spent.used_us, clock.limit_us)
            else:
                reason, detail = "longest", too_long(spent, clock.longest_us)
            head.table.fault(head.seat, FaultKind.TIMEOUT, reason, detail, spent=spent)
        session.stir()


def _watch_lost(session: Session, now: float, grace_s: float) -> None:
    """The head of a lost process's queue is faulted once; the other tables wait for the
    next process.
    """
    if session.lost_at is None:
        session.lost_at = now
    if session.ended is None and now - session.lost_at > ENDED_S and not session.process_is_gone():
        session.lose(FaultKind.DISCONNECT, STREAM_ENDED)
    grace_s = session.grace_s(grace_s)
    if now - session.lost_at > grace_s:
        if session.guest is not None:
            session.decided.set()  # no other match waits for it
        for table, seat in list(session.seats.values()):
            if table.is_open:  # one that still waits for its bots finds out by itself
                table.fault(seat, FaultKind.DISCONNECT, detail=f"not connected for {grace_s:g} s")
