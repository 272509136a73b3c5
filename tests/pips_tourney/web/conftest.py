"""A small night in all four games, played once for the module that asks for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pips_tourney.web.nights import small_night


@pytest.fixture(scope="module")
def night(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a night that is over."""
    return small_night(tmp_path_factory.mktemp("night"))
