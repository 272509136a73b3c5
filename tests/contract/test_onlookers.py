"""Whoever looks on sees what all seats see, and no hidden card: not in an event, not in
a byte of what is told of it.

What people may see is compared as it is for seats (test_wire_secrets.py): in worlds
that differ only in what some seat cannot see, the referee tells them the same.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from pips.v1 import referee_pb2
from pips_referee.cards import Card
from pips_referee.game import Event
from pips_referee.service import bots, organiser, timekeeper
from pips_referee.wire import get_wire
from tests.contract.cases import CASES, Case, cards_in, inside
from tests.contract.test_secrets import every_case, whole_log
from tests.contract.test_wire_secrets import NUMBER, USUAL, Seat, Wire, compared
from tests.pips_referee.house import House, open_house, serpent_header

pytestmark = pytest.mark.unmeasured  # the same lines again, in many worlds


@pytest.fixture
async def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[House]:
    """A referee without luck of its own, at whose tables no time passes."""
    for module in (bots, organiser, timekeeper):
        monkeypatch.setattr(module, "monotonic", lambda: 1000.0)
    monkeypatch.setattr("secrets.randbits", lambda bits: NUMBER)
    async with open_house(tmp_path) as opened:
        yield opened


@every_case
def test_those_who_look_on_see_all_cards_but_hidden_ones(case: Case) -> None:
    private, hides = inside(case.game_name).private, False
    for event in whole_log(case):
        open_cards: Counter[Card] = cards_in(event)
        for cards in private(event).values():
            open_cards -= Counter(cards)
            hides = True
        seen = event.seen_by_all(case.seats)
        assert seen is not None
        assert cards_in(seen) == open_cards, event
        assert all(seen.seen_by(seat) == seen for seat in range(case.seats)), "nobody at the table learns from it"
    assert hides is (case.game_name != "dominion"), "all that is hidden in the other games was there to be seen"


class Onlooker(Wire):
    """What somebody who looks on has been told by each question of one seat."""

    async def told(self, seat: Seat) -> list[bytes]:
        watched = referee_pb2.Watched(match_id="a-match")
        request = referee_pb2.WatchRequest(matches=[watched])
        response = await self.house.stub.Watch(request, metadata=self.house.organiser_door.metadata)
        assert response.matches[0].events
        return [response.SerializeToString(deterministic=True)]


@pytest.mark.parametrize("case", USUAL, ids=lambda case: case.id)
async def test_what_they_are_told_is_the_same_whatever_some_seat_cannot_see(
    house: House, monkeypatch: pytest.MonkeyPatch, case: Case
) -> None:
    worlds = {"serpent": 12, "wichita": 12, "pippip": 6, "dominion": 4}[case.game_name]
    assert await compared(house, monkeypatch, case, worlds, Onlooker) >= 3, "too few questions were compared"


async def test_a_hidden_card_would_be_found(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Event, "seen_by_all", lambda event, seats: event.seen_by(1))
    with pytest.raises(AssertionError, match="tells seat 0 what it cannot see"):
        await compared(house, monkeypatch, CASES[0], 80, Onlooker)


async def test_a_match_is_followed_from_where_one_was_and_with_open_cards_seen_whole(house: House) -> None:
    bots = await house.bot("a/0"), await house.bot("b/0")
    orders = house.orders()
    await orders.order(serpent_header(), ["a/0", "b/0"])
    await bots[0].read()  # the match is under way: the start, or a question

    async def look(start: int, *, open_cards: bool) -> referee_pb2.WatchedMatch:
        matches = [referee_pb2.Watched(match_id=name, start=start) for name in ("a-match", "another")]
        request = referee_pb2.WatchRequest(matches=matches, open_cards=open_cards)
        response = await house.stub.Watch(request, metadata=house.organiser_door.metadata)
        assert list(response.under_way) == ["a-match"]
        (found,) = response.matches
        return found

    wire = get_wire("serpent")
    shown, whole = await look(0, open_cards=False), await look(0, open_cards=True)
    assert shown.next == whole.next == len(whole.events)
    dealt, dealt_open = wire.read_event(shown.events[0]), wire.read_event(whole.events[0])
    assert dealt.hands == (None, None)
    assert None not in dealt_open.hands
    assert not (await look(shown.next, open_cards=False)).events
    last = await look(shown.next - 1, open_cards=True)
    assert (list(last.events), last.next) == (list(whole.events[-1:]), whole.next)
    await asyncio.gather(*(bot.play() for bot in bots))
    await orders.record()
    request = referee_pb2.WatchRequest(matches=[referee_pb2.Watched(match_id="a-match")])
    assert not (await house.stub.Watch(request, metadata=house.organiser_door.metadata)).matches
