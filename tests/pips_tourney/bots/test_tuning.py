from __future__ import annotations

import os
import subprocess
import sys

import pytest

from pips_tourney.bots.tuning import TUNING, tune


def test_this_process_is_tuned_as_those_it_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in TUNING:
        monkeypatch.delenv(name, raising=False)
    tune()
    assert {name: os.environ[name] for name in TUNING} == TUNING


def test_what_somebody_has_set_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in TUNING:
        monkeypatch.setenv(name, "as I say")
    tune()
    assert {os.environ[name] for name in TUNING} == {"as I say"}


@pytest.mark.parametrize("command", ["cli.tourney", "cli.bot"])
def test_commands_are_tuned_before_grpc_looks(command: str) -> None:
    told = f"import sys; from pips_tourney.{command} import main, tune; sys.exit('grpc' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", told], check=False).returncode == 0
