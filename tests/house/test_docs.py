"""The pages of docs/ are built without a warning, as `make docs` builds them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from pips_referee.game import REGISTRY

ROOT = Path(__file__).parents[2]


def test_the_pages_are_built_without_a_warning(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", "-d", str(tmp_path / "trees")]
    ended = subprocess.run(
        [*words, "docs", str(tmp_path / "html")], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    for game in REGISTRY:
        rules = (tmp_path / "html" / "rules" / f"{game}.html").read_text(encoding="utf-8")
        assert "Each clause has a number" in rules
        reference = (tmp_path / "html" / "reference" / f"{game}.html").read_text(encoding="utf-8")
        assert f"pips_sdk.{game}.position" in reference
        assert "sample_world" in reference
    assert "To add a bot" in (tmp_path / "html" / "add-a-game.html").read_text(encoding="utf-8")
