"""Nothing that a release has made public goes away unsaid."""

from __future__ import annotations

from tests.house.public import KEPT, public


def test_what_was_public_still_is() -> None:
    """What may go, and how: docs/api.md."""
    kept = KEPT.read_text(encoding="utf-8").splitlines()
    assert len(kept) > 1000
    assert sorted({*kept} - public()) == []


def test_names_of_every_kind_are_kept() -> None:
    for name in (
        "pips_sdk.run", "pips_sdk.serpent.SerpentView.playable", "pips_tourney.run_league", "pips-bot compare --json",
        "pips-tourney verify", "league: bots", "BotEntry: command",
    ):  # fmt: skip
        assert name in public(), name
