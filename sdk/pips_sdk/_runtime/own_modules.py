"""A bot's own modules, beside its file: two bots may use the same module names.

If several bots play in one process, an import finds the modules of the bot whose code
imports them, at any time.
"""

from __future__ import annotations

import builtins
import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from os.path import dirname, realpath
from pathlib import Path
from threading import RLock
from types import ModuleType
from typing import Any, Final

_LOCK: Final = RLock()
_IMPORT, _IMPORT_MODULE = builtins.__import__, importlib.import_module
_folders: dict[str, OwnModules] = {}
_left: list[str] = []
"""Modules left in `sys.modules` until the next import of a bot."""


class OwnModules:
    """The modules of one bot."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._modules: dict[str, ModuleType] = {}
        self._depth = 0

    @contextmanager
    def here(self) -> Iterator[None]:
        """A context in which imports find this bot's modules, and are kept with it."""
        with _LOCK:
            if self._depth:
                yield
                return
            while _left:
                sys.modules.pop(_left.pop(), None)
            hidden = {name: sys.modules.pop(name) for name in [*sys.modules] if self._hides(name)}
            before, path = sys.modules.copy(), sys.path.copy()
            sys.modules.update(self._modules)
            sys.path.insert(0, str(self._folder))
            self._depth += 1
            try:
                yield
            finally:
                self._depth -= 1
                sys.path[:] = path
                for name in [name for name in sys.modules if name not in before and self._is_beside(name)]:
                    self._modules[name] = sys.modules[name]
                for name in self._modules:
                    sys.modules.pop(name, None)
                sys.modules.update(hidden)

    def leave(self, name: str) -> None:
        """Leave a module for C code: pickle looks it up after importing it."""
        with _LOCK:
            if name in self._modules and name not in sys.modules:
                sys.modules[name] = self._modules[name]
                _left.append(name)

    def _hides(self, name: str) -> bool:
        """Whether a foreign module has the name of a file of this bot."""
        top = name.partition(".")[0]
        if top in sys.stdlib_module_names or top == "__main__":
            return False
        return _lies_in(self._folder, top) and not self._is_beside(name)

    def _is_beside(self, name: str) -> bool:
        """Whether a loaded module is a file or part of a package in the folder."""
        place = getattr(sys.modules.get(name.partition(".")[0]), "__file__", None)
        if place is None:
            return False
        path = Path(place).resolve()
        return self._folder == (path.parent.parent if path.name == "__init__.py" else path.parent)


def own_modules(folder: Path) -> OwnModules:
    """The modules of a bot loaded from that folder, not shared with other bots."""
    builtins.__import__, importlib.import_module = _import, _import_module
    made = _folders[realpath(folder)] = OwnModules(folder.resolve())
    _owner.cache_clear()
    _lies_in.cache_clear()
    return made


@lru_cache(maxsize=4096)
def _lies_in(folder: Path, top: str) -> bool:
    return (folder / f"{top}.py").is_file() or (folder / top / "__init__.py").is_file()


@lru_cache(maxsize=4096)
def _owner(file: str) -> OwnModules | None:
    """The bot that owns a file. It must not import, as `Path` does in some Pythons."""
    folder = realpath(file)
    while (above := dirname(folder)) != folder:  # noqa: PTH120 - no imports here
        if above in _folders:
            return _folders[above]
        folder = above
    return None


def _of(variables: Any) -> OwnModules | None:
    file = (variables or {}).get("__file__")
    return _owner(file) if isinstance(file, str) else None


def _import(name: str, globals: Any = None, *rest: Any, **more: Any) -> ModuleType:  # noqa: A002 - as Python calls it
    owner = _of(globals)
    if owner is None:
        return _IMPORT(name, globals, *rest, **more)
    with owner.here():
        module = _IMPORT(name, globals, *rest, **more)
    if len(rest) > 1 and isinstance(rest[1], list):  # only C passes a list of names
        owner.leave(name)
    return module


def _import_module(name: str, package: str | None = None) -> ModuleType:
    owner = _of(sys._getframe(1).f_globals)  # noqa: SLF001 - the importing code decides
    if owner is None:
        return _IMPORT_MODULE(name, package)
    with owner.here():
        return _IMPORT_MODULE(name, package)
