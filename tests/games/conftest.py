"""The wheels of this folder, as if they were installed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from pips_referee import installed
from pips_referee.game import AnyGame, get_game

FOLDER = Path(__file__).parent
WHEELS = ("pig", "kuhn", "hearts")


@pytest.fixture(autouse=True)
def wheels(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """All of them."""
    places = " ".join([f"{name}={name}:GAME" for name in WHEELS])
    monkeypatch.setenv(installed.VARIABLE, f"{installed.told()} {places}")
    for name in WHEELS:
        monkeypatch.syspath_prepend(FOLDER / name)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(FOLDER / name) for name in WHEELS]))
    installed.places.cache_clear()
    yield
    get_game.cache_clear()
    installed.places.cache_clear()


@pytest.fixture
def pig() -> AnyGame:
    return get_game("pig")


@pytest.fixture
def kuhn() -> AnyGame:
    return get_game("kuhn")


@pytest.fixture
def hearts() -> AnyGame:
    return get_game("hearts")


def lines_of(game: str, *files: str) -> int:
    """How many lines of these files of a wheel are not empty."""
    texts = [(FOLDER / game / game / file).read_text(encoding="utf-8") for file in files]
    return len([line for text in texts for line in text.splitlines() if line.strip()])
