"""Pip-Pip! once more, as plain and slow as the rulebook.

104 cards lie somewhere, and seats take turns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable
from dataclasses import dataclass
from itertools import permutations

from pips_referee.cards import CARDS, KING, QUEEN, Card, Suit
from pips_referee.chance import Chance
from pips_referee.games.pippip.values import Call, PippipAction, Play

ORDER = ["3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A", "2"]
WORTH = {"2": 11, "A": 10, "K": 5, "Q": 4, "J": 3}
Legal = set[PippipAction]
Turns = Generator[Legal, PippipAction, None]


@dataclass(eq=False)
class Piece:
    """One of the 104 cards; the twin knows identical cards apart."""

    card: Card
    face_up: bool = False

    @property
    def rank(self) -> str:
        return str(self.card)[:-1]


def suit_of(piece: Piece) -> Suit:
    return piece.card.suit


def winning(trick: list[tuple[int, Piece]], trumps: Suit) -> int:
    """P5.2, P5.3: the seat of the best card."""
    led = suit_of(trick[0][1])

    def goodness(place: int) -> tuple[bool, bool, int, int]:
        piece = trick[place][1]
        return suit_of(piece) == trumps, suit_of(piece) == led, ORDER.index(piece.rank), place

    return trick[max(range(len(trick)), key=goodness)][0]


def legal_plays(hand: Iterable[Piece], trick: list[tuple[int, Piece]]) -> set[Play]:
    """P5.1, P12.1"""
    everything = list(hand)
    same = [piece for piece in everything if trick and suit_of(piece) == suit_of(trick[0][1])]
    return {Play(piece.card, piece.face_up) for piece in same or everything}


def legal_calls(hand: Iterable[Piece], trumps: Suit) -> set[Call]:
    """P7.1, P7.2, P7.6, P8.3: put two of the cards together, again and again."""
    unused = [piece for piece in hand if not piece.face_up]
    found = {Call()}
    for king, queen in permutations(unused, 2):
        if king.card.rank == KING and queen.card.rank == QUEEN and suit_of(king) == suit_of(queen) != trumps:
            others = [piece for piece in unused if piece not in (king, queen)]
            found |= {Call((suit_of(king), *call.suits)) for call in legal_calls(others, trumps)}
    return found


class Twin:
    """A match; `play` yields each question's legal answers and is sent the answer."""

    def __init__(self, rules: str, hand_count: int, seats: int, chance: Chance, windows: str = "house") -> None:
        self.rules = rules
        self.windows = windows
        self.hand_count = hand_count
        self.seats = seats
        self.chance = chance
        self.points = [0] * seats
        self.hands: list[list[Piece]] = []
        self.asked: int | None = None
        self.trumps = Suit.CLUBS
        self.calls: list[Suit] = []
        self.decided = Counter[str]()
        """How often a clause decided something."""

    def play(self) -> Turns:
        dealer = self.draw_for_deal()
        for number in range(1, self.hand_count + 1):
            if number > 1:
                dealer = (dealer + 1) % self.seats
                self.trumps = (CARDS + CARDS)[self.chance.index(f"cut/{number}", 104)].suit
            yield from self.play_hand(number, dealer)
        self.asked = None

    def draw_for_deal(self) -> int:
        """P3.1 to P3.3"""
        pack = self.chance.shuffled("dealer", CARDS + CARDS)
        drawing = list(range(self.seats))
        while True:
            drawn = {seat: Piece(pack.pop(0)) for seat in drawing}
            best = max(ORDER.index(piece.rank) for piece in drawn.values())
            drawing = [seat for seat in drawing if ORDER.index(drawn[seat].rank) == best]
            self.decided["P3.2"] += len(drawing) > 1
            if len(drawing) == 1:
                self.trumps = suit_of(drawn[drawing[0]])
                return drawing[0]

    def play_hand(self, number: int, dealer: int) -> Turns:
        pieces = [Piece(card) for card in self.chance.shuffled(f"deck/{number}", CARDS + CARDS)]
        order = [(dealer + 1 + place) % self.seats for place in range(self.seats)]
        self.hands = [[] for _ in range(self.seats)]
        for seat in order:
            self.hands[seat], pieces = pieces[:7], pieces[7:]
        self.calls = []
        yield from self.opening(order)
        while self.hands[order[0]]:
            self.change_trumps()
            drawing = len(pieces) >= self.seats
            self.decided["P6.3"] += 0 < len(pieces) < self.seats
            trick: list[tuple[int, Piece]] = []
            for seat in order:
                yield from self.play_card(seat, trick)
                if drawing:
                    self.hands[seat].append(pieces.pop(0))
                if self.windows == "fosdick":
                    yield from self.all_talk(seat)
                elif drawing or self.windows == "house":
                    yield from self.window(seat)
            leader = winning(trick, self.trumps)
            best = next(piece for seat, piece in trick if seat == leader)
            self.decided["P5.2 a trump wins another suit's trick"] += suit_of(best) != suit_of(trick[0][1])
            self.decided["P5.3"] += sum(piece.card == best.card for _, piece in trick) > 1
            self.points[leader] += sum(WORTH.get(piece.rank, 0) for _, piece in trick)
            order = [(leader + place) % self.seats for place in range(self.seats)]

    def opening(self, order: list[int]) -> Turns:
        """P7.3"""
        if self.windows == "fosdick":
            yield from self.all_talk(order[0])
        else:
            for seat in order:
                yield from self.window(seat)

    def all_talk(self, seat: int) -> Turns:
        """P13.2: from that seat on, until all seats in a row were silent."""
        silent = 0
        while silent < self.seats:
            said = len(self.calls)
            yield from self.window(seat)
            self.decided["P13.2 a call after another's"] += 0 < said < len(self.calls)
            silent = 1 if len(self.calls) > said else silent + 1
            seat = (seat + 1) % self.seats

    def change_trumps(self) -> None:
        """P9"""
        if self.calls:
            self.decided["P9.2, P9.3 first and last call differ"] += self.calls[0] != self.calls[-1]
            self.trumps = self.calls[-1 if self.rules == "fosdick" else 0]
        self.calls = []

    def play_card(self, seat: int, trick: list[tuple[int, Piece]]) -> Turns:
        legal = legal_plays(self.hands[seat], trick)
        self.decided["P5.1"] += len(legal) < len({(p.card, p.face_up) for p in self.hands[seat]})
        self.decided["P5.4"] += len(legal) == 1
        self.decided["P12.1"] += len({play.card for play in legal}) < len(legal)
        action = yield from self.ask(seat, {*legal})
        assert isinstance(action, Play)
        piece = next(p for p in self.hands[seat] if (p.card, p.face_up) == (action.card, action.face_up))
        self.hands[seat].remove(piece)
        trick.append((seat, piece))

    def window(self, seat: int) -> Turns:
        """P7.3, P7.4, P8"""
        action = yield from self.ask(seat, {*legal_calls(self.hands[seat], self.trumps)})
        assert isinstance(action, Call)
        hidden = [p.card for p in self.hands[seat] if not p.face_up]
        self.decided["P7.2"] += all(Card.of(rank, self.trumps) in hidden for rank in (KING, QUEEN))
        self.decided["P7.5 in the last seven tricks"] += bool(action.suits) and len(self.hands[seat]) < 7
        self.decided["P7.6"] += len(action.suits) > 1
        self.decided["P8.1"] += bool(action.suits)
        self.decided["P8.4"] += len(action.suits) > len({*action.suits})
        for suit in action.suits:
            for rank in (KING, QUEEN):
                unused = [p for p in self.hands[seat] if p.card == Card.of(rank, suit) and not p.face_up]
                unused[0].face_up = True
            self.points[seat] += 50
            self.calls.append(suit)

    def ask(self, seat: int, legal: Legal) -> Generator[Legal, PippipAction, PippipAction]:
        """P5.4, P7.7"""
        if len(legal) == 1:
            return legal.pop()
        self.asked = seat
        answer = yield legal
        assert answer in legal
        return answer
