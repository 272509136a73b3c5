"""What travels in a game of OpenSpiel: its own strings, numbers and tensors."""

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
    """Why a move is refused."""

    NOT_LEGAL = "not_legal"


@dataclass(frozen=True, slots=True)
class SpielOptions(Options):
    """`tensor`: whether views have OpenSpiel's tensor too."""

    tensor: bool = False

    def __post_init__(self) -> None:
        check_flag(self, "tensor")


class SpielMove(Value, Action):
    """A move, as OpenSpiel writes it."""

    move: Text


class SpielMoved(Value, Event):
    """A seat has moved, perhaps without a choice."""

    seat: Seat
    move: Text
    number: Number
    """OpenSpiel's number of the move."""
    hidden: bool
    """Whether only the seat itself sees it; what others know stands in their views."""

    def seen_by(self, seat: int) -> SpielMoved | None:
        return None if self.hidden and seat != self.seat else self


class SpielChance(Value, Event):
    """What luck brought."""

    chance: ClassVar[bool] = True
    outcome: Text
    number: Number
    hidden: bool
    """Whether nobody sees it; what a seat knows of it stands in its view."""

    def seen_by(self, seat: int) -> SpielChance | None:
        return None if self.hidden else self


class SpielTold(Value, Event):
    """What a seat has learned when it is asked; others see nothing.

    Of the text that it knows the first `kept` characters stay; `text` is what follows.
    """

    seat: Seat
    kept: Number
    text: str

    def seen_by(self, seat: int) -> SpielTold | None:
        return self if seat == self.seat else None


class SpielView(Value, View):
    """What OpenSpiel tells the seat."""

    seat: Seat
    kind: str
    known: str
    """Its information state where something is hidden, else its observation."""
    moves: tuple[Text, ...]
    numbers: tuple[Number, ...]
    """OpenSpiel's number of each of these moves."""
    tensor: str
    """The same as floats of four bytes, in base64; empty without the option."""

    @property
    def floats(self) -> tuple[float, ...]:
        """The numbers of the tensor."""
        data = b64decode(self.tensor)
        return unpack(f"<{len(data) // 4}f", data)

    def legal_actions(self) -> Iterator[SpielMove]:
        return map(SpielMove, self.moves)

    def random_action(self, rng: Rng) -> SpielMove:
        return SpielMove(rng.choice(self.moves))
