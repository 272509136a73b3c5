"""The pages of docs/ are built without a warning, as `make docs` builds them: here as
plain text, which takes half the time.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

from pips_referee.game import REGISTRY

ROOT = Path(__file__).parents[2]
CODE = re.compile(r"^(?:from [\w.]+ import .+|import [\w.]+|class \w+.*:|def \w+\(.*:)$", re.MULTILINE)


def test_the_pages_are_built_without_a_warning(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "text", "-d", str(tmp_path / "trees")]
    ended = subprocess.run(
        [*words, "docs", str(tmp_path / "text")], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    for game in REGISTRY:
        rules = (tmp_path / "text" / "rules" / f"{game}.txt").read_text(encoding="utf-8")
        assert "Each clause has a number" in rules
        reference = (tmp_path / "text" / "reference" / f"{game}.txt").read_text(encoding="utf-8")
        assert "position(text" in reference
        assert "sample_world" in reference
    assert "To add a bot" in (tmp_path / "text" / "add-a-game.txt").read_text(encoding="utf-8")


def test_code_in_a_docstring_is_set_as_code() -> None:
    """Code at the margin would be prose on one line: it follows `::`, further in."""
    found = []
    for package in ("referee", "sdk/pips_sdk", "sample_bots", "tournaments"):
        for file in (ROOT / package).rglob("*.py"):
            if "node_modules" in file.parts:
                continue
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
                    text = ast.get_docstring(node) or ""
                    found += [f"{file}: {line}" for line in CODE.findall(text)]
    assert found == []
