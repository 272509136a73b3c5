"""Cards and packs: values, with no behaviour that belongs to one game.

A card is an `int` from 0 to 51, `13 * suit + rank - 1`, which is also its byte on the
wire. Two cards of the same rank and suit (two packs in one game) are equal: nobody at
the table can tell them apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final, Self

RANK_NAMES: Final = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
ACE, JACK, QUEEN, KING = 1, 11, 12, 13


class _Suits(type):
    """The metaclass of `Suit`: an enumeration of the four suits."""

    def __call__(cls, number: int) -> Suit:
        if type(number) not in {int, Suit} or number not in range(4):
            raise ValueError(f"{number!r} is no suit: a suit is a number from 0 to 3")
        return SUITS[number]

    def __getitem__(cls, name: str) -> Suit:
        return {suit.name: suit for suit in SUITS}[name]

    def __iter__(cls) -> Iterator[Suit]:
        return iter(SUITS)

    def __len__(cls) -> int:
        return len(SUITS)


class _Named(int):
    """A number with a name. Each exists once, so a copy is the same object."""

    code: str
    """Its ASCII form, as in records and on the wire."""

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self


class Suit(_Named, metaclass=_Suits):
    """The four suits, in the order of their bytes."""

    CLUBS: ClassVar[Suit]
    DIAMONDS: ClassVar[Suit]
    HEARTS: ClassVar[Suit]
    SPADES: ClassVar[Suit]
    name: str
    symbol: str
    is_red: bool

    @property
    def value(self) -> int:
        return int(self)

    def __str__(self) -> str:
        return self.symbol

    def __repr__(self) -> str:
        return f"Suit.{self.name}"

    def __reduce__(self) -> tuple[object, tuple[int]]:
        return Suit, (int(self),)


def _make_suit(number: int, name: str) -> Suit:
    made = int.__new__(Suit, number)
    made.name, made.code, made.symbol, made.is_red = name, name[0], "♣♦♥♠"[number], number in {1, 2}
    setattr(Suit, name, made)
    return made


SUITS: Final = tuple([_make_suit(*named) for named in enumerate(("CLUBS", "DIAMONDS", "HEARTS", "SPADES"))])


class Card(_Named):
    """One playing card; prints as `Q♠`.

    `rank` is 1 (ace) to 13 (king); each game decides what a rank is worth. The 52 cards
    are made once. Get one with `card(byte)`, `Card.of(rank, suit)` or
    `parse_card("QS")`.
    """

    rank: int
    suit: Suit

    @staticmethod
    def of(rank: int, suit: Suit) -> Card:
        """The card of that rank (1 to 13) and suit."""
        return CARDS[13 * suit + rank - 1]

    @property
    def is_red(self) -> bool:
        return self.suit.is_red

    def __bool__(self) -> bool:
        """True, for the ace of clubs too, whose byte is 0: `if view.lead:` works."""
        return True

    def __str__(self) -> str:
        return RANK_NAMES[self.rank - 1] + self.suit.symbol

    __repr__ = __str__

    def __reduce__(self) -> tuple[object, tuple[int]]:
        return card, (int(self),)


def _make(byte: int) -> Card:
    made = Card(byte)
    made.rank = byte % 13 + 1
    made.suit = Suit(byte // 13)
    made.code = RANK_NAMES[made.rank - 1] + made.suit.code
    return made


CARDS: Final[tuple[Card, ...]] = tuple(_make(byte) for byte in range(52))
"""All cards by their byte; one pack."""


def card(byte: int) -> Card:
    """The card with that byte; `ValueError` outside 0 to 51."""
    if not 0 <= byte < 52:
        raise ValueError(f"{byte} is no card: a card is a byte from 0 to 51")
    return CARDS[byte]


def cards(data: bytes) -> tuple[Card, ...]:
    """The cards with those bytes; `ValueError` names the first byte that is no card."""
    try:
        return tuple([CARDS[byte] for byte in data])
    except IndexError:
        return tuple([card(byte) for byte in data])


_BY_TEXT: Final = {
    text: c for c in CARDS for text in (str(c), c.code, str(c).replace("10", "T"), c.code.replace("10", "T"))
}


def parse_card(text: str) -> Card:
    """Parse `QS`, `Q♠`, `qs`, `10h` or `Th`; `ValueError` if the text is no card."""
    try:
        return _BY_TEXT[text.strip().upper()]
    except KeyError:
        raise ValueError(f"{text!r} is no card: write a rank and a suit, such as QS, 10H or A♣") from None


def parse_cards(text: str) -> tuple[Card, ...]:
    """Parse cards separated by white space or commas."""
    return tuple(parse_card(word) for word in text.replace(",", " ").split())
