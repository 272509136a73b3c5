"""Pages are read without scrolling sideways; ruff checks docstrings and comments."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WIDTH = 90


def _pages() -> list[str]:
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True)
    return listed.stdout.split()


def _prose(page: str) -> Iterator[tuple[int, str]]:
    """Lines that are no table of figures and nothing that a program reads or prints."""
    fenced = False
    for number, line in enumerate((ROOT / page).read_text(encoding="utf-8").splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and not line.lstrip().startswith("|"):
            yield number, line


@pytest.mark.parametrize("page", _pages())
def test_no_line_of_prose_is_wider_than_a_page(page: str) -> None:
    assert [(number, line) for number, line in _prose(page) if len(line) > WIDTH] == []
