"""`pips-bot join` without descriptors, groups, signals and modules of Unix."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.desk import Desk, finish
from tests.e2e.test_remote import JS, Hall, faults
from tests.needs import needs

LINES = Path(__file__).parents[2] / "sample_bots" / "languages" / "python"
WITHOUT_POSIX = Path(__file__).parents[1] / "without_posix"


@needs("node")
def test_bots_join_a_night_from_a_system_without_posix(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sample bot, one in JavaScript, one in lines; host and referee are as always."""
    hall = Hall(desk, "ada", "js", "lines", deals=2)
    with monkeypatch.context() as there:
        there.setenv("PYTHONPATH", str(WITHOUT_POSIX))
        bots = {"ada": "serpent/greedy", "js": str(JS), "lines": str(LINES)}
        joined = [hall.join(player, bot) for player, bot in bots.items()]
    finish(hall.host())
    assert faults(desk.tell("standings", "night.db", "--json")) == {player: {} for player in bots}
    for player in joined:
        told, _ = finish(player)
        assert "Your bot's check passed." in told and "The night is over" in told
    hall.verified(6)
    desk.assert_nothing_is_left()
