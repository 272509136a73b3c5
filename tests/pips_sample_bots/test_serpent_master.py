"""Serpent's bot that thinks by the clock: legal, within its time, and its gifts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import pytest

from pips_referee.chance import Chance
from pips_referee.game import get_game
from pips_sample_bots.serpent import master_bot
from pips_sample_bots.serpent.master_bot import Gifts, Giving, MasterBot
from pips_sample_bots.serpent.search_bot import DEFENDER, DIRECTOR, SearchBot
from pips_sdk import play_match
from pips_sdk.serpent import Card, SerpentOptions, SerpentView


def test_it_takes_its_share_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fifth of a second or a quarter of its clock; with little it is `search`."""
    given: list[int] = []

    def rounds(worlds: int, ms: int) -> Iterator[int]:
        given.append(ms)
        return iter(range(1))

    monkeypatch.setattr(master_bot, "rounds", rounds)
    options = SerpentOptions(2)
    assert play_match([MasterBot] * 2, bytes(32), options).outcome.faults == ()
    assert {*given} == {200}
    bot = MasterBot()
    bot.begin(0, 2, options, bytes(32))
    given.clear()
    bot.time_left_ms = 600
    bot.give(giving())
    assert given == [150]
    bot.time_left_ms = 100
    assert bot.give(giving()) == SearchBot().give(giving())
    assert given == [150]


def giving() -> SerpentView:
    state, _ = get_game("serpent").start(SerpentOptions(2), 2, Chance(bytes(32)))
    view = state.view(0)
    assert isinstance(view, SerpentView)
    assert view.kind == "give"
    return view


def test_what_is_given_is_in_the_other_hand() -> None:
    view, bot = giving(), MasterBot()
    world = Gifts(view).sample_world(bot.rng)
    assert not {*world.defender} & {*view.hand}
    assert (len(world.director), len(world.defender)) == (9, 3)
    given = tuple(view.hand[:3])
    twin = world.copy()
    twin.apply(given)
    assert twin.hand is not None
    assert twin.hand.cards[DIRECTOR] == list(view.hand[3:])
    assert twin.hand.cards[DEFENDER] == [*world.defender, *given]
    assert world.hand is None
    assert (world.to_ask, twin.to_ask) == (DIRECTOR, DIRECTOR)


def test_it_gives_what_is_better(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its three cards do better than the mean of all ways in worlds of their own."""
    view, bot = giving(), MasterBot()
    bot.begin(0, 2, SerpentOptions(2), bytes(32))
    monkeypatch.setattr(MasterBot, "worlds", lambda self: iter(range(60)))
    given = tuple(bot.give(view))
    ways: list[tuple[Card, ...]] = list(combinations(view.playable, 3))
    found = bot.compare_gifts(view, ways, iter(range(60)))
    means = dict(zip(ways, found.means, strict=True))
    assert means[given] > sum(means.values()) / len(means) + 1
    assert isinstance(Gifts(view).sample_world(bot.rng), Giving)
