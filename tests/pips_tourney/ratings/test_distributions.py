"""Scipy's functions without its package: the same functions, and little else."""

from __future__ import annotations

import subprocess
import sys
from types import ModuleType

import pytest
import scipy.special
from numpy.random import default_rng

from pips_tourney.ratings import distributions

LOADED = """
import sys
from pips_tourney.ratings.distributions import __all__ as names, compiled
module = compiled()
assert module.__name__ == "scipy.special._ufuncs", module
assert not {"scipy.special", "numpy.f2py", "numpy.testing"} & sys.modules.keys()
import scipy.special
assert scipy.special.erf(0.0) == 0.0
assert all(getattr(scipy.special, name)(3.0, 4.0, 0.5) == getattr(module, name)(3.0, 4.0, 0.5) for name in ["fdtrc"])
assert scipy.special.logsumexp([0.0]) == 0.0
assert compiled() is scipy.special
"""


def test_the_package_is_not_loaded_and_may_be_later() -> None:
    """In an interpreter of its own: this one has it."""
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("ndtr", 1), ("ndtri", 1), ("stdtr", 2), ("stdtrit", 2), ("chdtrc", 2), ("fdtrc", 3)],
)
def test_the_functions_are_scipy_s_to_the_last_bit(name: str, arguments: int) -> None:
    assert name in distributions.__all__
    points = default_rng(1).uniform(0.01, 0.99, (arguments, 1000))
    points[:-1] *= 100  # degrees of freedom
    ours, theirs = getattr(distributions, name)(*points), getattr(scipy.special, name)(*points)
    assert ours.tobytes() == theirs.tobytes()


@pytest.mark.parametrize("module", [None, ModuleType("without_functions")])
def test_where_the_module_is_missing_or_other_the_package_is_used(
    monkeypatch: pytest.MonkeyPatch, module: ModuleType | None
) -> None:
    def found(_: str) -> ModuleType:
        if module is None:
            raise ImportError
        return module

    monkeypatch.delitem(sys.modules, "scipy.special")
    monkeypatch.setattr(distributions, "_without_package", found)
    assert distributions.compiled().__name__ == "scipy.special"
