"""The looks at connections, on simulated time: slow ones, and a machine that stands
still.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator

import pytest

from pips_referee.service import entrance
from pips_referee.service.entrance import LOOK_S, MOST_STRANGERS_EACH, UNKNOWN_S, Peer, Turnstile
from pips_referee.timing.standstill import STILL_S
from tests.lab.nights.virtual import BEGIN_S, Time, VirtualLoop

ODD_S = STILL_S + 0.1


class Street:
    """The connections to a port: fakes, with the seconds at which they were ended."""

    def __init__(self) -> None:
        self.now, self.gate = Time(), Turnstile()
        self.ends: dict[Peer, int] = {}
        self.gone_s: list[float] = []
        self.look_s = 0.0
        """How long a look at them takes."""

    def crowd(self, count: int) -> None:
        """So many come from one address."""
        self.ends |= {("6.6.6.6", len(self.ends) + number): number for number in range(count)}

    def connections(self, port: int) -> Iterator[tuple[Peer, int]]:
        self.now.stand_still(self.look_s)
        yield from list(self.ends.items())

    def hang_up(self, number: int, end: Peer) -> None:
        del self.ends[end]
        self.gone_s.append(self.now() - BEGIN_S)

    def pass_s(self, seconds: float, begin: Callable[[], object] = bool) -> None:
        """Look at intervals for so long; call `begin` first."""

        async def look() -> None:
            begin()
            looking = asyncio.create_task(self.gate.keep_looking())
            await asyncio.sleep(seconds)
            looking.cancel()

        with asyncio.Runner(loop_factory=lambda: VirtualLoop(self.now, lambda: 0.0)) as runner:
            runner.run(look())


@pytest.fixture
def street(monkeypatch: pytest.MonkeyPatch) -> Street:
    street = Street()
    monkeypatch.setattr(entrance, "monotonic", street.now)
    monkeypatch.setattr(entrance, "_connections", street.connections)
    monkeypatch.setattr(entrance, "_hang_up", street.hang_up)
    return street


def later(street: Street, after_s: float, still_s: float) -> Callable[[], object]:
    """The machine stands still for so long after a while."""
    return lambda: asyncio.get_running_loop().call_later(after_s, street.now.stand_still, still_s)


def test_a_look_that_takes_long_is_no_standstill(street: Street) -> None:
    """A crowd makes looks slow; that is no way to stay."""
    street.crowd(500)
    street.look_s = ODD_S
    street.pass_s(3.5 * (LOOK_S + ODD_S))
    assert len(street.ends) == MOST_STRANGERS_EACH
    street.pass_s(2 * UNKNOWN_S)
    assert not street.ends


def test_on_a_machine_that_is_always_late_strangers_go_too(street: Street) -> None:
    async def be_late() -> None:
        while True:
            await asyncio.sleep(LOOK_S / 2)
            street.now.stand_still(LOOK_S / 2 + ODD_S)

    tasks: list[asyncio.Task[None]] = []
    street.crowd(500)
    street.pass_s(6 * UNKNOWN_S, lambda: tasks.append(asyncio.create_task(be_late())))
    assert not street.ends


@pytest.mark.parametrize("after_s", [0.1, 1.9, 4.5])
def test_a_stranger_has_its_time_without_a_standstill(street: Street, after_s: float) -> None:
    street.crowd(1)
    street.pass_s(80.0, later(street, after_s, 60.0))
    (gone_s,) = street.gone_s
    assert 60.0 + UNKNOWN_S < gone_s <= 60.0 + UNKNOWN_S + 3 * LOOK_S


def test_a_crowd_that_comes_before_a_standstill_can_show_its_tokens_after_it(street: Street) -> None:
    """They lie unread when the machine goes on."""
    street.crowd(500)
    street.pass_s(80.0, later(street, 1.1 * LOOK_S, 60.0))
    assert min(street.gone_s) > 60.0 + 2 * LOOK_S and not street.ends
