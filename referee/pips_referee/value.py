"""Values: frozen dataclasses with slots that are quick to make, and to define.

The `__init__` of a usual frozen dataclass calls `object.__setattr__` for each field. A
view has a dozen fields, and two are made for every decision. Made as here, a view takes
a quarter of the time.

A usual frozen dataclass also compiles six methods where it is defined, which takes half
a millisecond. A value's methods are compiled when the first of them is needed: most
classes that a process loads are not used at its start.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import MISSING, FrozenInstanceError, dataclass, fields, is_dataclass
from typing import Any, Final, TypeVar, dataclass_transform

T = TypeVar("T")
METHODS: Final = ("__init__", "__repr__", "__eq__", "__hash__")
_become: Final[Any] = object.__dict__["__class__"].__set__


@dataclass_transform(frozen_default=True)
def value(cls: type[T]) -> type[T]:
    """A frozen dataclass with slots.

    While its fields are set, the object is of a class of the same slots that is not
    frozen. `TypeError` for a default that is made anew, and for a `__post_init__`: they
    need a plain dataclass.
    """
    bases: list[Any] = [base for base in cls.__mro__[1:] if is_dataclass(base)]
    frozen = any(base.__dataclass_params__.frozen for base in bases)
    made: Any = dataclass(frozen=frozen, slots=True, init=False, repr=False, eq=False)(cls)
    made.__dataclass_params__.frozen = True  # its refusals are set below, and not compiled
    parts = fields(made)
    if hasattr(made, "__post_init__") or any(part.default_factory is not MISSING for part in parts):
        raise TypeError(f"{cls.__name__} does more than to take its fields: make it a dataclass(frozen=True)")
    own = [name for name in METHODS if name == "__init__" or vars(cls).get(name) is None]
    for name in own:
        setattr(made, name, _Later(made, own, name))
    made.__setattr__, made.__delattr__ = _refusals(made)
    made.__getstate__, made.__setstate__ = _state, _set_state
    result: type[T] = made
    return result


class _Later:
    """Stands for a method of a value until one of them is needed."""

    __slots__ = ("_made", "_name", "_own")

    def __init__(self, made: Any, own: Sequence[str], name: str) -> None:
        self._made, self._own, self._name = made, own, name

    def __get__(self, thing: object, kind: object = None) -> Any:
        if isinstance(vars(self._made)[self._name], _Later):  # no other thread was quicker
            _compile(self._made, self._own)
        return vars(self._made)[self._name].__get__(thing, kind)


def _compile(made: Any, own: Sequence[str]) -> None:
    """Give a value its methods, compiled in one go, which is quicker."""
    parts = fields(made)
    slots = {"__slots__": made.__slots__, "__setattr__": object.__setattr__}
    defaults = {part.name: part.default for part in parts if part.default is not MISSING}
    known = {
        "made": made,
        "unfrozen": type(made)(f"{made.__name__}BeingMade", made.__bases__, slots),
        "become": _become,
        "set_field": object.__setattr__,
        "defaults": defaults,
    }
    text = _methods([part.name for part in parts], defaults)
    exec(text, known)  # noqa: S102 - as `dataclass` does; the names are those of the class's fields
    for name in own:
        method: Any = known[name]
        method.__qualname__ = f"{made.__qualname__}.{name}"
        if name == "__init__":
            method.__annotations__ = {part.name: part.type for part in parts} | {"return": None}
        setattr(made, name, method)


def _methods(names: Sequence[str], defaults: Collection[str]) -> str:
    """The text of a value's methods."""
    taken = [f"{name}=defaults[{name!r}]" if name in defaults else name for name in names]
    mine, others = ("".join(f"{whose}.{name}, " for name in names) for whose in ("self", "other"))
    shown = ", ".join(f"{name}={{self.{name}!r}}" for name in names)
    lines = [
        f"def __init__({', '.join(['self', *taken])}):",
        "    if self.__class__ is not made:  # a derived class, of other slots",
        *(f"        set_field(self, {name!r}, {name})" for name in names),
        "        return",
        "    become(self, unfrozen)",
        *(f"    self.{name} = {name}" for name in names),
        "    self.__class__ = made",
        "def __repr__(self):",
        f'    return f"{{self.__class__.__qualname__}}({shown})"',
        "def __eq__(self, other):",
        f"    return ({mine}) == ({others}) if other.__class__ is self.__class__ else NotImplemented",
        "def __hash__(self):",
        f"    return hash(({mine}))",
    ]
    return "\n".join(lines)


def _refusals(made: Any) -> tuple[Any, Any]:
    """`__setattr__` and `__delattr__`; they refuse as a frozen dataclass does."""
    names = frozenset(part.name for part in fields(made))

    def set_field(self: object, name: str, to: object) -> None:
        if type(self) is made or name in names:
            raise FrozenInstanceError(f"cannot assign to field {name!r}")
        super(made, self).__setattr__(name, to)

    def delete_field(self: object, name: str) -> None:
        if type(self) is made or name in names:
            raise FrozenInstanceError(f"cannot delete field {name!r}")
        super(made, self).__delattr__(name)

    return set_field, delete_field


def _state(thing: Any) -> list[Any]:
    return [getattr(thing, part.name) for part in fields(thing)]


def _set_state(thing: Any, state: Sequence[Any]) -> None:
    for part, to in zip(fields(thing), state, strict=True):
        object.__setattr__(thing, part.name, to)
