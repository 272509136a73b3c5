"""Distribution functions of scipy, without all else that `scipy.special` loads.

Its package imports numpy's Fortran reader and three hundred other modules, for arrays
of other libraries. That takes a command as long as numpy itself. The functions are in a
compiled module, which is not public. Without it the public package is loaded.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

import scipy

if TYPE_CHECKING:
    from scipy.special import chdtrc, fdtrc, ndtr, ndtri, stdtr, stdtrit

__all__ = ["chdtrc", "fdtrc", "ndtr", "ndtri", "stdtr", "stdtrit"]

PACKAGE: Final = "scipy.special"


def compiled() -> ModuleType:
    """The module with all of `__all__`."""
    if PACKAGE in sys.modules:
        return sys.modules[PACKAGE]
    try:
        module = _without_package(f"{PACKAGE}._ufuncs")
    except ImportError:
        return import_module(PACKAGE)
    return module if all(hasattr(module, name) for name in __all__) else import_module(PACKAGE)


def _without_package(name: str) -> ModuleType:
    """A module of the package, whose own imports are left out."""
    bare = ModuleType(PACKAGE)
    bare.__path__ = [f"{folder}/special" for folder in scipy.__path__]
    sys.modules[PACKAGE] = bare
    try:
        return import_module(name)
    finally:
        del sys.modules[PACKAGE]


if not TYPE_CHECKING:
    _found: Final[Any] = compiled()
    globals().update({name: getattr(_found, name) for name in __all__})
