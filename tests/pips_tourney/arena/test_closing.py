"""What puts things in order is done to its end."""

from __future__ import annotations

import asyncio

import pytest

from pips_tourney.arena.exchange import to_its_end


async def test_a_signal_that_comes_meanwhile_is_heard_afterwards() -> None:
    done: list[str] = []
    goes_on = asyncio.Event()

    async def tidy() -> None:
        done.append("begun")
        await goes_on.wait()
        done.append("ended")

    closing = asyncio.create_task(to_its_end(tidy()))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    closing.cancel()
    await asyncio.sleep(0)
    assert done == ["begun"] and not closing.done()
    goes_on.set()
    with pytest.raises(asyncio.CancelledError):
        await closing
    assert done == ["begun", "ended"]


async def test_what_fails_says_so() -> None:
    async def fails() -> None:
        raise OSError("no room")

    with pytest.raises(OSError, match="no room"):
        await to_its_end(fails())
