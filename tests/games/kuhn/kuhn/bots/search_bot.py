"""Imagines the other's card, and plays each answer on against a careful seat."""

from kuhn import Bet, KuhnView, Pass
from pips_sdk import GameBot, run
from pips_sdk.search import AnyState, asked, compare

WORLDS = 60


def careful(state: AnyState) -> Pass | Bet:
    """Bets with a king, and calls with a queen every other hand."""
    view: KuhnView = asked(state)
    calls = view.card.rank == 12 and True in view.bets and view.hand % 2 == 0
    return Bet() if view.card.rank == 13 or calls else Pass()


class SearchBot(GameBot):
    game = "kuhn"

    def turn(self, view: KuhnView) -> Pass | Bet:
        def over(state: AnyState) -> bool:
            return bool(asked(state).hand > view.hand)

        return compare(view, view.legal_actions(), careful, self.rng, worlds=WORLDS, stop=over).best


if __name__ == "__main__":
    run(SearchBot)
