"""Random matches of every game with all seats and options, 10,000 by lab `soak`.

    python -m tests.lab.soak [--matches N] [GAME ...]

Prints how many matches were played of each case, and ends with status 1 at the first
match that fails.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from itertools import product
from random import Random
from typing import Final

from pips_referee.game import REGISTRY
from pips_referee.match import Match
from tests.contract.cases import Case, chance

LEAST_A_CASE: Final = 50


def soak_cases(game_name: str) -> list[Case]:
    """Every number of seats with every option; for numbers the ends and the default."""
    return list(_CASES[game_name]())


def _serpent() -> Iterator[Case]:
    for tiebreaks in (*range(11), 1000):
        yield Case("serpent", f"2 seats, {tiebreaks} tie-breaks", 2, {"max_tiebreaks": tiebreaks})
    for hands, tiebreaks in product((2, 6, 20), (0, 1, 1000)):
        options = {"hands": hands, "max_tiebreaks": tiebreaks}
        yield Case("serpent", f"2 seats, {hands} hands, {tiebreaks} tie-breaks", 2, options)


def _wichita() -> Iterator[Case]:
    for seats in range(2, 13):
        yield Case("wichita", f"{seats} seats", seats)
        for decks in (1, 12):
            yield Case("wichita", f"{seats} seats, {decks} decks", seats, {"decks": decks})


def _pippip() -> Iterator[Case]:
    for rules, rounds in product(("fosdick", "hervey"), (1, 2)):
        for seats in range(3 if rules == "fosdick" else 2, 13):
            options = {"rules": rules, "rounds": rounds}
            yield Case("pippip", f"{seats} seats, {rules}, {rounds} rounds", seats, options)
    for rules, windows, hands in product(("fosdick", "hervey"), ("house", "fosdick", "hervey"), (1, 5)):
        for seats in range(3 if rules == "fosdick" else 2, 13):
            values = {"rules": rules, "windows": windows, "hands": hands}
            yield Case("pippip", f"{seats} seats, {rules}, {windows} windows, {hands} hands", seats, values)


def _dominion() -> Iterator[Case]:
    for seats, size in product(range(2, 9), (3, 4, 5)):
        yield Case("dominion", f"{seats} seats, size {size}", seats, {"size": size})
        yield Case("dominion", f"{seats} seats, size {size}, 3 rounds", seats, {"size": size, "max_rounds": 3})
        for resigning, optional in ((False, False), (True, True), (False, True)):
            label = f"{seats} seats, size {size}, 20 rounds, resigning {resigning}, optional army {optional}"
            options = {"size": size, "max_rounds": 20, "resigning": resigning, "optional_army": optional}
            yield Case("dominion", label, seats, options)
    yield Case("dominion", "2 seats, size 3, 10,000 rounds", 2, {"size": 3, "max_rounds": 10_000})


_CASES: Final = {"serpent": _serpent, "wichita": _wichita, "pippip": _pippip, "dominion": _dominion}


def soak(case: Case, matches: int) -> int:
    """Play that many matches of a case; the most questions that one of them had.

    `AssertionError` for one that runs past its game's longest match or ends without
    places; whatever a game raises comes through with the match's number in a note.
    """
    most = 0
    for number in range(matches):
        try:
            most = max(most, _play(case, number))
        except Exception as error:
            error.add_note(f"match {number} of {case.game_name}, {case.label}")
            raise
    return most


def _play(case: Case, number: int) -> int:
    rng = Random(number)
    match = Match(case.game, case.options, case.seats, chance(number))
    questions = 0
    while not match.is_over:
        questions += 1
        assert questions <= case.longest, f"more than {case.longest} questions"
        assert match.answer(match.state.sample_action(rng)) is None, match.faults
    places = match.outcome.places
    assert all(place == 1 + sum(other < place for other in places) for place in places), places
    return questions


def _game(name: str) -> str:
    if name not in REGISTRY:
        raise argparse.ArgumentTypeError(f"{name!r} is none of {', '.join(REGISTRY)}")
    return name


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.lab.soak", description="Play random matches of every case.")
    parser.add_argument("games", nargs="*", type=_game, default=list(REGISTRY), metavar="GAME")
    parser.add_argument("--matches", type=int, default=10_000, help="of each game, spread over its cases")
    arguments = parser.parse_args()
    for game_name in arguments.games:
        cases = soak_cases(game_name)
        each = max(LEAST_A_CASE, -(-arguments.matches // len(cases)))
        for case in cases:
            most = soak(case, each)
            sys.stdout.write(
                f"{game_name:9} {case.label:32} {each:6} matches, at most {most} of {case.longest} questions\n"
            )
        sys.stdout.write(f"{game_name:9} {each * len(cases)} matches in {len(cases)} cases, none failed\n")


if __name__ == "__main__":
    main()
