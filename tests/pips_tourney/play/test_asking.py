"""A match for which a model gave no reply is void; the money's end pauses the night."""

from __future__ import annotations

import asyncio
from unittest.mock import Mock, call

import pytest

from pips_tourney.engines import PlayedMatch
from pips_tourney.models.proxy import LostReply, ModelProxy
from pips_tourney.night.log.kinds import PAUSE
from pips_tourney.night.plan.fixtures import Fixture
from pips_tourney.play.asking import MOST_VOIDS, doubted
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
    results, proxy = Mock(), Mock(spec=ModelProxy)
    fixture = Mock(spec=Fixture, match_id="m", redeal=redeal)
    proxy.lost.return_value = lost
    take = doubted(proxy, results)
    played, spoilt = PlayedMatch(b"record", arena="0", output={"gpt": "hm"}), PlayedMatch(void="the machine sneezed")
    take(fixture, played)
    take(fixture, spoilt)
    unanswered = PlayedMatch(void=lost.why, failed="gpt") if lost else spoilt
    assert results.mock_calls == [call(fixture, unanswered if void else played), call(fixture, unanswered)]


async def test_a_pause_is_an_entry_as_the_directors() -> None:
    store = Mock()
    ledger = Ledger(store, Mock(), Mock())
    keeping = asyncio.create_task(ledger.keep())
    ledger.pause("gpt has spent 20 of max_cost = 20")
    ledger.close()
    await keeping
    store.add.assert_called_once_with([], [(PAUSE, {"reason": "gpt has spent 20 of max_cost = 20"})], [])
