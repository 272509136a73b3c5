"""The notation that the positions of all games share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice

from pips_referee.cards import Card, parse_cards
from pips_referee.game import View


class PositionError(ValueError):
    """A position's text is malformed or impossible; says which part, and why."""


class Notes:
    """The parts of a position's text, by name; each is used once."""

    def __init__(self, text: str, known: Sequence[str]) -> None:
        self.parts: dict[str, str] = {}
        for part in text.split("|"):
            name, colon, value = (piece.strip() for piece in part.partition(":"))
            if not colon:
                raise PositionError(f"{part.strip()!r} is not of the form `what: value`")
            if name not in known:
                raise PositionError(f"there is no {name!r} in this game's positions; there are {', '.join(known)}")
            if name in self.parts:
                raise PositionError(f"{name} is there twice")
            self.parts[name] = value

    def __contains__(self, name: str) -> bool:
        return name in self.parts

    def cards(self, name: str) -> tuple[Card, ...]:
        """The cards in part `name`; none if the text lacks the part."""
        try:
            return parse_cards(self.parts.get(name, ""))
        except ValueError as error:
            raise PositionError(f"{name}: {error}") from None

    def numbers(self, name: str, default: Sequence[int], count: int | None = None) -> tuple[int, ...]:
        """The numbers in part `name`: `count` of them, or however many if None."""
        if name not in self.parts:
            return tuple(default)
        words = self.parts[name].split()
        if not all(word.isdecimal() for word in words) or count not in (None, len(words)):
            wanted = "numbers" if count is None else "a number" if count == 1 else f"{count} numbers"
            raise PositionError(f"{name}: {self.parts[name]!r} should be {wanted}")
        return tuple(map(int, words))

    def number(self, name: str, default: int) -> int:
        return self.numbers(name, [default], 1)[0]

    def seats(self, default: int, allowed: range, rules: str = "") -> int:
        """How many seats play, one of those allowed; an error names the `rules`."""
        seats = self.number("seats", default)
        ensure(seats in allowed, f"seats: {seats}; {rules}{allowed[0]} to {allowed[-1]} can play")
        return seats

    def word(self, name: str, words: Sequence[str], default: str) -> str:
        """The part's word, one of `words`."""
        word = self.parts.get(name, default)
        if word not in words:
            raise PositionError(f"{name}: {word!r} should be one of {', '.join(words)}")
        return word


def ensure(holds: bool, sentence: str) -> None:
    """`PositionError` with the sentence unless `holds` is true."""
    if not holds:
        raise PositionError(sentence)


def ensure_no_more(cards: Iterable[Card], packs: int) -> None:
    """`PositionError` if there are more copies of a card than packs."""
    for card, count in Counter(cards).items():
        times = "once" if packs == 1 else f"{packs} times"
        ensure(count <= packs, f"{card.code} is there {count} times; there is each card {times}")


def ensure_choice(view: View) -> None:
    """`PositionError` if there are fewer than two legal answers."""
    answers = len(list(islice(view.legal_actions(), 2)))
    ensure(answers == 2, f"a bot is never asked this ({view.kind}): there are not two answers to choose from")


def written(*parts: tuple[str, object]) -> str:
    """The text of a position with these parts; empty ones are left out."""

    def word(value: object) -> str:
        return value.code if isinstance(value, Card) else str(value)

    texts = [
        (
            name,
            value
            if isinstance(value, str)
            else " ".join(map(word, value))
            if isinstance(value, Iterable)
            else str(value),
        )
        for name, value in parts
    ]
    return " | ".join(f"{name}: {text}" for name, text in texts if text)
