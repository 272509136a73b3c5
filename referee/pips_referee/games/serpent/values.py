"""Serpent's values: options, actions, full events, and the view of one seat."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from typing import ClassVar, Final

from pips_referee.cards import CARDS, Card
from pips_referee.chance import Rng
from pips_referee.game import Action, Event, Options, OptionsError, Value, View, check_whole
from pips_referee.games.serpent.scoring import COLUMNS, HandScore

HANDS: Final = 8
MOST_HANDS: Final = 100
MOST_TIEBREAKS: Final = 1000
DEALT_TO_DEFENDER: Final = 3
DEALT_TO_DIRECTOR: Final = 9
SHOWN: Final = 3

GIVE, REVEAL, LEAD, ANSWER = "give", "reveal", "lead", "answer"


@dataclass(frozen=True, slots=True)
class SerpentOptions(Options):
    """`max_tiebreaks`: how many times two more hands may break a tie, 0 to 1,000 (S8).

    `hands`: the number of hands, an even number from 2 to 100 (S1).
    """

    later: ClassVar[frozenset[str]] = frozenset({"hands"})
    max_tiebreaks: int = 10
    hands: int = HANDS

    def __post_init__(self) -> None:
        check_whole(self, "max_tiebreaks", 0, MOST_TIEBREAKS)
        check_whole(self, "hands", 2, MOST_HANDS)
        if self.hands % 2:
            raise OptionsError(f"hands is an even number, so that both direct equally often, not {self.hands}")

    @property
    def max_hands(self) -> int:
        """The number of hands in the longest match (S8)."""
        return self.hands + 2 * self.max_tiebreaks


class Reason(StrEnum):
    """Why an action is illegal."""

    WRONG_KIND = "wrong_kind"
    WRONG_COUNT = "wrong_count"
    SAME_CARD_TWICE = "same_card_twice"
    NOT_IN_HAND = "not_in_hand"
    MUST_FOLLOW = "must_follow"


class Give(Action, Value):
    """Give three of nine cards to the defender, face up (S2); asked of the director."""

    cards: tuple[Card, ...]


class Reveal(Action, Value):
    """Turn three of six cards face up (S2); asked of the director."""

    cards: tuple[Card, ...]


class Lead(Action, Value):
    """Play the first card of a column (S4)."""

    card: Card


class Answer(Action, Value):
    """Play the second card of a column, of the lead's suit or rank if possible (S4)."""

    card: Card


SerpentAction = Give | Reveal | Lead | Answer


class Dealt(Event, Value):
    """A hand was dealt (S1, S2).

    `hands` are by seat, sorted; None for those that the viewing seat may not see.
    """

    chance: ClassVar[bool] = True
    hand_number: int
    director: int
    hands: tuple[tuple[Card, ...] | None, tuple[Card, ...] | None]

    def seen_by(self, seat: int) -> Dealt:
        mine = self.hands[seat]
        return Dealt(self.hand_number, self.director, (mine, None) if seat == 0 else (None, mine))


class Given(Event, Value):
    """The director gave these cards to the defender, face up."""

    cards: tuple[Card, ...]


class Revealed(Event, Value):
    """The director turned these cards of its own face up."""

    cards: tuple[Card, ...]


class Played(Event, Value):
    """A card was led, or answered a lead, in a column (0 to 5)."""

    seat: int
    column: int
    card: Card
    is_lead: bool


class HandScored(Event, Value):
    """A hand ended: the board, the director's score, the totals by seat (S5 to S7)."""

    hand_number: int
    director: int
    board: tuple[Card, ...]
    """The 12 cards by cell, as in `score`: director's row, then defender's."""
    score: HandScore
    totals: tuple[int, int]


SerpentEvent = Dealt | Given | Revealed | Played | HandScored


class SerpentView(View, Value):
    """What one seat knows of the hand being played.

    Rows are by column, with None for an empty cell.
    """

    seat: int
    kind: str
    hand_number: int
    """The number of the hand, from 1; more than `hands` in a tie-break."""
    director: int
    """The seat that directs this hand, and gets its points."""
    hidden: tuple[Card, ...]
    """Your cards that the other seat cannot see."""
    face_up: tuple[Card, ...]
    """Your cards that lie face up; they are part of your hand."""
    other_face_up: tuple[Card, ...]
    other_hidden_count: int
    my_row: tuple[Card | None, ...]
    other_row: tuple[Card | None, ...]
    lead: Card | None
    """The card to be answered, None unless `kind` is "answer"."""
    playable: tuple[Card, ...]
    """The cards you may give, reveal, lead or answer with now."""
    my_points: int
    other_points: int
    hands: int
    """The number of hands before any tie-break (S1)."""
    max_hands: int
    """The most hands, tie-breaks included (S8)."""

    @property
    def hand(self) -> tuple[Card, ...]:
        """All your cards, hidden and face up."""
        return self.hidden + self.face_up

    @property
    def is_director(self) -> bool:
        return self.seat == self.director

    def legal_actions(self) -> Iterator[SerpentAction]:
        return answers(self.kind, self.playable)

    def random_action(self, rng: Rng) -> SerpentAction:
        return random_answer(self.kind, self.playable, rng)


EMPTY_CELLS: Final = tuple([(None,) * (COLUMNS - cards) for cards in range(COLUMNS + 1)])
"""The empty rest of a row, by the number of cards in the row."""
LEADS: Final = tuple(map(Lead, CARDS))
ANSWERS: Final = tuple(map(Answer, CARDS))
"""The answer with each card, by card."""
_TRIPLES: Final = {
    count: tuple(combinations(range(count), SHOWN)) for count in (DEALT_TO_DIRECTOR, DEALT_TO_DIRECTOR - SHOWN)
}
"""All ways to choose three of nine and three of six cards."""


def answers(kind: str, playable: tuple[Card, ...]) -> Iterator[SerpentAction]:
    match kind:
        case "lead":
            return iter([LEADS[card] for card in playable])
        case "answer":
            return iter([ANSWERS[card] for card in playable])
        case "give":
            return map(Give, combinations(playable, SHOWN))
        case "reveal":
            return map(Reveal, combinations(playable, SHOWN))
        case _:
            return iter(())


def random_answer(kind: str, playable: tuple[Card, ...], rng: Rng) -> SerpentAction:
    match kind:
        case "lead":
            return LEADS[rng.choice(playable)]
        case "answer":
            return ANSWERS[rng.choice(playable)]
        case "give" | "reveal":
            a, b, c = rng.choice(_TRIPLES[len(playable)])
            cards = playable[a], playable[b], playable[c]
            return Give(cards) if kind == GIVE else Reveal(cards)
        case _:
            raise LookupError("nobody is asked, so there is no action")
