"""A Pip-Pip! table with rigged cards, played from a script of a few letters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TypeVar

import pytest

from pips_referee.cards import CARDS, Card, Suit, parse_card, parse_cards
from pips_referee.errors import IllegalAction
from pips_referee.games.pippip.rules import GAME, PippipState
from pips_referee.games.pippip.values import (
    HAND_CARDS,
    Call,
    PippipAction,
    PippipEvent,
    PippipOptions,
    PippipView,
    Play,
    Played,
)
from tests.rigged import RiggedChance

E = TypeVar("E")
LOW_DRAWS = "3D 4D 5D 6D 7D 8D 9D 10D 3H 4H 5H"


def suits(letters: str) -> tuple[Suit, ...]:
    return tuple(Suit("CDHS".index(letter)) for letter in letters)


def of_type(kind: type[E], events: Iterable[object]) -> list[E]:
    return [event for event in events if isinstance(event, kind)]


class Table:
    """The first hand of a match whose last seat deals, so that seat 0 is on the
    dealer's left.

    `hands` are by seat; one of fewer than seven cards is filled up with threes to nines
    of the suits in `fill`. `stock` are the first cards of the stock; `stock_size` cuts
    the rest of it off. All that happened is in `log`.
    """

    def __init__(
        self,
        *hands: str,
        trumps: str = "C",
        fill: str = "CDHS",
        stock: str = "",
        stock_size: int | None = None,
        rules: str = "fosdick",
        rounds: int = 1,
        windows: str = "house",
    ) -> None:
        self.seats = len(hands)
        deck = _deck([parse_cards(hand) for hand in hands], parse_cards(stock), fill)
        draws = parse_cards(LOW_DRAWS)[: self.seats - 1] + parse_cards("2" + trumps)
        chance = RiggedChance({"dealer": draws, "deck/1": deck})
        self.state = PippipState(PippipOptions(rules, rounds, windows), self.seats, chance)
        self.log: list[PippipEvent] = []
        self.state.deal(self.log)
        if stock_size is not None:
            self.state.deck = self.state.deck[: self.seats * HAND_CARDS + stock_size]
        self.state.settle(self.log)
        self._played = 0

    def run(self, script: str) -> list[PippipEvent]:
        """Play on and return what happened.

        `5C` plays a card, `5C^` one that lies face up, `+HS` calls hearts and then
        spades, `-` calls nothing. A card that is played without a question stands in
        the script too.
        """
        start = len(self.log)
        for word in script.split():
            if word[0] in "+-":
                self.answer(Call(suits(word[1:])))
                continue
            play = Play(parse_card(word.rstrip("^")), word.endswith("^"))
            if self._played == len(self.plays):
                self.answer(play)
            done = self.plays[self._played]
            assert (done.card, done.face_up) == (play.card, play.face_up), f"{done}, not {word}"
            self._played += 1
        return self.log[start:]

    def answer(self, action: PippipAction) -> None:
        self.log += self.state.apply(action)

    def refusal(self, action: PippipAction) -> tuple[str, str]:
        """The reason and the sentence with which the action is refused; it must change
        nothing.
        """
        before = [self.view(seat) for seat in range(self.seats)]
        with pytest.raises(IllegalAction) as caught:
            self.state.apply(action)
        assert [self.view(seat) for seat in range(self.seats)] == before
        assert caught.value.action is action
        return str(caught.value.reason), caught.value.sentence

    def view(self, seat: int) -> PippipView:
        return self.state.view(seat)

    @property
    def asked(self) -> tuple[int | None, str]:
        """The seat that is asked, and the question."""
        return self.state.to_ask, self.state.kind

    @property
    def plays(self) -> list[Played]:
        return of_type(Played, self.log)

    @property
    def points(self) -> tuple[int, ...]:
        return self.view(0).points

    @property
    def legal(self) -> list[PippipAction]:
        return list(self.state.legal_actions())


def _deck(hands: list[tuple[Card, ...]], stock: tuple[Card, ...], fill: str) -> list[Card]:
    """The hands, filled up, and the first cards of the stock."""
    named = Counter(stock)
    for hand in hands:
        named.update(hand)
    low = [card for card in CARDS * 2 if 3 <= card.rank <= 9 and card.suit in suits(fill)]
    fillers = iter(sorted((Counter(low) - named).elements(), key=lambda card: (card.rank, card.suit)))
    dealt = [card for hand in hands for card in (*hand, *(next(fillers) for _ in range(HAND_CARDS - len(hand))))]
    return [*dealt, *stock]


def start(seats: int, outcomes: dict[str, object], **options: object) -> tuple[PippipState, list[PippipEvent]]:
    """A match with luck rigged by the names of its streams."""
    return GAME.start(GAME.options(options), seats, RiggedChance(outcomes))  # type: ignore[arg-type]


def play_out(state: PippipState, log: list[PippipEvent]) -> list[PippipEvent]:
    """The match to its end: nothing is called, and always the first card is played."""
    while state.to_ask is not None:
        log += state.apply(next(state.legal_actions()))
    return log
