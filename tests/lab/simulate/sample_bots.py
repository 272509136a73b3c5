"""The gain of playing a deal in every rotation, game by game.

Run it as `python -m tests.lab.simulate.sample_bots [DEALS]`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256

from pips_referee.game import REGISTRY, Action, View, get_game
from pips_sdk import Bot, play_match
from pips_sdk.samples import sample_class
from pips_tourney.ratings.rate import rate
from pips_tourney.ratings.result import Result
from pips_tourney.ratings.table import Ratings
from pips_tourney.schedule.league import round_robin

FIELDS = {
    "three alike: greedy, one answer in ten at random": ("greedy", "greedy", "greedy"),
    "random, cautious, greedy, the same": ("random", "cautious", "greedy"),
}
SLIP = 0.1
"""Without some random slips, bots that are alike would draw every deal."""


def bot(game: str, kind: str, slip: float = SLIP) -> type[Bot]:
    """The class of a sample bot that answers at random with the chance `slip`."""
    sample = sample_class(game, kind)
    if not slip:
        return sample

    def choose(self: Bot, view: View) -> Action:
        action = sample.choose(self, view)
        return view.random_action(self.rng) if self.rng.random() < slip else action

    return type(f"Slipping{sample.__name__}", (sample,), {"choose": choose})


def play(game: str, bots: Mapping[str, type[Bot]], deals: int, night: str = "") -> Iterator[Result]:
    """Play a round-robin in this process; every `night` has deals of its own."""
    options = get_game(game).options({})
    for pairing in round_robin(bots, get_game(game).seats(options)[0], deals):
        block = f"{game} {pairing.combination} {pairing.deal}{night and f' {night}'}"
        seeds = [sha256(f"{block} {pairing.rotation} {seat}".encode()).digest() for seat in range(len(pairing.seating))]
        seated = [bots[name] for name in pairing.seating]
        match = play_match(seated, sha256(block.encode()).digest(), options, seeds)
        yield Result(block, pairing.seating, tuple(match.outcome.places))


def measure(game: str, kinds: Sequence[str], deals: int) -> Ratings:
    return rate(play(game, {f"{kind} {number}": bot(game, kind) for number, kind in enumerate(kinds)}, deals))


def main(deals: int) -> None:
    print("| game | bots | seats | matches | deal share |")
    print("|---|---|---|---|---|")
    for game in REGISTRY:
        for field, kinds in FIELDS.items():
            # A table takes all three bots or two of them: fewer combinations get more
            # deals.
            seats = get_game(game).seats(get_game(game).options({}))[0]
            found = measure(game, kinds, deals * (1 if seats == 2 else 2))
            print(
                f"| {game} | {field} | {seats} | {found.matches} | {found.deal_share} |",
                flush=True,
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
