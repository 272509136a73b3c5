"""A folder to work in, as a bot's author has one."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Write = Callable[[str, str], Path]
SERPENT = "from pips_sdk.serpent import SerpentBot\n\nclass MyBot(SerpentBot):\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder.

    Reading bots changes the interpreter. That is undone afterwards.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    return tmp_path


@pytest.fixture
def write(folder: Path) -> Write:
    """Writes a file of that folder."""

    def write_file(name: str, text: str) -> Path:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return write_file
