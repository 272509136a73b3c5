"""The shop window stays small, and shows what is there."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_it_fits_a_window() -> None:
    lines = README.splitlines()
    assert len(lines) <= 90
    assert max(map(len, lines)) <= 90


def test_what_it_links_to_is_there() -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", README)
    assert "docs/pictures/night.png" in links and "docs/pictures/board.png" in links
    assert [link for link in links if not (ROOT / link).exists()] == []
