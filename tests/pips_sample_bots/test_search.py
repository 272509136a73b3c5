"""The searching bots: better than greedy in every game, repeatable, legal, and quick
enough for a night of hundreds.

The deals are fixed and few, so the thresholds are low; the figures beside them are from
more deals, with the interval of 95 %: the share of the others that it beats when the
others are greedy.
"""

from __future__ import annotations

from importlib import import_module
from random import Random
from time import process_time
from typing import Any

import pytest

from pips_referee.chance import Chance
from pips_referee.game import REGISTRY, Options, get_game
from pips_sdk import Bot, play_match
from pips_sdk.dominion import Declare, DominionOptions, DominionView, Pass
from pips_sdk.search import house

SECONDS_A_MATCH = 2


def bots(game: str) -> tuple[type[Bot], type[Bot]]:
    search = import_module(f"pips_sample_bots.{game}.search_bot").SearchBot
    greedy = import_module(f"pips_sample_bots.{game}.greedy_bot").GreedyBot
    return search, greedy


def share(game: str, seats: int, options: Options, deals: int) -> float:
    """How many of the others it beats, a tie being half, when it sits everywhere once
    on every deal.
    """
    search, greedy = bots(game)
    beaten = 0.0
    for deal in range(deals):
        for seat in range(seats):
            outcome = play_match(
                [search if place == seat else greedy for place in range(seats)], deal.to_bytes(32, "big"), options
            ).outcome
            assert outcome.faults == ()
            mine = outcome.places[seat]
            others = [place for other, place in enumerate(outcome.places) if other != seat]
            beaten += sum((mine < place) + (mine == place) / 2 for place in others) / len(others)
    return beaten / (deals * seats)


@pytest.mark.unmeasured
@pytest.mark.parametrize("game", ["dominion", "wichita"])
@pytest.mark.parametrize("seats", [2, 4])
def test_in_playouts_greedy_answers_as_from_its_view(game: str, seats: int) -> None:
    greedy: Any = bots(game)[1]
    options, rng = get_game(game).options(), Random(seats)
    policy = house(greedy, options, seats)
    asked: set[str] = set()
    for _ in range(8):
        state, _ = get_game(game).start(options, seats, Chance(rng.randbytes(32)))
        while state.to_ask is not None:
            usual = greedy().choose(state.view(state.to_ask))
            assert policy(state) == greedy.in_playouts(state) == usual
            asked.add(state.kind)
            state.apply(state.sample_action(rng) if rng.random() < 0.3 else usual)
        with pytest.raises(LookupError, match="nobody is asked"):
            policy(state)
    assert asked >= {*get_game(game).kinds} - {"resign"}


def test_a_derived_class_is_asked_by_its_own_choose() -> None:
    class Peaceful(bots("dominion")[1]):  # type: ignore[misc] # a class found by its name
        def declare(self, view: DominionView) -> bool:
            return False

    options, seen = DominionOptions(size=3), set()
    policy, greedy = (house(each, options, 2) for each in (Peaceful, bots("dominion")[1]))
    state, _ = get_game("dominion").start(options, 2, Chance(bytes(32)))
    while state.to_ask is not None:
        action = greedy(state)
        if state.kind == "declare":
            assert policy(state) == Pass()
            seen.add(action)
        state.apply(action)
    assert Declare() in seen


@pytest.mark.unmeasured
@pytest.mark.parametrize(
    ("game", "seats", "values", "deals"),
    [
        ("serpent", 2, {}, 10),  # 0.75 ± 0.16 in 10 deals
        ("wichita", 2, {}, 40),  # 0.67 ± 0.02 in 900
        pytest.param("pippip", 3, {}, 12, marks=pytest.mark.long),  # 0.65 ± 0.03 in 100
        ("dominion", 2, {"size": 3}, 6),  # 0.83 ± 0.11 in 20
    ],
)
def test_it_beats_greedy_in_little_time(game: str, seats: int, values: dict[str, object], deals: int) -> None:
    began = process_time()
    assert share(game, seats, get_game(game).options(values), deals) > 0.5
    assert (process_time() - began) / (deals * seats) < SECONDS_A_MATCH


@pytest.mark.parametrize("game", REGISTRY)
def test_it_answers_the_same_again(game: str) -> None:
    search, greedy = bots(game)
    options = get_game(game).options({"size": 3, "max_rounds": 6} if game == "dominion" else {})
    seated = [search, greedy, search][: get_game(game).seats(options)[0]]
    one, other = (play_match(seated, bytes(32), options) for _ in range(2))
    assert one.log == other.log and one.outcome.faults == ()


@pytest.mark.parametrize(("game", "seats"), [("wichita", 6), ("pippip", 6), ("dominion", 4)])
def test_it_plays_with_many(game: str, seats: int) -> None:
    search, greedy = bots(game)
    options = get_game(game).options({"max_rounds": 3} if game == "dominion" else {})
    match = play_match([search if seat % 3 == 0 else greedy for seat in range(seats)], bytes(32), options)
    assert match.outcome.faults == ()
