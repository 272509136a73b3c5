"""A referee to talk to, and a clock to move."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from pips_referee.service import bots, organiser, timekeeper
from pips_referee.timing.clock import Lateness
from tests.pips_referee.house import FakeClock, House, open_house


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    async with open_house(tmp_path) as opened:
        yield opened


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> FakeClock:
    fake = FakeClock()
    for module in (bots, organiser, timekeeper):
        monkeypatch.setattr(module, "monotonic", fake)
    monkeypatch.setattr(timekeeper, "WATCH_S", 0.001)
    for look in ("late_s", "tick"):  # a jump of this clock is no delay of the referee's
        monkeypatch.setattr(Lateness, look, lambda lateness, now: 0.0)
    return fake
