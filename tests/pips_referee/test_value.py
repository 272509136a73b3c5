"""Values are frozen dataclasses in every respect, and quicker to make."""

from __future__ import annotations

import pickle
from copy import deepcopy
from dataclasses import FrozenInstanceError, dataclass, field, fields, is_dataclass, replace
from inspect import isfunction, signature

import pytest

from pips_referee.cards import parse_cards
from pips_referee.game import Event
from pips_referee.games.serpent.values import Dealt, Lead, Played
from pips_referee.value import METHODS, value


@value
class Rolled(Event):
    seat: int
    dice: tuple[int, ...]
    again: bool = False


@value
class RolledTwice(Rolled):
    more: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Plain(Event):
    seat: int
    dice: tuple[int, ...]
    again: bool = False


def test_it_is_a_dataclass() -> None:
    rolled = Rolled(1, (2, 3))
    assert is_dataclass(rolled) and [part.name for part in fields(rolled)] == ["seat", "dice", "again"]
    assert rolled == Rolled(seat=1, dice=(2, 3), again=False) != Rolled(1, (2, 3), True)
    assert repr(rolled) == "Rolled(seat=1, dice=(2, 3), again=False)"
    assert hash(rolled) == hash(Rolled(1, (2, 3)))
    assert replace(rolled, seat=0) == Rolled(0, (2, 3))
    assert type(rolled) is Rolled and isinstance(rolled, Event)
    assert signature(Rolled) == signature(Plain)
    assert Rolled.__match_args__ == ("seat", "dice", "again")


def test_it_is_frozen_and_has_no_other_fields() -> None:
    rolled = Rolled(1, (2, 3))
    with pytest.raises(FrozenInstanceError):
        rolled.seat = 2  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del rolled.seat
    with pytest.raises((AttributeError, TypeError)):
        rolled.other = 2  # type: ignore[attr-defined]
    assert not hasattr(rolled, "__dict__")


def test_it_is_copied_and_pickled() -> None:
    dealt = Dealt(1, 0, (parse_cards("QS AH"), None))
    assert pickle.loads(pickle.dumps(dealt)) == deepcopy(dealt) == dealt
    assert type(deepcopy(dealt)) is Dealt


def test_it_says_what_is_missing() -> None:
    with pytest.raises(TypeError, match="'dice'"):
        Rolled(1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unexpected keyword"):
        Played(0, 0, parse_cards("QS")[0], True, rank=1)  # type: ignore[call-arg]


def test_of_a_derived_class() -> None:
    both = RolledTwice(1, (2, 3), more=(4, 4))
    assert (both.seat, both.dice, both.again, both.more) == (1, (2, 3), False, (4, 4))
    assert type(both) is RolledTwice
    with pytest.raises(FrozenInstanceError):
        both.seat = 2  # type: ignore[misc]

    class Named(Lead):
        """A class of somebody's own."""

    assert type(Named(parse_cards("QS")[0])) is Named


def test_what_does_more_than_to_take_its_fields_is_refused() -> None:
    with pytest.raises(TypeError, match="Checked does more"):

        @value
        class Checked:
            seat: int

            def __post_init__(self) -> None: ...

    with pytest.raises(TypeError, match="Listed does more"):

        @value
        class Listed:
            dice: list[int] = field(default_factory=list)


def test_its_own_methods_stay() -> None:
    @value
    class Named:
        name: str

        def __repr__(self) -> str:
            return self.name

        def __hash__(self) -> int:
            return 7

    assert (repr(Named("ada")), hash(Named("ada")), Named("ada") == Named("ada")) == ("ada", 7, True)


def test_its_methods_are_compiled_when_one_is_needed() -> None:
    @value
    class Quiet:
        seat: int

    assert not any(isfunction(vars(Quiet)[name]) for name in METHODS)
    assert Quiet(1) == Quiet(1)
    assert all(isfunction(vars(Quiet)[name]) for name in METHODS)


def test_frozen_dataclasses_derive_from_a_value_and_values_from_them() -> None:
    @value
    class Base:
        seat: int

    @dataclass(frozen=True)
    class Derived(Base):
        card: str

    @value
    class Last(Derived):
        face_up: bool

    last = Last(1, "9D", True)
    assert (last.seat, last.card, last.face_up) == (1, "9D", True)
    assert repr(last).endswith("Last(seat=1, card='9D', face_up=True)")
    for one, name in ((Base(1), "seat"), (Derived(1, "9D"), "seat"), (Derived(1, "9D"), "card"), (last, "face_up")):
        with pytest.raises(FrozenInstanceError, match="cannot assign to field"):
            setattr(one, name, 2)
        with pytest.raises(FrozenInstanceError, match="cannot delete field"):
            delattr(one, name)
