"""`pips-bot join` without descriptors, groups, signals and modules of Unix."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.desk import Desk, finish
from tests.e2e.test_remote import JS, Hall, faults
from tests.node import needs_node

WITHOUT_POSIX = Path(__file__).parents[1] / "without_posix"


@needs_node
def test_bots_join_a_night_from_a_system_without_posix(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sample bot and a bot in JavaScript; host and referee are as always."""
    hall = Hall(desk, "ada", "js", deals=2)
    with monkeypatch.context() as there:
        there.setenv("PYTHONPATH", str(WITHOUT_POSIX))
        joined = [hall.join("ada", "serpent/greedy"), hall.join("js", str(JS))]
    out, _ = finish(hall.host())
    assert faults(out) == {"ada": {}, "js": {}}
    for player in joined:
        told, _ = finish(player)
        assert "Your bot's check passed." in told and "The night is over" in told
    hall.verified(2)
    desk.assert_nothing_is_left()
