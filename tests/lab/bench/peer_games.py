"""Random play in other people's libraries, by the interpreter of an environment that
holds them.

Reads lines `NAME SECONDS`, prints the decisions a second of one core; without a line,
ends.
"""

from __future__ import annotations

import json
import random
import sys
import warnings
from collections.abc import Callable
from contextlib import redirect_stdout
from time import process_time
from typing import Any

warnings.simplefilter("ignore")
Playthrough = Callable[[], int]
"""Plays one match at random; how many decisions that were."""


def open_spiel(name: str) -> Playthrough:
    """Its C++ core, driven from Python."""
    import pyspiel

    game = pyspiel.load_game(name)

    def play() -> int:
        state, decisions = game.new_initial_state(), 0
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(random.choices(*zip(*state.chance_outcomes(), strict=True))[0])
            else:
                state.apply_action(random.choice(state.legal_actions()))
                decisions += 1
        return decisions

    return play


def rlcard(name: str) -> Playthrough:
    """States with observations, as its agents get them."""
    import rlcard as library

    env = library.make(name)

    def play() -> int:
        state, _ = env.reset()
        decisions = 0
        while not env.is_over():
            state, _ = env.step(random.choice(list(state["legal_actions"])))
            decisions += 1
        return decisions

    return play


def pettingzoo(name: str) -> Playthrough:
    """The AEC loop of its documentation."""
    from importlib import import_module

    env = import_module(f"pettingzoo.classic.{name}").env()

    def play() -> int:
        env.reset()
        decisions = 0
        for _ in env.agent_iter():
            observation, _, over, cut, _ = env.last()
            if over or cut:
                env.step(None)
                continue
            env.step(random.choice(observation["action_mask"].nonzero()[0]))
            decisions += 1
        return decisions

    return play


def pokerkit(_: str) -> Playthrough:
    """No-limit hold'em of two, everything but the players' actions automatic."""
    from pokerkit import Automation, NoLimitTexasHoldem

    def play() -> int:
        state = NoLimitTexasHoldem.create_state(tuple(Automation), True, 0, (1, 2), 2, 200, 2)
        decisions = 0
        while state.status:
            moves = [state.check_or_call]
            if state.can_fold():
                moves.append(state.fold)
            if state.can_complete_bet_or_raise_to():
                moves.append(state.complete_bet_or_raise_to)
            random.choice(moves)()
            decisions += 1
        return decisions

    return play


def pelita(_: str) -> Playthrough:
    """Its usual 300 rounds, in one process; its own matches have one for each team."""
    from pelita.game import run_game
    from pelita.maze_generator import generate_maze

    maze, decisions = generate_maze(rng=random.Random(1)), 0

    def move(bot: Any, _: object) -> object:
        nonlocal decisions
        decisions += 1
        return random.choice(bot.legal_positions)

    def play() -> int:
        before = decisions
        run_game((move, move), layout_dict=maze, raise_bot_exceptions=True, print_result=False)
        return decisions - before

    return play


def main() -> None:
    """Serve measurements until standard input ends."""
    games: dict[str, Playthrough] = {}
    for line in sys.stdin:
        name, seconds = line.split()
        with redirect_stdout(sys.stderr):
            if name not in games:
                library, _, game = name.partition("/")
                games[name] = globals()[library](game)
                games[name]()
            done, start = 0, process_time()
            while (elapsed := process_time() - start) < float(seconds):
                done += games[name]()
        print(json.dumps(done / elapsed), flush=True)


if __name__ == "__main__":
    main()
