"""A match for which a model gave no reply is void; the money's end pauses the night."""

from __future__ import annotations

import asyncio
from unittest.mock import Mock, call

import pytest

from pips_tourney.engines import Results
from pips_tourney.models.proxy import LostReply, ModelProxy
from pips_tourney.night.log.kinds import PAUSE
from pips_tourney.night.plan.fixtures import Fixture
from pips_tourney.play.asking import MOST_VOIDS, Doubted
from pips_tourney.play.ledger import Ledger


@pytest.mark.parametrize(
    ("lost", "redeal", "void"),
    [
        (None, 0, False),
        (LostReply("gpt", "no reply"), 0, True),
        (LostReply("gpt", "no reply"), MOST_VOIDS, False),
        (LostReply("gpt", "the money is spent", always=True), MOST_VOIDS, True),
    ],
)
def test_a_match_without_a_reply_is_void_at_most_twice_and_others_are_passed_on(
    lost: LostReply | None, redeal: int, void: bool
) -> None:
    results, proxy = Mock(spec=Results), Mock(spec=ModelProxy)
    fixture = Mock(spec=Fixture, match_id="m", redeal=redeal)
    proxy.lost.return_value = lost
    doubted = Doubted(results, proxy)
    doubted.record(fixture, b"record")
    doubted.void(fixture, "the machine sneezed")
    doubted.output(fixture, {"gpt": "hm"})
    doubted.out_of_turn(fixture, {"gpt": 7})
    doubted.arena(fixture, "0")
    assert results.mock_calls == [
        call.void(fixture, lost.why, "gpt") if void and lost else call.record(fixture, b"record"),
        call.void(fixture, lost.why, "gpt") if lost else call.void(fixture, "the machine sneezed", ""),
        call.output(fixture, {"gpt": "hm"}),
        call.out_of_turn(fixture, {"gpt": 7}),
        call.arena(fixture, "0"),
    ]


async def test_a_pause_is_an_entry_as_the_directors() -> None:
    store = Mock()
    ledger = Ledger(store, Mock(), Mock())
    keeping = asyncio.create_task(ledger.keep())
    ledger.pause("gpt has spent 20 of max_cost = 20")
    ledger.close()
    await keeping
    store.add.assert_called_once_with([], [(PAUSE, {"reason": "gpt has spent 20 of max_cost = 20"})], [])
