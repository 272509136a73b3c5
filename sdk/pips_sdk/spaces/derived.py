"""Numbers for a game without its own, derived from its values' fields and bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from typing import Annotated, Any, NamedTuple, get_args, get_origin

from msgspec import Meta

from pips_referee.cards import CARDS, SUITS, Card, Suit
from pips_referee.errors import GameProblem
from pips_referee.forms import bounded_fields, types_of
from pips_referee.game import Action, AnyGame, Value, View
from pips_sdk.learning.fields import ObservedField
from pips_sdk.learning.space import Numbers, Space, write_row


class FieldNumbers(NamedTuple):
    """The conversion of a field to numbers."""

    size: int
    """The most numbers for one value."""
    most: int
    """The largest of the numbers."""
    numbers: Callable[[Any], list[int]]
    """The numbers of a value; fewer for None, or for a tuple that is not full."""


class DerivedSpace(Space[Any]):
    """A number for each field of an answer, from its kind's first number up.

    An observation has the view's fields in order, then the numbers of an unfinished
    answer. A card is its byte plus 1. A tuple begins with its length, and an optional
    value with 0 or 1.
    """

    def __init__(self, game: AnyGame) -> None:
        types = types_of(game)
        asked = FieldNumbers(1, len(game.kinds), lambda kind: [game.kinds.index(kind) + 1 if kind else 0])
        hints = bounded_fields(types.view)
        self._view = {name: asked if name == "kind" else _part(hint, name) for name, hint in hints.items()}
        self._kinds: dict[type, tuple[int, FieldNumbers]] = {}
        self.action_count = 0
        for kind in types.actions:
            self._kinds[kind] = self.action_count, (part := _value(kind))
            self.action_count += part.most + 1
        unfinished = max([part.size for _, part in self._kinds.values()]) - 1
        self.fields = (
            *[ObservedField(name, part.size, part.most) for name, part in self._view.items()],
            *[ObservedField("said", unfinished, self.action_count)][: unfinished > 0],
        )
        self._asked: View | None = None
        self._answers: dict[tuple[int, ...], Action] = {}

    def numbers(self, view: View, said: Sequence[int] = ()) -> Sequence[int]:
        if view is not self._asked:
            self._asked = view
            self._answers = {self.spell(view, action): action for action in view.legal_actions()}
        begun = tuple(said)
        return sorted({spelt[len(begun)] for spelt in self._answers if spelt[: len(begun)] == begun})

    def action(self, view: View, said: Sequence[int]) -> Action | None:
        self.numbers(view)
        return self._answers.get(tuple(said))

    def spell(self, view: View, action: Action) -> tuple[int, ...]:
        first, part = self._kinds[type(action)]
        return tuple([first + number for number in part.numbers(action) or [0]])

    def write(self, view: View, said: Sequence[int], into: Numbers, at: int) -> None:
        for name, part in self._view.items():
            write_row(part.numbers(getattr(view, name)), into, at)
            at += part.size
        write_row([number + 1 for number in said], into, at)


def _part(hint: Any, where: str) -> FieldNumbers:
    """The numbers of a field; `GameProblem` if it has no bounds."""
    bounds = Meta()
    if get_origin(hint) is Annotated:
        hint, bounds = get_args(hint)
    if hint in (Card, Suit):
        return FieldNumbers(1, len(CARDS if hint is Card else SUITS), lambda card: [int(card) + 1])
    if hint is bool:
        return FieldNumbers(1, 1, lambda flag: [int(flag)])
    if hint is int and bounds.ge is not None and bounds.le is not None:
        least = int(bounds.ge)
        return FieldNumbers(1, int(bounds.le) - least, lambda number: [number - least])
    if isinstance(hint, type) and issubclass(hint, Enum):
        members = [*hint]
        return FieldNumbers(1, len(members) - 1, lambda member: [members.index(member)])
    if isinstance(hint, type) and issubclass(hint, Value):
        return _value(hint)
    if hint is str:
        raise GameProblem(f"{where} is a text, and there is no number for it")
    items = get_args(hint)
    if get_origin(hint) is tuple and Ellipsis not in items:
        return _row([_part(item, where) for item in items])
    if get_origin(hint) is tuple and bounds.max_length is not None:
        each = _part(items[0], where)
        return FieldNumbers(
            1 + bounds.max_length * each.size,
            max(bounds.max_length, each.most),
            lambda values: [len(values), *[number for value in values for number in _full(each, value)]],
        )
    if len(items) == 2 and type(None) in items:
        only = _part(next(item for item in items if item is not type(None)), where)
        return FieldNumbers(
            1 + only.size, max(1, only.most), lambda value: [0] if value is None else [1, *only.numbers(value)]
        )
    raise GameProblem(f"{where} has no bounds: write Annotated[..., msgspec.Meta(ge=0, le=9)] or Meta(max_length=9)")


def _value(kind: type) -> FieldNumbers:
    hints = bounded_fields(kind)
    row = _row([_part(hint, f"{kind.__name__}.{name}") for name, hint in hints.items()])
    return row._replace(numbers=lambda value: row.numbers([getattr(value, name) for name in hints]))


def _row(parts: list[FieldNumbers]) -> FieldNumbers:
    def numbers(values: Sequence[Any]) -> Iterator[int]:
        for part, value in zip(parts, values, strict=True):
            yield from _full(part, value)

    most = max([part.most for part in parts], default=0)
    return FieldNumbers(sum([part.size for part in parts]), most, lambda values: [*numbers(values)])


def _full(part: FieldNumbers, value: Any) -> list[int]:
    """The numbers of a value, padded to the part's size."""
    numbers = part.numbers(value)
    return numbers + [0] * (part.size - len(numbers))
