"""What an import pulls in: a bot starts a process of its own, and every module it loads is time at the table."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

HEAVY = {"numpy", "pydantic", "rich", "scipy", "sqlite3", "tqdm", "pips_tourney", "pips_referee.service"}
CONTRACT = {"google", "grpc", "pips"}


def loaded_by(module: str) -> set[str]:
    """All that a fresh interpreter has loaded after importing the module."""
    script = f"import sys, {module}; print(*sys.modules)"
    unmeasured = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
    ended = subprocess.run([sys.executable, "-c", script], env=unmeasured, capture_output=True, text=True, check=True)
    return set(ended.stdout.split())


@pytest.mark.parametrize("module", ["pips_sdk", "pips_sdk.serpent"])
def test_the_sdk_loads_nothing_heavy(module: str) -> None:
    assert not loaded_by(module) & HEAVY


def test_rules_load_nothing_of_the_contract() -> None:
    assert not loaded_by("pips_referee.games.serpent.rules") & (HEAVY | CONTRACT)
