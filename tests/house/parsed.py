"""The modules that are installed, parsed once a session: tests that look at them share
a worker.
"""

from __future__ import annotations

import ast
import gc
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from tests.house.size import files_of

ROOT: Final = Path(__file__).parents[2]
ROOMS: Final = ("referee", "sample_bots", "sdk", "tournaments")
SHARED: Final = pytest.mark.xdist_group("house/parsed")
"""The mark of a test that looks at all modules."""


@cache
def sources() -> dict[str, str]:
    """The text of every module of the four packages, by path from the root."""
    names = [name for name in files_of(ROOT) if name.endswith(".py") and name.partition("/")[0] in ROOMS]
    return {name: (ROOT / name).read_text(encoding="utf-8") for name in names}


@cache
def nodes() -> dict[str, list[ast.AST]]:
    """All nodes of every module, itself first. They are not to be changed."""
    gc.disable()  # nothing of it is garbage, and it is much to look through
    found = {name: [*ast.walk(ast.parse(text))] for name, text in sources().items()}
    gc.freeze()
    gc.enable()
    return found
