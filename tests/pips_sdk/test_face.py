"""What an author may import is named, and is what our own bots and pages import."""

from __future__ import annotations

import ast
import doctest
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from tests.house.public import modules

ROOT = Path(__file__).parents[2]
MODULES = modules()
BASES = ("bot", "serpent", "wichita", "pippip", "dominion")


def authors_code() -> Iterator[tuple[str, str]]:
    """Bots and examples, by where they stand."""
    for folder in ("sample_bots", "sdk/pips_sdk/templates/python"):
        for file in sorted((ROOT / folder).rglob("*.py")):
            yield str(file), file.read_text(encoding="utf-8")
    for page in sorted((ROOT / "docs").rglob("*.md")):
        for block in re.findall(r"^```[^\n]*\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE):
            if block.startswith(("from pips_", "import pips_")):
                yield str(page), block


def imported(text: str) -> Iterator[tuple[str, str]]:
    """The names that a text imports from the SDK, with their modules."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.partition(".")[0] == "pips_sdk":
            yield from ((node.module, alias.name) for alias in node.names)


@pytest.mark.parametrize("name", MODULES)
def test_every_name_of_the_page_is_there(name: str) -> None:
    module = import_module(name)
    assert module.__all__ and [part for part in module.__all__ if not hasattr(module, part)] == []


def test_bots_and_pages_import_what_authors_may() -> None:
    code = [*authors_code()]
    used = [(where, module, name) for where, text in code for module, name in imported(text)]
    assert len(used) > 100 and any(where.endswith("tutorial.md") for where, *_ in used)
    free = {(module, name) for module in MODULES for name in import_module(module).__all__}
    assert [one for one in used if one[1:] not in free] == []


@pytest.mark.parametrize("name", BASES)
def test_the_example_of_a_base_class_is_true(name: str) -> None:
    failed, tried = doctest.testmod(import_module(f"pips_sdk.{name}"))
    assert tried and not failed


@pytest.mark.parametrize("name", BASES[1:])
def test_so_is_the_example_of_a_position(name: str) -> None:
    position = import_module(f"pips_sdk.{name}").position
    (example,) = re.findall(r'For example `"([^`]*)"`', position.__doc__)
    assert position(example).seat == 0
