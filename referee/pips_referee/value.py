"""Values: frozen dataclasses with slots that are quick to make.

The `__init__` of a usual frozen dataclass calls `object.__setattr__` for each field. A
view has a dozen fields, and two are made for every decision. Made as here, a view takes
a quarter of the time.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import MISSING, dataclass, fields
from typing import Any, Final, TypeVar, dataclass_transform

T = TypeVar("T")
_become: Final[Any] = object.__dict__["__class__"].__set__


@dataclass_transform(frozen_default=True)
def value(cls: type[T]) -> type[T]:
    """A frozen dataclass with slots.

    While its fields are set, the object is of a class of the same slots that is not
    frozen. `TypeError` for a default that is made anew, and for a `__post_init__`: they
    need a plain dataclass.
    """
    made: Any = dataclass(frozen=True, slots=True, init=False, repr=False, eq=False)(cls)
    parts = fields(made)
    if hasattr(made, "__post_init__") or any(part.default_factory is not MISSING for part in parts):
        raise TypeError(f"{cls.__name__} does more than to take its fields: make it a dataclass(frozen=True)")
    slots = {"__slots__": made.__slots__, "__setattr__": object.__setattr__}
    unfrozen = type(made)(f"{cls.__name__}BeingMade", made.__bases__, slots)
    defaults = {part.name: part.default for part in parts if part.default is not MISSING}
    known = {
        "made": made,
        "unfrozen": unfrozen,
        "become": _become,
        "set_field": object.__setattr__,
        "defaults": defaults,
    }
    text = _methods([part.name for part in parts], defaults)
    exec(text, known)  # noqa: S102 - as `dataclass` does; the names are those of the class's fields
    for name in ("__init__", "__repr__", "__eq__", "__hash__"):
        method: Any = known[name]
        method.__qualname__ = f"{made.__qualname__}.{name}"
        if name == "__init__" or vars(cls).get(name) is None:
            setattr(made, name, method)
    made.__init__.__annotations__ = {part.name: part.type for part in parts} | {"return": None}
    result: type[T] = made
    return result


def _methods(names: Sequence[str], defaults: Collection[str]) -> str:
    """The text of a value's methods, compiled in one go, which is quicker."""
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
