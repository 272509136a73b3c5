"""Rules alone, and whole matches in one process: decisions a second on one core, random
play.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from random import Random
from time import process_time
from typing import Final

from pips_referee.cards import CARDS
from pips_referee.chance import Chance
from pips_referee.game import AnyState, get_game
from pips_referee.games.wichita.best import best_layout
from pips_referee.match import Match
from pips_sdk.search import house, play_on
from tests.lab.bench.echo import round_trips
from tests.lab.bench.figures import ROUNDS, Figure, figure, per_second

TABLES: Final = (
    ("serpent", 2, 150_000),
    ("wichita", 2, 60_000),
    ("wichita", 4, 60_000),
    ("pippip", 3, 150_000),
    ("pippip", 6, 150_000),
    ("dominion", 2, 60_000),
    ("dominion", 4, 60_000),
)
"""Game, seats, and the budget of its rules alone."""
WHOLE_MATCH: Final = 40_000
PLAYOUTS: Final = (("serpent", 2, 344), ("wichita", 2, 1220), ("pippip", 3, 170), ("dominion", 2, 138))
"""Game, seats, and the budget of playouts of whole matches with `greedy` everywhere.

It is twice what they were before anything was done for them.
"""


def bench(*, quick: bool) -> Iterator[Figure]:
    seconds, rounds = (0.05, 2) if quick else (0.4, ROUNDS)
    core = min(os.sched_getaffinity(0))
    for name, seats, budget in TABLES:
        alone, whole, floors = [], [], []
        play_rules, play_match = rules_alone(name, seats), whole_match(name, seats)
        for _ in range(rounds):
            with tempfile.TemporaryDirectory() as folder:
                floors.append(round_trips(Path(folder), core, int(4000 * seconds)))
            alone.append(per_second(play_rules, seconds))
            whole.append(per_second(play_match, seconds))
        yield figure(f"{name}, {seats} seats: rules alone", "decisions/s", alone, budget, floors=floors)
        yield figure(f"{name}, {seats} seats: whole match", "decisions/s", whole, WHOLE_MATCH, floors=floors)
    for name, seats, budget in PLAYOUTS:
        play = playouts(name, seats)
        done = [per_second(play, seconds) for _ in range(rounds)]
        yield figure(f"{name}, {seats} seats: playouts by greedy", "matches/s", done, budget)
        for part, work in parts(name, seats).items():
            took = [1e6 / per_second(work, seconds / 4) for _ in range(rounds)]
            yield figure(f"{name}, {seats} seats: {part}", "us", took, less_is_better=True)
    yield figure("best_layout of 25 cards", "ms", layouts(20 if quick else 200), 50, less_is_better=True)


def rules_alone(name: str, seats: int) -> Callable[[], int]:
    """One match: at every question the legal actions are begun, a random one is made
    and applied.
    """
    game, rng = get_game(name), Random(1)
    options = game.options()

    def play() -> int:
        state, _ = game.start(options, seats, Chance(rng.randbytes(32)))
        decisions = 0
        while state.to_ask is not None:
            next(state.legal_actions())
            state.apply(state.sample_action(rng))
            decisions += 1
        return decisions

    return play


def playouts(name: str, seats: int) -> Callable[[], int]:
    """One playout of a whole match from a redealt start, as a search makes them."""
    game, rng = get_game(name), Random(1)
    options = game.options()
    policy = house(import_module(f"pips_sample_bots.{name}.greedy_bot").GreedyBot, options, seats)
    start, _ = game.start(options, seats, Chance(bytes(32)))

    def play() -> int:
        state = start.redeal(rng)
        play_on(state, policy(state), policy)
        return 1

    return play


def parts(name: str, seats: int) -> dict[str, Callable[[], int]]:
    """What a search does beside its policy, at every question of a random match."""
    game, rng = get_game(name), Random(1)
    state, _ = game.start(game.options(), seats, Chance(bytes(32)))
    states: list[AnyState] = []
    while state.to_ask is not None:
        states.append(state.copy())
        state.apply(state.sample_action(rng))
    views = [state.view(state.to_ask) for state in states if state.to_ask is not None]

    def at_all(work: Callable[[AnyState], object]) -> Callable[[], int]:
        return lambda: len([work(state) for state in states])

    return {
        "a world imagined": lambda: len([view.sample_world(rng) for view in views]),
        "a copy": at_all(lambda state: state.copy()),
        "the first legal action": at_all(lambda state: next(state.legal_actions())),
        "a copy, a random action, applied": at_all(lambda state: state.copy().apply(state.sample_action(rng))),
    }


def whole_match(name: str, seats: int) -> Callable[[], int]:
    """One match with its views and events, answered from the view."""
    game, rng = get_game(name), Random(1)
    options = game.options()

    def play() -> int:
        match = Match(game, options, seats, Chance(rng.randbytes(32)))
        while not match.is_over:
            match.answer(match.question().view.random_action(rng))
        return match.outcome.questions

    return play


def layouts(count: int) -> list[float]:
    """Milliseconds of `best_layout` for hands of 25 random cards of two packs."""
    rng, times = Random(1), []
    pack = [*CARDS, *CARDS]
    for _ in range(count):
        rng.shuffle(pack)
        dice = (rng.randrange(6) + 1, rng.randrange(6) + 1)
        start = process_time()
        best_layout(pack[:25], dice)
        times.append(1000 * (process_time() - start))
    return times
