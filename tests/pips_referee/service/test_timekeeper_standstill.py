"""The referee's one clock, on simulated time, while the machine stands still."""

from __future__ import annotations

import asyncio

import pytest

from pips_referee.service import timekeeper
from pips_referee.service.guest import SILENT_S, Guest, Way
from pips_referee.service.session import Session
from pips_referee.service.sessions import SessionRegistry
from pips_referee.service.timekeeper import keep_time
from tests.lab.nights.virtual import BEGIN_S, Time, VirtualLoop
from tests.pips_referee.guests import TERMS, asked_session, match_of
from tests.pips_referee.house import KEY


def silent_session(now: float) -> Session:
    """A guest at no table, with a ping out that does not come back."""
    session = Session("b/*/*")
    session.invite(Guest(session.process, b"", ("serpent",), Way(TERMS)))
    session.connect("bare", ["serpent"])
    way = session.way
    assert way is not None and way.pong(session.take_out(now - 10.0).ping, now - 9.9)
    way.ping(now)
    return session


@pytest.mark.parametrize(
    ("late_s", "left_out_s"),
    [
        (0.0, 0.0),
        (0.4, 0.0),  # the referee was busy
        (1.0, 1.0),
        (60.0, 60.0),
    ],
)
def test_who_is_lost_or_silent_has_its_time_without_a_standstill(
    monkeypatch: pytest.MonkeyPatch, late_s: float, left_out_s: float
) -> None:
    now = Time()
    monkeypatch.setattr(timekeeper, "monotonic", now)
    registry, lost, silent = SessionRegistry(KEY), asked_session(), silent_session(now())
    registry.sessions |= {one.process: one for one in (lost, silent)}
    match = match_of(lost.queue[0])
    over_s: dict[str, float] = {}

    async def keep() -> None:
        lost.disconnect(now())
        asyncio.get_running_loop().call_later(1.0, now.stand_still, late_s)
        keeping = asyncio.create_task(keep_time(registry))
        while len(over_s) < 2:
            await asyncio.sleep(0.01)
            if silent.closing:
                over_s.setdefault("silent", now() - BEGIN_S)
            if match.faulted:
                over_s.setdefault("lost", now() - BEGIN_S)
        keeping.cancel()

    with asyncio.Runner(loop_factory=lambda: VirtualLoop(now, lambda: 0.0)) as runner:
        runner.run(keep())
    assert over_s == {
        "silent": pytest.approx(SILENT_S + left_out_s, abs=0.1),
        "lost": pytest.approx(TERMS.grace_s + left_out_s, abs=0.1),
    }
