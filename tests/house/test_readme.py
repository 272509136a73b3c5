"""The shop window stays small, and shows what is there."""

from __future__ import annotations

import re
from pathlib import Path

from tests.machines.rows import COMMANDS, NIGHT, PROOFS, ROWS, TEST

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


def test_what_it_tells_to_do_first_is_done_on_bare_machines() -> None:
    assert {NIGHT, TEST} < set(COMMANDS)
    assert {command for row in ROWS for command in row.runs} >= set(COMMANDS)
    assert len(ROWS) >= 10 and sum(TEST in row.runs for row in ROWS) >= 3
    assert {lack for row in ROWS for lack in row.lacks} | {"network"} == PROOFS.keys()
