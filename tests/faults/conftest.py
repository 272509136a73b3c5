"""Fixtures of all tests with bad bots: the desk, and whether bubblewrap works."""

import pytest

from pips_tourney.sandbox.limits import Limits
from pips_tourney.sandbox.tiers import SandboxError, Tier, choose
from tests.e2e.desk import desk

__all__ = ["desk"]


@pytest.fixture(scope="session")
def bubblewrap() -> bool:
    """Whether bubblewrap works; if not, tests test its refusal, and say so."""
    try:
        choose(Tier.BUBBLEWRAP, Limits())
    except SandboxError as error:
        print(f"bubblewrap's tier is not to be had here, its refusal is tested instead: {error}")
        return False
    return True
