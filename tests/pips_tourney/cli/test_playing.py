"""The pages beside a night: at a terminal they stay after it, else they end with it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Self

import pytest

from pips_tourney.cli.nights import playing
from pips_tourney.cli.nights.playing import Pages, watched


class Beside:
    """Pages that are told to stay, and that nobody sees."""

    link = "http://127.0.0.1:1/"

    def __init__(self, *_: object, **__: object) -> None:
        self.stays = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...

    def stay(self) -> None:
        self.stays += 1


@pytest.mark.parametrize(
    ("stay", "terminal", "stays"), [(None, True, 1), (None, False, 0), (True, False, 1), (False, True, 0)]
)
def test_pages_stay_at_a_terminal_or_as_they_are_told(
    stay: bool | None, terminal: bool, stays: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    beside = Beside()
    monkeypatch.setattr(playing, "Beside", lambda *_, **__: beside)
    for stream in (sys.stdin, sys.stderr):
        monkeypatch.setattr(stream, "isatty", lambda: terminal)
    watcher: Any = object()
    with watched(watcher, Path("night.db"), Pages(0, stay=stay)):
        assert beside.stays == 0
    assert beside.stays == stays
    assert "The pages have ended. Look on with: pips-tourney serve night.db" in capsys.readouterr().err
