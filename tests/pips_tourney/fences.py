"""Fences that tests take away."""

import pytest

from pips_tourney.sandbox import landlock

NO_LANDLOCK = "this is a test without Landlock"


def hide_fences(monkeypatch: pytest.MonkeyPatch, path: str = "") -> None:
    """Let there be no bubblewrap but what is on this path, and no Landlock."""
    monkeypatch.setenv("PATH", path)
    monkeypatch.setattr(landlock, "find_landlock", lambda: (None, NO_LANDLOCK))
