"""What a place looks at before it opens, and the invites that it writes."""

from __future__ import annotations

from pathlib import Path

import pytest

from pips_tourney.place.serve import PlaceConfig, PlaceError, _check_fence, _write_invites
from pips_tourney.sandbox.tiers import Tier


def test_a_machine_without_a_fence_is_refused() -> None:
    for tier in (Tier.NONE, Tier.LIMITS):
        with pytest.raises(PlaceError, match="install bubblewrap"):
            _check_fence(tier, unfenced=False)
        _check_fence(tier, unfenced=True)
    _check_fence(Tier.BUBBLEWRAP, unfenced=False)


def test_invites_are_added_to_a_file_of_ones_own(tmp_path: Path) -> None:
    assert PlaceConfig(Path("class.toml"), tmp_path / "class.db").folder == tmp_path / "class-place"
    path, _ = [_write_invites(tmp_path, "http://here/", [(name, "bot", "code")]) for name in ("Ada", "Bo")]
    assert path.read_text().splitlines() == [
        "name,bot,code,link", "Ada,bot,code,http://here/enter#code", "Bo,bot,code,http://here/enter#code",
    ]  # fmt: skip
    assert path.stat().st_mode & 0o777 == 0o600
