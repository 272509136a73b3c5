"""The values of an OpenSpiel game: its own strings, numbers and tensors."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from struct import unpack
from typing import Annotated, ClassVar, Final

from msgspec import Meta

from pips_referee.chance import Rng
from pips_referee.game import Action, Event, Options, Value, View, check_flag

MOVE: Final = "move"
MOST_MOVE: Final = 500
Seat = Annotated[int, Meta(ge=0, le=31)]
Number = Annotated[int, Meta(ge=0)]
Text = Annotated[str, Meta(max_length=MOST_MOVE)]


class Reason(StrEnum):
    """Why a move is illegal."""

    NOT_LEGAL = "not_legal"


@dataclass(frozen=True, slots=True)
class SpielOptions(Options):
    """`tensor`: whether views include OpenSpiel's tensor."""

    tensor: bool = False

    def __post_init__(self) -> None:
        check_flag(self, "tensor")


class SpielMove(Value, Action):
    """A move, as text from OpenSpiel."""

    move: Text


class SpielMoved(Value, Event):
    """A seat moved, perhaps without a choice."""

    seat: Seat
    move: Text
    number: Number
    """OpenSpiel's number of the move."""
    hidden: bool
    """Whether only the seat itself sees it; the views show what the others know."""

    def seen_by(self, seat: int) -> SpielMoved | None:
        return None if self.hidden and seat != self.seat else self


class SpielChance(Value, Event):
    """A random outcome."""

    chance: ClassVar[bool] = True
    outcome: Text
    number: Number
    hidden: bool
    """Whether nobody sees it; a seat's view shows what the seat knows of it."""

    def seen_by(self, seat: int) -> SpielChance | None:
        return None if self.hidden else self


class SpielTold(Value, Event):
    """What a seat learns before it is asked; no other seat sees it.

    The first `kept` characters of the text known so far stay; `text` replaces the rest.
    """

    seat: Seat
    kept: Number
    text: str

    def seen_by(self, seat: int) -> SpielTold | None:
        return self if seat == self.seat else None


class SpielView(Value, View):
    """What OpenSpiel shows the seat."""

    seat: Seat
    kind: str
    known: str
    """Its information state if the game is partly hidden, else its observation."""
    moves: tuple[Text, ...]
    numbers: tuple[Number, ...]
    """OpenSpiel's numbers of these moves."""
    tensor: str
    """`known` as floats of four bytes, in base64; empty without the option."""

    @property
    def floats(self) -> tuple[float, ...]:
        """The tensor as floats."""
        data = b64decode(self.tensor)
        return unpack(f"<{len(data) // 4}f", data)

    def legal_actions(self) -> Iterator[SpielMove]:
        return map(SpielMove, self.moves)

    def random_action(self, rng: Rng) -> SpielMove:
        return SpielMove(rng.choice(self.moves))
