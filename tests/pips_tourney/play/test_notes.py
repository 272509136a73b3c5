"""What the organiser is told before the first match."""

from __future__ import annotations

from pathlib import Path

import pytest

from pips_tourney.league.read import read_league
from pips_tourney.night.plan.from_league import make_programme
from pips_tourney.play.notes import league_notes
from pips_tourney.sandbox.tiers import NO_SANDBOX, Sandbox, Tier

LEAGUE = """
game = "serpent"
deals = 1
bots = [
    { name = "ada", sample = "random" },
    { name = "llm", model = { endpoint = "http://127.0.0.1:9/v1", name = "m", key_env = "THE_KEY" } },
]
"""


@pytest.mark.parametrize(
    ("sandbox", "exposed"),
    [(NO_SANDBOX, True), (Sandbox(Tier.LIMITS), True), (Sandbox(Tier.LIMITS, as_another_user=True), False)],
    ids=["none", "own user", "another user"],
)
def test_a_key_that_bots_can_read_is_told(sandbox: Sandbox, exposed: bool, tmp_path: Path) -> None:
    (tmp_path / "night.toml").write_text(LEAGUE, encoding="utf-8")
    league = read_league(tmp_path / "night.toml")
    said = [line for line in league_notes(league, make_programme(league), sandbox, clock=False) if "THE_KEY" in line]
    expected = "Every bot of this league can read THE_KEY, the key of llm: only a fence hides it"
    assert said == ([expected] if exposed else [])
