"""A little of lab `fuzz`: whatever a bot sends, referee and others are safe."""

from __future__ import annotations

from tests.lab.fuzz import FUZZERS, MUTATIONS, fuzz

MESSAGES = 1_000


async def test_mutated_messages_hurt_nobody_but_their_sender() -> None:
    sent = await fuzz(MESSAGES, seed=1)
    assert sent.messages.total() >= MESSAGES
    assert set(sent.messages) == {name for name, _ in MUTATIONS} | {"a hello"}
    assert sent.streams > 10 * len(FUZZERS)
    assert set(sent.aborted) <= {"malformed", "flood", "too large"}
    assert {"malformed", "wrong_question", "illegal", "flood"} <= set(sent.faults)
    assert sent.most_bytes - sent.first_bytes < 50_000_000
