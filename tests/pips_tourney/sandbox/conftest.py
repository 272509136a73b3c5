"""The fences, where this machine gives them."""

import os
import tempfile
from pathlib import Path

import pytest

from pips_tourney.sandbox.limits import Limits
from pips_tourney.sandbox.tiers import Sandbox, Tier, choose
from tests.needs import need

FENCES = [tier for tier in Tier if tier.is_fence]


@pytest.fixture(scope="session", params=FENCES)
def enclosed(request: pytest.FixtureRequest) -> Sandbox:
    need(NEEDED[request.param])
    return choose(request.param, Limits())


@pytest.fixture(autouse=True)
def open_to_others(tmp_path: Path) -> None:
    """Let bots that are other users come to what a test writes, as to most leagues."""
    for folder in (tmp_path, *tmp_path.parents):
        if folder.is_relative_to(tempfile.gettempdir()) and folder.stat().st_uid == os.geteuid():
            folder.chmod(folder.stat().st_mode | 0o011)


@pytest.fixture(scope="session")
def mounted() -> Sandbox:
    """The fence that shows a bot a disk of its own."""
    need("bwrap")
    return choose(Tier.BUBBLEWRAP, Limits())


NEEDED = {Tier.BUBBLEWRAP: "bwrap", Tier.LANDLOCK: "landlock"}
