"""What values may hold, and that their bounds are kept when they are read."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from random import Random
from typing import Annotated, Any, Literal

import pytest
from msgspec import Meta

from pips_referee.cards import Card, Suit
from pips_referee.errors import GameProblem, MalformedMessage
from pips_referee.forms import MOST, Codec, check_choices, types_of
from pips_referee.game import REGISTRY, Action, Game, Value, get_game


class Colour(Enum):
    RED = "red"


class Level(IntEnum):
    ONE = 1
    NONE = 0


class Mixed(Enum):
    ONE = 1
    TWO = "two"


class Inner(Value):
    number: int


class All(Value, Action):
    """A field of each kind that travels."""

    level: Level
    colour: Colour | None
    few: Annotated[tuple[int, ...], Meta(max_length=3)]
    pair: tuple[Card, Suit]
    inner: tuple[Inner, ...]
    name: Annotated[str, Meta(max_length=3)]
    suits: tuple[Suit, ...]
    least: Annotated[int, Meta(ge=2)] | None


WHOLE = {
    "kind": "all", "level": 1, "colour": "red", "few": [1, 2], "pair": ["QS", "H"],
    "inner": [{"kind": "inner", "number": 3}], "name": "abc", "suits": ["C", "S"], "least": None,
}  # fmt: skip


def test_all_kinds_of_fields_travel() -> None:
    check_choices((All, Inner))
    codec = Codec((All,), "action")
    value = codec.read(json.dumps(WHOLE).encode())
    assert (value.level, value.colour, value.few) == (Level.ONE, Colour.RED, (1, 2))
    assert json.loads(codec.write(value)) == WHOLE


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("level", True), ("level", 1.0), ("level", "1"), ("level", 2), ("level", False), ("colour", "RED"),
        ("few", [1, 2, 3, 4]), ("few", [True]), ("pair", ["QS"]), ("name", "abcd"), ("suits", [1]), ("suits", [["C"]]),
        ("least", 1), ("least", "x"), ("colour", None.__class__.__name__), ("pair", ["10H", "♥"]), ("level", None),
        ("inner", [{"kind": "inner", "number": 3, "more": 1}]),
    ],
)  # fmt: skip
def test_bounds_and_types_are_kept(name: str, wrong: object) -> None:
    with pytest.raises(MalformedMessage, match=rf"action\.{name}.*: "):
        Codec((All,), "action").read(json.dumps({**WHOLE, name: wrong}).encode())


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (
            '"inner":[{"kind":"inner","number":"x"}],"inner":[]',
            r"action\.inner\[0\]\.number: a whole number is due",
        ),
        ('"inner":[{"kind":"inner","number":"x"}],"inner":[[1]]', r"action\.inner\[0\]\.number: a whole number is due"),
        ('"kind":1234567890123456789e999', "action: the bytes are no JSON: Number out of range"),
        (f'"inner":[{{"kind":"inner","number":{MOST}}}]', f"action: a whole number below {MOST} is due, not {MOST}"),
        (f'"inner":[{{"kind":"inner","number":{10**80}}}]', f"action: a whole number below {MOST} is due, not 1000"),
        (f'"kind":{"[" * 4000}', "action: the bytes are no JSON: "),
        ('"level":2,"level":1', r"action\.level: no such word or number: 1"),
    ],
)
def test_what_stands_there_twice_or_is_far_from_0_is_malformed(more: str, said: str) -> None:
    data = json.dumps(WHOLE)[:-1].encode() + f",{more}}}".encode()
    with pytest.raises(MalformedMessage, match=f"^{said}"):
        Codec((All,), "action").read(data)


def test_any_bytes_are_read_or_malformed() -> None:
    rng, codec, read = Random(1), Codec((All, Inner), "action"), 0
    whole, parts = (
        json.dumps(WHOLE).encode(),
        [b'"', b"{", b"]", b"-1", b"null", b"9" * 20, b"1e9", b",", b":", b"\xff", b"\\u"],
    )
    for _ in range(20_000):
        data = bytearray(whole)
        for _ in range(rng.choice((1, 1, 2, 4))):
            at = rng.randrange(len(data))
            data[at : at + rng.randrange(4)] = rng.choice(parts) if rng.random() < 0.5 else data[: rng.randrange(40)]
        try:
            codec.read(bytes(data))
            read += 1
        except MalformedMessage:
            pass
    assert read > 20


class Named(Value, kw_only=True):
    number: int


@dataclass(frozen=True, slots=True)
class LaterNamed:
    number: int
    more: int = field(default=5, kw_only=True)


@dataclass(frozen=True, slots=True)
class Kind:
    kind: str


def of_field(hint: Any) -> Any:
    """A value with a field of that annotation."""
    return type("Made", (Value,), {"__annotations__": {"part": hint}})


@pytest.mark.parametrize(
    ("kinds", "said"),
    [
        *(
            ((of_field(hint),), "Made.part: .* cannot travel")
            for hint in (
                float, list[int], dict[str, int], Literal["a"], Any, tuple, tuple[()], frozenset[int], int | str,
                tuple[float, ...], float | None, bytes,
            )
        ),
        ((of_field(Named),), "Named.number is `kw_only`"),
        ((Named,), "Named.number is `kw_only`"),
        ((LaterNamed,), "LaterNamed.more is `kw_only`"),
        ((Kind,), "Kind.kind: only a view has a `kind`"),
        ((of_field(Kind),), "Made.part: .*Kind.* cannot travel"),
        ((of_field(Mixed),), "Made.part: Enums must contain either all str or all int values"),
        ((type("Roll2Dice", (Value,), {}), type("Roll2dice", (Value,), {})), "have the same kind"),
        ((int,), "cannot travel"),
        ((of_field(Annotated[int | None, Meta(ge=2)]),), "Made.part: Can only set `ge` on a numeric type"),
    ],
)  # fmt: skip
def test_what_cannot_travel_is_told_by_its_name(kinds: tuple[Any, ...], said: str) -> None:
    with pytest.raises(GameProblem, match=said):
        check_choices(kinds)


def test_a_game_names_its_types() -> None:
    assert all(types_of(get_game(name)).actions for name in REGISTRY)
    unnamed: Any = type("Unnamed", (Game,), {})
    unnamed.__abstractmethods__ = frozenset()
    with pytest.raises(GameProblem, match=r"Unnamed has to derive from Game\[VIEW"):
        types_of(unnamed())
