"""Serpent, as RULES.md numbers it: a director and a defender build two rows of six; the director scores them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from typing import ClassVar, Final, Self, assert_never

from pips_referee.cards import CARDS, Card
from pips_referee.chance import Chance, Rng
from pips_referee.errors import IllegalAction
from pips_referee.game import Action, Event, Game, Options, Outcome, State, View, check_whole, places_of
from pips_referee.games.serpent.scoring import COLUMNS, HandScore, score_hand

HANDS: Final = 8
DEALT_TO_DEFENDER: Final = 3
DEALT_TO_DIRECTOR: Final = 9
SHOWN: Final = 3

GIVE, REVEAL, LEAD, ANSWER = "give", "reveal", "lead", "answer"


@dataclass(frozen=True, slots=True)
class SerpentOptions(Options):
    """`max_tiebreaks`: how often two more hands are played while the match is tied (S8), 0 to 10."""

    max_tiebreaks: int = 10

    def __post_init__(self) -> None:
        check_whole(self, "max_tiebreaks", 0, 10)


class Reason(StrEnum):
    """Why an action is illegal."""

    WRONG_KIND = "wrong_kind"
    WRONG_COUNT = "wrong_count"
    SAME_CARD_TWICE = "same_card_twice"
    NOT_IN_HAND = "not_in_hand"
    MUST_FOLLOW = "must_follow"


@dataclass(frozen=True, slots=True)
class Give(Action):
    """The director gives three of his nine cards to the defender, face up (S2)."""

    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class Reveal(Action):
    """The director turns three of his six cards face up (S2)."""

    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class Lead(Action):
    """The first card of a column (S4)."""

    card: Card


@dataclass(frozen=True, slots=True)
class Answer(Action):
    """The second card of a column: suit or rank of the lead if the hand has one (S4)."""

    card: Card


SerpentAction = Give | Reveal | Lead | Answer


@dataclass(frozen=True, slots=True)
class Dealt(Event):
    """A hand was dealt (S1, S2). `hands` are per seat, sorted; None where the seat that looks may not see them."""

    chance: ClassVar[bool] = True
    hand_number: int
    director: int
    hands: tuple[tuple[Card, ...] | None, tuple[Card, ...] | None]

    def seen_by(self, seat: int) -> Dealt:
        mine = self.hands[seat]
        return Dealt(self.hand_number, self.director, (mine, None) if seat == 0 else (None, mine))


@dataclass(frozen=True, slots=True)
class Given(Event):
    """The director gave these cards to the defender, face up."""

    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class Revealed(Event):
    """The director turned these cards of his face up."""

    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class Played(Event):
    """A card was led or answered in a column (0 to 5)."""

    seat: int
    column: int
    card: Card
    is_lead: bool


@dataclass(frozen=True, slots=True)
class HandScored(Event):
    """A hand ended: its board, what that scored for the director, and the totals by seat (S5 to S7)."""

    hand_number: int
    director: int
    board: tuple[Card, ...]
    """The 12 cards in the order of the cells that `score` names: the director's row, then the defender's."""
    score: HandScore
    totals: tuple[int, int]


SerpentEvent = Dealt | Given | Revealed | Played | HandScored


@dataclass(frozen=True, slots=True)
class SerpentView(View):
    """What one seat knows of the hand being played. Rows are by column, None where no card lies yet."""

    seat: int
    kind: str
    hand_number: int
    """1 to 8, more in a tie-break."""
    director: int
    """The seat that directs this hand, and scores it."""
    hidden: tuple[Card, ...]
    """Your cards that the other cannot see."""
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

    @property
    def hand(self) -> tuple[Card, ...]:
        """All your cards, hidden and face up."""
        return self.hidden + self.face_up

    @property
    def is_director(self) -> bool:
        return self.seat == self.director

    def legal_actions(self) -> Iterator[SerpentAction]:
        return _actions(self.kind, self.playable)

    def random_action(self, rng: Rng) -> SerpentAction:
        return _random_action(self.kind, self.playable, rng)


class SerpentState(State[SerpentView, SerpentAction, SerpentEvent]):
    """A match of Serpent. Everything by seat is a list of two."""

    __slots__ = (
        "chance", "column", "director", "face_up", "hand_number", "hidden", "kind", "lead", "max_hands", "playable",
        "rows", "to_ask", "totals",
    )  # fmt: skip
    face_up: list[list[Card]]
    rows: list[list[Card]]
    column: int
    playable: tuple[Card, ...]
    """The cards the question is about: those that may be given, turned face up, led or answered with."""

    def __init__(self, options: SerpentOptions, chance: Chance) -> None:
        """The match before its first `deal`, which sets all that is not set here."""
        self.chance = chance
        self.max_hands = HANDS + 2 * options.max_tiebreaks
        self.hand_number = 0
        self.director = 1
        self.totals = [0, 0]
        self.hidden: list[list[Card]] = [[], []]
        self.lead: Card | None = None

    def apply(self, action: SerpentAction) -> list[SerpentEvent]:
        self._check(action)
        seat = self.to_ask
        assert seat is not None
        match action:
            case Lead(card) | Answer(card):
                events: list[SerpentEvent] = [self._play(seat, card)]
                self._settle(events)
                return events
            case Give(cards):  # S2
                self._lay_open(seat, 1 - seat, cards)
                self.playable = tuple(self.hidden[seat])
                self.kind = REVEAL
                return [Given(cards)]
            case Reveal(cards):  # S2
                self._lay_open(seat, seat, cards)
                self.playable = (*self.hidden[seat], *self.face_up[seat])
                self.kind = LEAD
                return [Revealed(cards)]
            case _:
                assert_never(action)

    def legal_actions(self) -> Iterator[SerpentAction]:
        return _actions(self.kind, self.playable)

    def sample_action(self, rng: Rng) -> SerpentAction:
        return _random_action(self.kind, self.playable, rng)

    def view(self, seat: int) -> SerpentView:
        other = 1 - seat
        asked = seat == self.to_ask
        mine, theirs = self.rows[seat], self.rows[other]
        return SerpentView(
            seat,
            self.kind if asked else "",
            self.hand_number,
            self.director,
            tuple(self.hidden[seat]),
            tuple(self.face_up[seat]),
            tuple(self.face_up[other]),
            len(self.hidden[other]),
            (*mine, *NO_CARDS[len(mine) :]),
            (*theirs, *NO_CARDS[len(theirs) :]),
            self.lead if asked else None,
            self.playable if asked else (),
            self.totals[seat],
            self.totals[other],
        )

    def outcome(self) -> Outcome:
        return Outcome(places_of(self.totals), tuple(self.totals))

    def copy(self) -> Self:
        twin = object.__new__(type(self))
        twin.chance = self.chance
        twin.max_hands = self.max_hands
        twin.hand_number = self.hand_number
        twin.director = self.director
        twin.totals = self.totals[:]
        twin.hidden = [self.hidden[0][:], self.hidden[1][:]]
        twin.face_up = [self.face_up[0][:], self.face_up[1][:]]
        twin.rows = [self.rows[0][:], self.rows[1][:]]
        twin.column = self.column
        twin.lead = self.lead
        twin.playable = self.playable
        twin.to_ask = self.to_ask
        twin.kind = self.kind
        return twin

    def _check(self, action: SerpentAction) -> None:
        """Every reason why the action may be illegal, before anything changes."""
        if action.__class__ is not _ACTION_OF.get(self.kind):
            raise IllegalAction(
                Reason.WRONG_KIND, action, f"{action} does not answer a question to {self.kind or 'nobody'}"
            )
        playable = self.playable
        if isinstance(action, (Lead, Answer)):
            if action.card not in playable:
                raise self._unplayable(action, action.card)
            return
        if len(action.cards) != SHOWN:
            raise IllegalAction(Reason.WRONG_COUNT, action, f"{self.kind} takes {SHOWN} cards, not {len(action.cards)}")
        if len(set(action.cards)) != SHOWN:
            raise IllegalAction(Reason.SAME_CARD_TWICE, action, f"{self.kind} takes {SHOWN} different cards")
        for card in action.cards:
            if card not in playable:
                raise self._unplayable(action, card)

    def _unplayable(self, action: SerpentAction, card: Card) -> IllegalAction:
        assert self.to_ask is not None
        if card in self.hidden[self.to_ask] or card in self.face_up[self.to_ask]:
            fitting = " ".join(map(str, self.playable))
            return IllegalAction(
                Reason.MUST_FOLLOW,
                action,
                f"{card} shares neither suit nor rank with {self.lead}: play one of {fitting}",
            )
        return IllegalAction(Reason.NOT_IN_HAND, action, f"{card} is not in the hand")

    def _lay_open(self, giver: int, taker: int, cards: tuple[Card, ...]) -> None:
        for card in cards:
            self.hidden[giver].remove(card)
        self.face_up[taker] = sorted(cards)

    def _play(self, seat: int, card: Card) -> Played:
        hand = self.hidden[seat] if card in self.hidden[seat] else self.face_up[seat]
        hand.remove(card)
        self.rows[seat].append(card)
        if self.lead is None:
            self.lead = card
            self.to_ask, self.kind = 1 - seat, ANSWER
            return Played(seat, self.column, card, True)
        self.lead = None  # S3: who answered leads the next column
        self.column += 1
        self.kind = LEAD
        return Played(seat, self.column - 1, card, False)

    def _settle(self, events: list[SerpentEvent]) -> None:
        """Play what leaves no choice, score a full board, deal the next hand."""
        while self.column < COLUMNS:
            seat = self.to_ask
            assert seat is not None
            hand = self.hidden[seat] + self.face_up[seat]
            self.playable = playable = tuple(hand) if self.lead is None else _following(hand, self.lead)
            if len(playable) > 1:
                return
            events.append(self._play(seat, playable[0]))
        director = self.director
        board = tuple(self.rows[director] + self.rows[1 - director])
        score = score_hand([card.rank for card in board])
        self.totals[director] += score.points  # S7
        events.append(HandScored(self.hand_number, director, board, score, (self.totals[0], self.totals[1])))
        self.deal(events)

    def deal(self, events: list[SerpentEvent]) -> None:
        """The next hand, or the end of the match (S8)."""
        played = self.hand_number
        tied = self.totals[0] == self.totals[1]
        if played == self.max_hands or (played >= HANDS and played % 2 == 0 and not tied):
            self.to_ask, self.kind, self.playable = None, "", ()
            return
        self.hand_number += 1
        director = self.director = 1 - self.director  # S1
        pack = self.chance.shuffled(f"deck/{self.hand_number}", CARDS, DEALT_TO_DEFENDER + DEALT_TO_DIRECTOR)
        self.hidden[1 - director] = sorted(pack[:DEALT_TO_DEFENDER])
        self.hidden[director] = nine = sorted(pack[DEALT_TO_DEFENDER:])
        self.face_up = [[], []]
        self.rows = [[], []]
        self.column = 0
        self.to_ask, self.kind, self.playable = director, GIVE, tuple(nine)
        events.append(Dealt(self.hand_number, director, (tuple(self.hidden[0]), tuple(self.hidden[1]))))


class Serpent(Game[SerpentView, SerpentAction, SerpentEvent]):
    name = "serpent"
    title = "Serpent"
    rules_version = 1
    options_type = SerpentOptions
    kinds = (GIVE, REVEAL, LEAD, ANSWER)

    def seats(self, options: Options) -> range:
        return range(2, 3)

    def start(self, options: Options, seats: int, chance: Chance) -> tuple[SerpentState, list[SerpentEvent]]:
        assert isinstance(options, SerpentOptions)
        self.check_seats(options, seats)
        state = SerpentState(options, chance)
        events: list[SerpentEvent] = []
        state.deal(events)
        return state, events

    def longest(self, options: Options, seats: int) -> int:
        assert isinstance(options, SerpentOptions)
        return (HANDS + 2 * options.max_tiebreaks) * 12


GAME: Final = Serpent()
NO_CARDS: Final = (None,) * COLUMNS
_LEADS: Final = tuple(map(Lead, CARDS))
_ANSWERS: Final = tuple(map(Answer, CARDS))
_TRIPLES: Final = {
    count: tuple(combinations(range(count), SHOWN)) for count in (DEALT_TO_DIRECTOR, DEALT_TO_DIRECTOR - SHOWN)
}
"""Which three of nine, and of six."""
_ACTION_OF: Final[dict[str, type[SerpentAction]]] = {GIVE: Give, REVEAL: Reveal, LEAD: Lead, ANSWER: Answer}


def _following(hand: list[Card], lead: Card) -> tuple[Card, ...]:
    """The cards that may answer the lead (S4)."""
    suit, rank = lead.suit, lead.rank
    return tuple([card for card in hand if card.suit is suit or card.rank == rank] or hand)


def _actions(kind: str, playable: tuple[Card, ...]) -> Iterator[SerpentAction]:
    match kind:
        case "lead":
            return iter([_LEADS[card] for card in playable])
        case "answer":
            return iter([_ANSWERS[card] for card in playable])
        case "give":
            return map(Give, combinations(playable, SHOWN))
        case "reveal":
            return map(Reveal, combinations(playable, SHOWN))
        case _:
            return iter(())


def _random_action(kind: str, playable: tuple[Card, ...], rng: Rng) -> SerpentAction:
    match kind:
        case "lead":
            return _LEADS[rng.choice(playable)]
        case "answer":
            return _ANSWERS[rng.choice(playable)]
        case "give" | "reveal":
            a, b, c = rng.choice(_TRIPLES[len(playable)])
            cards = playable[a], playable[b], playable[c]
            return Give(cards) if kind == GIVE else Reveal(cards)
        case _:
            raise LookupError("nobody is asked, so there is no action")
