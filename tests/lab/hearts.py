"""Hearts of tests/games beside OpenSpiel's own: the same deals and answers in both.

    pip install open_spiel
    python -m tests.lab.hearts [--minutes 5]

At each question the same seat is asked and the same cards are legal; at the end the
tricks and the points are the same. In a quarter of the matches one seat plays high and
the others low, so that somebody takes all points now and then. Ends with status 1 at
the first match that differs.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections import Counter
from pathlib import Path
from random import Random
from time import monotonic
from typing import Any, Final

from pips_referee.cards import CARDS
from pips_referee.chance import Chance

GAMES: Final = Path(__file__).parents[1] / "games"
DIRECTIONS: Final = (1, 3, 2, 0)
"""OpenSpiel's number for how our hands 0 to 3 are passed: left, right, across, no."""


def theirs(card: Any) -> int:
    """OpenSpiel's number of a card: by rank from 2 to ace, then by suit."""
    return int(4 * ((card.rank - 2) % 13) + card.suit)


def play(hearts: Any, pyspiel: Any, number: int) -> str:
    """One hand in both; what was seen in it. `AssertionError` where they differ."""
    rng, direction, luck = Random(number), number % 4, Chance(number.to_bytes(32, "big"))
    ours = hearts.HeartsState(direction + 1, True, luck)
    ours.number = direction - 1
    ours.deal()
    pack = luck.shuffled(f"deal/{direction}", CARDS)
    other = pyspiel.load_game("hearts").new_initial_state()
    other.apply_action(DIRECTIONS[direction])
    for place in range(52):
        other.apply_action(theirs(pack[13 * (place % 4) + place // 4]))
    high = rng.randrange(4) if number % 16 < 4 else None
    sequence = []
    while not other.is_terminal():
        seat, legal = other.current_player(), other.legal_actions()
        if ours.kind == "give":
            assert seat == ours.to_ask and legal == sorted(map(theirs, ours.hold[seat]))
            three = rng.choice([*ours.legal_actions()])
            for card in three.cards:
                other.apply_action(theirs(card))
            ours.apply(three)
            continue
        chosen = legal[0]
        if len(legal) > 1:
            cards = {theirs(action.card): action for action in ours.legal_actions()}
            assert seat == ours.to_ask and legal == sorted(cards), f"{seat} {ours.to_ask} {legal} {sorted(cards)}"
            chosen = rng.choice(legal) if high is None else legal[-1] if seat == high else legal[0]
            ours.apply(cards[chosen])
        sequence.append(chosen)
        other.apply_action(chosen)
    assert ours.to_ask is None and sequence == [theirs(card) for card in ours.played], sequence
    assert [26 - points for points in ours.points] == other.returns(), f"{ours.points} {other.returns()}"
    return "all 26" if 0 in ours.points and ours.points.count(26) == 3 else "usual"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.lab.hearts", description="Referee Hearts again.")
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--first", type=int, default=0, help="The number of the first match.")
    arguments = parser.parse_args()
    try:
        pyspiel = importlib.import_module("pyspiel")
    except ImportError:
        sys.exit("OpenSpiel is missing: pip install open_spiel")
    sys.path.insert(0, str(GAMES / "hearts"))
    hearts, seen = importlib.import_module("hearts"), Counter[str]()
    number, end = arguments.first, monotonic() + 60 * arguments.minutes
    while monotonic() < end:
        try:
            seen[play(hearts, pyspiel, number)] += 1
        except AssertionError as error:
            sys.stdout.write(f"match {number} differs: {error}\n")
            return 1
        number += 1
    found = ", ".join([f"{count} {kind}" for kind, count in seen.most_common()])
    sys.stdout.write(f"{seen.total()} matches, 0 disagreements ({found})\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
