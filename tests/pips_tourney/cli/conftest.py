"""The command line in a folder, with an engine in this process."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pips_tourney.cli.tourney import main
from pips_tourney.engines import Engine
from pips_tourney.play import crew as crew_module
from tests.pips_tourney.in_process import InProcessEngine, write_league


class Terminal:
    """The command line in a folder, with an engine in this process."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch = monkeypatch
        monkeypatch.chdir(folder)
        self.league = write_league(folder, "ada", "bo", deals=3)

    def type(self, *words: str, engine: Engine | None = None) -> Result:
        self._monkeypatch.setattr(crew_module, "make_engine", lambda *_: engine or InProcessEngine())
        return CliRunner().invoke(main, words, catch_exceptions=False)


@pytest.fixture
def terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Terminal:
    return Terminal(tmp_path, monkeypatch)
