"""Bubblewrap's tier, where this machine gives it."""

import pytest

from pips_tourney.sandbox.limits import Limits
from pips_tourney.sandbox.tiers import Sandbox, SandboxError, Tier, choose


@pytest.fixture(scope="session")
def enclosed() -> Sandbox:
    try:
        return choose(Tier.BUBBLEWRAP, Limits())
    except SandboxError as error:
        pytest.skip(f"no bubblewrap's tier here; test_tiers.py tests that it is refused: {error}")
