"""Values: frozen dataclasses with slots that are quick to make.

The `__init__` of a usual frozen dataclass calls `object.__setattr__` for each field. A
view has a dozen fields, and two are made for every decision. Made as here, a view takes
a quarter of the time.
"""

from __future__ import annotations

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
    made: Any = dataclass(frozen=True, slots=True, init=False)(cls)
    parts = fields(made)
    if hasattr(made, "__post_init__") or any(part.default_factory is not MISSING for part in parts):
        raise TypeError(f"{cls.__name__} does more than to take its fields: make it a dataclass(frozen=True)")
    slots = {"__slots__": made.__slots__, "__setattr__": object.__setattr__}
    unfrozen = type(made)(f"{cls.__name__}BeingMade", made.__bases__, slots)
    defaults = {part.name: part.default for part in parts if part.default is not MISSING}
    taken = [f"{part.name}=defaults[{part.name!r}]" if part.name in defaults else part.name for part in parts]
    lines = [
        f"def __init__({', '.join(['self', *taken])}):",
        "    if self.__class__ is not made:  # a derived class, of other slots",
        *(f"        set_field(self, {part.name!r}, {part.name})" for part in parts),
        "        return",
        "    become(self, unfrozen)",
        *(f"    self.{part.name} = {part.name}" for part in parts),
        "    self.__class__ = made",
    ]
    known = {
        "made": made,
        "unfrozen": unfrozen,
        "become": _become,
        "set_field": object.__setattr__,
        "defaults": defaults,
    }
    exec("\n".join(lines), known)  # noqa: S102 - as `dataclass` does; the names are those of the class's fields
    made.__init__ = known["__init__"]
    made.__init__.__annotations__ = {part.name: part.type for part in parts} | {"return": None}
    made.__init__.__qualname__ = f"{made.__qualname__}.__init__"
    result: type[T] = made
    return result
