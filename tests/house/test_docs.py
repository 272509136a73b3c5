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
from tests.house.parsed import SHARED, nodes

ROOT = Path(__file__).parents[2]
CODE = re.compile(r"^(?:from [\w.]+ import .+|import [\w.]+|class \w+.*:|def \w+\(.*:)$", re.MULTILINE)


def test_the_pages_are_built_without_a_warning(tmp_path: Path) -> None:
    sphinx = "import gc, sys; gc.disable(); from sphinx.cmd.build import main; sys.exit(main(sys.argv[1:]))"
    words = [sys.executable, "-c", sphinx, "-q", "-W", "--keep-going", "-b", "text", "-d", str(tmp_path / "trees")]
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


@SHARED
def test_code_in_a_docstring_is_set_as_code() -> None:
    """Code at the margin would be prose on one line: it follows `::`, further in."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    found = [
        f"{file}: {line}"
        for file, parsed in nodes().items()
        for node in parsed
        if isinstance(node, documented)
        for line in CODE.findall(ast.get_docstring(node) or "")
    ]
    assert found == []
