"""The figures of `make size` count what they say."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.house.size import measured, python_lines, table

MODULE = '''"""One docstring
of two lines."""

import re  # code, with a comment

# a comment

LONG = """a text,

not a docstring"""
PLACE = 1
"""The docstring of an attribute."""


def half(x: int) -> int:
    """Return the half."""
    return (
        x // 2
    )
'''


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    files = {
        "tournaments/pips_tourney/night/a.py": MODULE,
        "tests/test_a.py": "x = 1\n",
        "tests/bench/b.py": "x = 1\ny = 2\n",
        "sdk/js/a.js": "a;\n\nb;\n",
        "README.md": "Three small words\n",
        "Makefile": "size: x  ## print it\n\nhidden: y\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    subprocess.run("git init -q && git add .", cwd=tmp_path, shell=True, check=True)
    return tmp_path


def test_code_is_neither_blank_nor_comment_nor_docstring(checkout: Path) -> None:
    assert python_lines(checkout / "tournaments/pips_tourney/night/a.py") == (9, 4)


def test_each_file_counts_where_it_belongs(checkout: Path) -> None:
    sizes = measured(checkout)
    assert sizes["production: code"] == sizes["room pips_tourney/night"] == 9
    assert (sizes["tests: code"], sizes["labs: code"]) == (1, 2)
    assert (sizes["other languages and pages"], sizes["words of Markdown"], sizes["make targets"]) == (2, 3, 1)
    assert min(sizes[name] for name in ("commands", "options", "league keys")) > 20


def test_both_columns_stand_side_by_side() -> None:
    assert table({"a": 1000, "gone": 2}, {"a": 1200}).splitlines()[1:] == [
        "a            1,000     1,200     +200",
        "gone             2         0       -2",
    ]
