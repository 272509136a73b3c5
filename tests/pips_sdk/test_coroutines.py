"""Bots with `async` methods: their answers are awaited."""

from __future__ import annotations

import asyncio

from pips_sdk import play_match
from pips_sdk.serpent import Card, SerpentBot, SerpentView

SEED = bytes(32)


class Waits(SerpentBot):
    async def lead(self, view: SerpentView) -> Card:  # type: ignore[override]
        await asyncio.sleep(0)
        return await self.best(view)

    async def answer(self, view: SerpentView) -> Card:  # type: ignore[override]
        return await self.lead(view)  # one awaits another

    async def best(self, view: SerpentView) -> Card:
        return max(view.playable)


class Plain(SerpentBot):
    def lead(self, view: SerpentView) -> Card:
        return max(view.playable)

    def answer(self, view: SerpentView) -> Card:
        return max(view.playable)


class Fails(Plain):
    async def lead(self, view: SerpentView) -> Card:  # type: ignore[override]
        raise ValueError("no answer came")


def test_an_async_bot_plays_as_the_same_bot_without() -> None:
    match = play_match([Waits, Waits], SEED)
    assert not match.faults
    assert match.outcome == play_match([Plain, Plain], SEED).outcome


def test_what_a_coroutine_raises_is_the_bots_fault() -> None:
    match = play_match([Fails, Plain], SEED)
    assert {fault.seat for fault in match.faults} == {0}
    assert "ValueError: no answer came (at test_coroutines.py:" in match.faults[0].detail
