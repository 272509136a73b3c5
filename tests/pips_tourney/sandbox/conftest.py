"""Bubblewrap's tier, where this machine gives it."""

import pytest

from pips_tourney.sandbox.limits import Limits
from pips_tourney.sandbox.tiers import Sandbox, Tier, choose
from tests.needs import need


@pytest.fixture(scope="session")
def enclosed() -> Sandbox:
    need("bwrap")
    return choose(Tier.BUBBLEWRAP, Limits())
