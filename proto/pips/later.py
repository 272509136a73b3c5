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
        _remove(self)
        return getattr(import_module(self.__name__), name)


@contextmanager
def loaded_later(*names: str) -> Iterator[None]:
    """Whatever is imported within it gets stand-ins for these modules.

    An import after it gets the module itself. Modules that are there already stay. A
    part of a module (`asyncio.events`) must not be imported within it.
    """
    made = {name: _StandIn(name) for name in names if name not in sys.modules}
    sys.modules.update(made)
    try:
        yield
    finally:
        for stand_in in made.values():
            _remove(stand_in)


def _remove(stand_in: _StandIn) -> None:
    if sys.modules.get(stand_in.__name__) is stand_in:
        del sys.modules[stand_in.__name__]
