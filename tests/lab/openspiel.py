"""Twenty games of OpenSpiel in one night, and what duplicate deals bring in each.

    make lab WHAT=openspiel [ARGS="DEALS"]

The night is a round-robin of six random bots, played by processes and verified. Then
each game is played in this process, with every deal in all seatings and with a deal of
its own for each match. The table has the variance of a bot's mean score a match.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pips_referee.game import get_game
from pips_sdk import play_match
from pips_sdk.samples import sample_class
from pips_tourney.night.log.store import read_store
from pips_tourney.night.proof.promise import KeptByOthers
from pips_tourney.night.proof.verify import verify_night
from pips_tourney.play.from_python import run_league

TWENTY: Final = {
    "kuhn_poker": 2, "leduc_poker": 3, "universal_poker": 2, "hearts": 4, "gin_rummy": 2, "oh_hell": 4,
    "crazy_eights": 5, "go_fish": 4, "cribbage": 3, "first_sealed_auction": 6, "liars_dice": 2, "pig": 6,
    "backgammon": 2, "maedn": 4, "einstein_wurfelt_nicht": 2, "tic_tac_toe": 2, "connect_four": 2,
    "breakthrough": 2, "othello": 2, "phantom_ttt": 2,
}  # fmt: skip
"""Seats by game: cards, dice, boards; docs/openspiel.md lists them."""
HIDING: Final = frozenset({
    "kuhn_poker", "leduc_poker", "universal_poker", "hearts", "gin_rummy", "oh_hell", "crazy_eights", "go_fish",
    "cribbage", "first_sealed_auction", "liars_dice", "phantom_ttt",
})  # fmt: skip
DEALS: Final = 400
BOTS: Final = 6


def play_night(folder: Path) -> None:
    """A night of all of them; raises if a match faults or does not verify."""
    games = ", ".join(f'{{ name = "openspiel:{name}", seats = {seats} }}' for name, seats in TWENTY.items())
    bots = ", ".join(f'{{ name = "random {number}", sample = "random" }}' for number in range(BOTS))
    league = folder / "twenty.toml"
    league.write_text(f"games = [{games}]\ndeals = 1\nbots = [{bots}]\n", encoding="utf-8")
    played = run_league(league, folder / "twenty.db", told=lambda line: None)
    assert played.complete
    assert not any(any(match["faults"]) for match in played.matches), "a random bot was at fault"
    with read_store(played.database) as store:
        verified = verify_night(store, KeptByOthers((), []))
    assert not verified.problems, verified.problems
    print(f"{len(played.matches)} matches of {len(TWENTY)} games, no fault; {verified.results} results verified\n")


def scores(name: str, seats: int, deals: int, *, duplicate: bool) -> NDArray[np.float64]:
    """(deals, seats): the scores of a bot that sits in another seat in each column."""
    game = f"openspiel:{name}"
    rows = np.zeros((deals, seats))
    for deal in range(deals):
        for seat in range(seats):
            one = f"{deal}" if duplicate else f"{deal}/{seat}"
            seed = f"{name} {one}".encode().rjust(32, b"\0")
            luck = [f"{deal}/{seat}/{other}".encode().rjust(32, b"\0") for other in range(seats)]
            outcome = play_match([sample_class(game, "random")] * seats, seed, rng_seeds=luck).outcome
            rows[deal, seat] = outcome.scores[seat]
    return rows


def variance(rows: NDArray[np.float64]) -> tuple[float, float]:
    """The variance of a bot's mean over a deal's seats, and its standard error."""
    means = rows.mean(axis=1) - rows.mean()
    return float((means**2).mean()), float((means**2).std() / np.sqrt(len(means)))


def main(deals: int) -> None:
    """Play the night and print the table."""
    with TemporaryDirectory() as folder:
        play_night(Path(folder))
    print(f"{deals} deals a game; variance of a bot's mean score over its seats, duplicate against independent deals")
    for name, seats in TWENTY.items():
        (twice, error), (alone, other) = (
            variance(scores(name, seats, deals, duplicate=duplicate)) for duplicate in (True, False)
        )
        ratio = twice / alone if alone else 1.0
        spread = ratio * np.hypot(error / twice, other / alone) if twice and alone else 0.0
        title = get_game(f"openspiel:{name}").name
        print(f"{title:36} {seats} seats {twice:12.1f} {alone:12.1f}   ratio {ratio:.2f} +- {spread:.2f}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else DEALS)
