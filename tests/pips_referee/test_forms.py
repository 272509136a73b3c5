"""What values may hold, and that their bounds are kept when they are read."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from enum import Enum, IntEnum, StrEnum
from random import Random
from typing import Annotated, Any, Literal

import pytest
from msgspec import Meta

from pips_referee.cards import Card, Suit
from pips_referee.errors import GameProblem, IllegalAction, MalformedMessage
from pips_referee.forms import MOST, Codec, check_choices, codecs_of, types_of
from pips_referee.game import REGISTRY, Action, Game, Value, get_game
from pips_referee.words import kind_of


class Colour(Enum):
    RED = "red"


class Level(IntEnum):
    ONE = 1
    NONE = 0


class Strange(StrEnum):
    ODD = "odd"


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
        ('"level":2,"level":1', r"action\.level: one of 1, 0 is due, not 1"),
    ],
)
def test_what_stands_there_twice_or_is_far_from_0_is_malformed(more: str, said: str) -> None:
    data = json.dumps(WHOLE)[:-1].encode() + f",{more}}}".encode()
    with pytest.raises(MalformedMessage, match=f"^{said}"):
        Codec((All,), "action").read(data)


@pytest.mark.parametrize("game", REGISTRY)
def test_what_is_no_class_of_a_game_is_no_action(game: str) -> None:
    with pytest.raises(MalformedMessage, match=r"^action: an object with a `kind` of \w.* is due, not {'kind': '_noth"):
        codecs_of(game).action.read(b'{"kind":"_nothing"}')
    for depth in range(900, 1100, 2):
        for data in (b"[" * depth + b"]" * depth, b'{"kind":' * depth + b"1" + b"}" * depth):
            with pytest.raises(MalformedMessage):
                codecs_of(game).action.read(data)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"colour": "blue"}, "action.colour: one of 'red', None is due, not 'blue'"),
        ({"colour": "a - at `$.name`"}, "action.colour: one of 'red', None is due, not 'a - at `$.name`'"),
        ({"level": 7}, "action.level: one of 1, 0 is due, not 7"),
        ({"pair": ["1S", "H"]}, "action.pair[0]: a card such as QS is due, not '1S'"),
        ({"pair": ["QS", "X"]}, "action.pair[1]: a suit, one of C D H S, is due, not 'X'"),
        ({"few": [1, "x"]}, "action.few[1]: a whole number is due, not 'x'"),
        ({"least": "x"}, "action.least: a whole number or null is due, not 'x'"),
        ({"inner": [{"number": 3, "b": 1}]}, "action.inner[0]: there is no field b, as in {'number': 3, 'b': 1}"),
        ({"inner": [{"kind": "other"}]}, "action.inner[0].kind: another value is due, not 'other'"),
        ({"inner": [{}]}, "action.inner[0]: the field number is missing in {}"),
    ],
)
def test_a_mistake_is_told_in_a_whole_sentence(wrong: dict[str, object], said: str) -> None:
    with pytest.raises(MalformedMessage) as refused:
        Codec((All,), "action").read(json.dumps({**WHOLE, **wrong}).encode())
    assert str(refused.value) == said


def test_the_words_of_a_bot_are_cut_and_printable() -> None:
    for word in ("\x1b[2J", "\u202e", "a\nb"):
        for wrong in (
            {word * 900: 1},
            {"name": word * 900},
            {"colour": word * 900},
            {"inner": [{"kind": word * 900}]},
            {"pair": [word * 900, "H"]},
        ):
            with pytest.raises(MalformedMessage) as refused:
                Codec((All,), "action").read(json.dumps({**WHOLE, **wrong}).encode())
            assert str(refused.value).isprintable() and len(str(refused.value)) < 300


class Picky(Value, Action):
    number: int

    def __post_init__(self) -> None:
        raise PROBLEMS[self.number]


@dataclass(frozen=True, slots=True)
class PickyToo(Action):
    number: int

    def __post_init__(self) -> None:
        raise PROBLEMS[self.number]


PROBLEMS: list[Exception] = [
    KeyError("no such key"), ZeroDivisionError("no number"), ValueError("no value"),
    IllegalAction(Strange.ODD, None, "no answer"),
]  # fmt: skip


@pytest.mark.parametrize("kind", [Picky, PickyToo])
@pytest.mark.parametrize("number", range(len(PROBLEMS)))
def test_whatever_a_game_s_own_value_raises_is_malformed(kind: Any, number: int) -> None:
    data = json.dumps({"kind": kind_of(kind.__name__), "number": number}).encode()
    with pytest.raises(MalformedMessage, match=r"^action: .*no "):
        Codec((kind,), "action").read(data)


@dataclass(frozen=True, slots=True)
class Usual(Action):
    number: int
    more: int = 5
    few: tuple[int, ...] = field(default_factory=lambda: (1,))


def test_a_field_with_a_default_may_be_left_out() -> None:
    assert Codec((Usual,), "action").read(b'{"kind":"usual","number":1}') == Usual(1)


class Number:
    """As a number of NumPy's is."""

    def __init__(self, number: int | bool) -> None:
        self.item = lambda: number


def test_numbers_of_a_library_travel_as_plain_ones() -> None:
    codec: Any = Codec((Inner,), "action")
    assert codec.write(Inner(Number(3))) == b'{"kind":"inner","number":3}'  # type: ignore[arg-type]
    with pytest.raises(AttributeError):
        codec.write(Inner(object()))  # type: ignore[arg-type]


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
