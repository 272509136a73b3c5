"""Fixtures of all tests with bad bots: the desk, and the fences."""

import pytest

from pips_tourney.sandbox.limits import Limits
from pips_tourney.sandbox.tiers import SandboxError, Tier, choose
from tests.e2e.desk import desk

__all__ = ["desk"]


@pytest.fixture(scope="session", params=[tier for tier in Tier if tier.is_fence])
def fence(request: pytest.FixtureRequest) -> tuple[Tier, str]:
    """A fence, and why it is not to be had; then tests test its refusal, and say so."""
    tier: Tier = request.param
    try:
        choose(tier, Limits())
    except SandboxError as error:
        print(f"{tier} is not to be had here, its refusal is tested instead: {error}")
        return tier, str(error)
    return tier, ""
