"""100,000 mutated replies of a model: lab `ghosts`. None becomes a move of its own."""

from __future__ import annotations

import sys

from pips_referee.game import REGISTRY
from tests.pips_sdk.model.test_bot import ghost_moves

REPLIES = 100_000


def main() -> None:
    wrong = 0
    for game in REGISTRY:
        each = REPLIES // len(REGISTRY)
        played, ghosts = ghost_moves(game, each)
        print(f"{game}: of {each:,} mutated replies {played:,} were played as moves, {ghosts} wrongly", flush=True)
        wrong += ghosts
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
