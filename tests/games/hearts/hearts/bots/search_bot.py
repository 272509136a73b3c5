"""Imagines the others' hands, and ducks on from each card."""

from hearts import HeartsView, Play
from hearts.bots.greedy_bot import GreedyBot, duck
from pips_sdk import run
from pips_sdk.search import AnyState, asked, compare

WORLDS = 8


class SearchBot(GreedyBot):
    def play(self, view: HeartsView) -> Play:
        def over(state: AnyState) -> bool:
            return bool(asked(state).number > view.number)

        return compare(view, _cards(view), _ducks, self.rng, worlds=WORLDS, stop=over).best


def _cards(view: HeartsView) -> list[Play]:
    return [action for action in view.legal_actions() if isinstance(action, Play)]


def _ducks(state: AnyState) -> Play:
    return duck(asked(state))


if __name__ == "__main__":
    run(SearchBot)
