"""MyBot plays GAME_TITLE. How well? `pips-bot play my_bot random` tells."""

from typing import Any

from pips_referee.game import Action
from pips_sdk import GameBot, run


class MyBot(GameBot):
    """Every match is played by a new MyBot, so what you keep in `self` lasts for one
    match.

    `view` is all that you may know; `view.legal_actions()` gives the legal answers. A
    method answers the kind of question that it is named after: every_kind. A kind
    without a method gets a random answer.
    """

    game = "GAME"

    def first_kind(self, view: Any) -> Action:
        answers: list[Action] = [*view.legal_actions()]
        return answers[0]


if __name__ == "__main__":
    run(MyBot)
