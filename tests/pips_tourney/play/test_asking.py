"""A match for which a model gave no reply is void; the money's end pauses the night."""

from __future__ import annotations

import asyncio
from unittest.mock import Mock, call

import pytest

from pips_tourney.engines import Results
from pips_tourney.models.proxy import ModelProxy
from pips_tourney.night.decisions import PAUSE
from pips_tourney.night.programme import Fixture
from pips_tourney.play.asking import Doubted
from pips_tourney.play.ledger import Ledger

FIXTURE = Mock(spec=Fixture, match_id="m")


@pytest.mark.parametrize("why", ["", "gpt: no reply from its model"])
def test_a_match_without_a_reply_is_void_and_others_are_passed_on(why: str) -> None:
    results, proxy = Mock(spec=Results), Mock(spec=ModelProxy)
    proxy.lost.return_value = why
    doubted = Doubted(results, proxy)
    doubted.record(FIXTURE, b"record")
    doubted.void(FIXTURE, "the machine sneezed")
    doubted.output(FIXTURE, {"gpt": "hm"})
    doubted.out_of_turn(FIXTURE, {"gpt": 7})
    doubted.arena(FIXTURE, "0")
    assert results.mock_calls == [
        call.void(FIXTURE, why) if why else call.record(FIXTURE, b"record"),
        call.void(FIXTURE, why or "the machine sneezed"),
        call.output(FIXTURE, {"gpt": "hm"}),
        call.out_of_turn(FIXTURE, {"gpt": 7}),
        call.arena(FIXTURE, "0"),
    ]


async def test_a_pause_is_an_entry_as_the_directors() -> None:
    store = Mock()
    ledger = Ledger(store, Mock(), Mock())
    keeping = asyncio.create_task(ledger.keep())
    ledger.pause("gpt has spent 20 of max_cost = 20")
    ledger.close()
    await keeping
    store.add.assert_called_once_with([], [(PAUSE, {"reason": "gpt has spent 20 of max_cost = 20"})], [], ())
