"""Pip-Pip!'s values: options, actions, full events, and the view of one seat."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Final

from pips_referee.cards import CARDS, Card, Suit
from pips_referee.chance import Rng
from pips_referee.game import Action, Event, Options, OptionsError, Value, View, check_whole
from pips_referee.games.pippip.tricks import call_orders, winner

FOSDICK, HERVEY, HOUSE = "fosdick", "hervey", "house"
MAX_SEATS: Final = 12
SUITS: Final = len(Suit)
MAX_ROUNDS: Final = 10
MAX_HANDS: Final = MAX_ROUNDS * MAX_SEATS
PACK: Final = CARDS * 2
HAND_CARDS: Final = 7
CALL_POINTS: Final = 50

CALL, PLAY = "call", "play"


@dataclass(frozen=True, slots=True)
class PippipOptions(Options):
    """`rules`: "fosdick" or "hervey" (P1). `rounds`: how often every seat deals (P11).

    `windows`: when a pair may be called: "house", "fosdick" or "hervey" (P7, P13).
    `hands`: how many hands there are, in place of rounds (P11).
    """

    later: ClassVar[frozenset[str]] = frozenset({"windows", "hands"})
    choices: ClassVar[Mapping[str, tuple[str, ...]]] = {"rules": (FOSDICK, HERVEY)}
    rules: str = FOSDICK
    rounds: int = 1
    windows: str = HOUSE
    hands: int | None = None

    def __post_init__(self) -> None:
        if self.rules not in (FOSDICK, HERVEY):
            raise OptionsError(f"rules is {FOSDICK} or {HERVEY}, not {self.rules!r}")
        check_whole(self, "rounds", 1, MAX_ROUNDS)
        if self.windows not in (HOUSE, FOSDICK, HERVEY):
            raise OptionsError(f"windows is {HOUSE}, {FOSDICK} or {HERVEY}, not {self.windows!r}")
        if self.hands is not None:
            check_whole(self, "hands", 1, MAX_HANDS)
            if self.rounds != 1:
                raise OptionsError("hands takes the place of rounds: give one of them, not both")

    def hands_for(self, seats: int) -> int:
        """The number of hands in a match with that many seats (P11)."""
        return self.hands or self.rounds * seats


class Reason(StrEnum):
    """Why an action is illegal."""

    WRONG_KIND = "wrong_kind"
    NO_PAIR = "no_pair"
    TRUMPS_ALREADY = "trumps_already"
    NOT_IN_HAND = "not_in_hand"
    MUST_FOLLOW = "must_follow"


class Call(Action, Value):
    """The pairs called in one window, in that order; may be empty (P7)."""

    suits: tuple[Suit, ...] = ()


class Play(Action, Value):
    """Lead a card, or follow with it (P5). `face_up`: play one that lies open (P12)."""

    card: Card
    face_up: bool = False


PippipAction = Call | Play


class DrawnForDeal(Event, Value):
    """These seats drew a card each: the highest deals, tied seats draw again (P3)."""

    chance: ClassVar[bool] = True
    seats: tuple[int, ...]
    cards: tuple[Card, ...]


class Cut(Event, Value):
    """The seat on the dealer's right cut the card that sets the trumps (P3)."""

    chance: ClassVar[bool] = True
    seat: int
    card: Card


class Dealt(Event, Value):
    """A hand was dealt (P4).

    `hands` are by seat, sorted; None for those that the viewing seat may not see.
    """

    chance: ClassVar[bool] = True
    hand_number: int
    dealer: int
    trumps: Suit
    hands: tuple[tuple[Card, ...] | None, ...]

    def seen_by(self, seat: int) -> Dealt:
        hands = tuple([hand if owner == seat else None for owner, hand in enumerate(self.hands)])
        return Dealt(self.hand_number, self.dealer, self.trumps, hands)


class Called(Event, Value):
    """A seat called these pairs, 50 points each (P8).

    A window in which nothing was called leaves no event.
    """

    seat: int
    suits: tuple[Suit, ...]


class TrumpsChanged(Event, Value):
    """The trumps change with the trick about to be led (P9)."""

    trumps: Suit


class Played(Event, Value):
    """A card was led or followed with; `face_up`: it lay open since a call."""

    seat: int
    card: Card
    face_up: bool


class Drew(Event, Value):
    """A seat drew a card from the stock (P6); for all other seats `card` is None."""

    chance: ClassVar[bool] = True
    seat: int
    card: Card | None

    def seen_by(self, seat: int) -> Drew:
        return self if seat == self.seat else _UNSEEN_DRAWS[self.seat]


class TrickWon(Event, Value):
    """A seat won the trick and its card points (P5, P10)."""

    seat: int
    points: int


class StockTurned(Event, Value):
    """The rest of the stock was too small for a trick: laid open, out of play (P6)."""

    chance: ClassVar[bool] = True
    cards: tuple[Card, ...]


class HandEnded(Event, Value):
    """A hand is over: the points of the match so far, by seat."""

    hand_number: int
    points: tuple[int, ...]


PippipEvent = DrawnForDeal | Cut | Dealt | Called | TrumpsChanged | Played | Drew | TrickWon | StockTurned | HandEnded


class PippipView(View, Value):
    """What one seat knows of the hand being played.

    Tuples 'by seat' have one entry for every seat.
    """

    seat: int
    kind: str
    hand_number: int
    """From 1."""
    hands: int
    """How many hands the match has."""
    dealer: int
    trumps: Suit
    """The trumps now in force."""
    next_trumps: Suit | None
    """The trumps from the next lead on; None until a call changes them (P9)."""
    leader: int
    """The seat that leads, or led, this trick."""
    trick: tuple[Card, ...]
    """The cards of this trick in the order played, from the leader to the left."""
    hidden: tuple[Card, ...]
    """Your cards that the others cannot see, sorted. Only these can form pairs."""
    face_up: tuple[tuple[Card, ...], ...]
    """By seat, the cards of called pairs: still in hand, but in no other pair (P8)."""
    hand_counts: tuple[int, ...]
    """By seat, the number of cards in hand, hidden and face up."""
    drawing: bool
    """Whether a card is drawn after each card played to this trick (P6)."""
    stock_count: int
    """Cards left to draw."""
    rest: tuple[Card, ...]
    """The rest of the stock, open and out of play during the last seven tricks (P6)."""
    played: tuple[int, ...]
    """By card, how often it was played in this hand, including this trick."""
    tricks: tuple[int, ...]
    """By seat, the tricks won in this hand."""
    points: tuple[int, ...]
    """By seat, the points of the whole match."""
    callable: tuple[Suit, ...]
    """The pairs you may call now; a suit appears twice for two pairs of it (P7)."""
    playable: tuple[Card, ...]
    """The cards you may play now, each once; the hidden ones come first."""
    suit_limits: tuple[int, ...]
    """By seat, the most hidden clubs, diamonds, hearts and spades it can have.

    A seat that does not follow has no card of the suit led (P5). Each card that it
    draws later may be of any suit.
    """
    last_call_rules: bool
    """Whether the last call sets the trumps (Fosdick) instead of the first (P9)."""
    windows: str
    """When pairs may be called: "house", "fosdick" or "hervey" (P7, P13)."""
    windows_left: int
    """For "call", if `windows` is "fosdick": how many seats may call now, you included.

    Each call gives all others another chance. Otherwise 0.
    """

    @property
    def hand(self) -> tuple[Card, ...]:
        """All your cards, hidden and face up."""
        return self.hidden + self.face_up[self.seat]

    @property
    def led(self) -> Suit | None:
        """The suit led to this trick, None before the lead."""
        return self.trick[0].suit if self.trick else None

    def suit_limit(self, seat: int, suit: Suit) -> int:
        """The most cards of the suit that can be hidden in that hand."""
        return self.suit_limits[len(Suit) * seat + suit]

    @property
    def winning_seat(self) -> int | None:
        """The seat with the best card so far, None before the lead (P5)."""
        return (self.leader + winner(self.trick, self.trumps)) % len(self.points) if self.trick else None

    def legal_actions(self) -> Iterator[PippipAction]:
        return answers(self.kind, self.callable, self.playable, self.hidden, self.face_up[self.seat])

    def random_action(self, rng: Rng) -> PippipAction:
        return random_answer(self.kind, self.callable, self.playable, self.hidden, self.face_up[self.seat], rng)


# Frequently used values are made once: by card, events by seat and card.
_UNSEEN_DRAWS: Final = tuple([Drew(seat, None) for seat in range(MAX_SEATS)])
DRAWS: Final = tuple([tuple([Drew(seat, card) for card in CARDS]) for seat in range(MAX_SEATS)])
PLAYED_HIDDEN: Final = tuple([tuple([Played(seat, card, False) for card in CARDS]) for seat in range(MAX_SEATS)])
_HIDDEN: Final = tuple([Play(card) for card in CARDS])
_FACE_UP: Final = tuple([Play(card, face_up=True) for card in CARDS])


def plays(playable: Sequence[Card], hidden: Sequence[Card], face_up: Sequence[Card]) -> list[Play]:
    """The plays of these cards, two for a card that is both hidden and open (P12)."""
    if not face_up:
        return [_HIDDEN[card] for card in playable]
    return [_HIDDEN[c] for c in playable if c in hidden] + [_FACE_UP[c] for c in playable if c in face_up]


def answers(
    kind: str, suits: Sequence[Suit], playable: Sequence[Card], hidden: Sequence[Card], face_up: Sequence[Card]
) -> Iterator[PippipAction]:
    """The legal answers: calls of these suits, or plays of these cards."""
    if kind == CALL:
        return map(Call, call_orders(suits))
    return iter(plays(playable, hidden, face_up)) if face_up else map(_HIDDEN.__getitem__, playable)


def random_answer(
    kind: str,
    suits: Sequence[Suit],
    playable: Sequence[Card],
    hidden: Sequence[Card],
    face_up: Sequence[Card],
    rng: Rng,
) -> PippipAction:
    """One of the `answers`, all equally likely."""
    match kind:
        case "play":
            return rng.choice(plays(playable, hidden, face_up)) if face_up else _HIDDEN[rng.choice(playable)]
        case "call":
            return Call(rng.choice(call_orders(suits)))
        case _:
            raise LookupError("nobody is asked, so there is no action")
