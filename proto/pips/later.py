"""Modules that a library imports and nobody uses: loaded if they are needed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any


class _StandIn(ModuleType):
    """Hands on the attributes of the module that it stands for."""

    def __getattr__(self, name: str) -> Any:
        if name == "__path__":  # an import with `from` asks for it first
            raise AttributeError(name)
        _remove(self)
        return getattr(import_module(self.__name__), name)

    def hand_out(self, function: str) -> None:
        """Whoever takes this gets a function that loads the module once called."""

        def called(*args: Any, **named: Any) -> Any:
            return self.__getattr__(function)(*args, **named)

        setattr(self, function, called)


@contextmanager
def loaded_later(*names: str) -> Iterator[None]:
    """Whatever is imported within it gets stand-ins for these modules.

    `module:function` is for a module of which a library takes a function at once.

    An import after it gets the module itself. Modules that are there already stay. A
    part of a module (`asyncio.events`) must not be imported within it.
    """
    made: dict[str, _StandIn] = {}
    for name, _, function in (name.partition(":") for name in names):
        if name not in sys.modules:
            made[name] = _StandIn(name)
            if function:
                made[name].hand_out(function)
    sys.modules.update(made)
    try:
        yield
    finally:
        for stand_in in made.values():
            _remove(stand_in)


def _remove(stand_in: _StandIn) -> None:
    if sys.modules.get(stand_in.__name__) is stand_in:
        del sys.modules[stand_in.__name__]
