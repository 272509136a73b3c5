"""How large the project is, beside its size at the last release.

`make size` prints it. `python -m tests.house.size --keep` makes today's figures those
of the last release.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tokenize
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from pips_tourney.league.file import LeagueFile
from tests.house.public import commands

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

LAST: Final = Path(__file__).with_name("size.json")
LABS: Final = re.compile(
    r"tests/(lab|bench|circle|evening|nights|place|silence|simulate|worth)/"
    r"|tests/(ghosts|mutation|pictures|soak)\.py|tests/faults/(channels|chaos|fuzz|page_cache)\.py"
    r"|sample_bots/learned/"
)
"""Where papers are written, not regressions found."""
PROSE: Final = ".md"
OTHERS: Final = frozenset({".cpp", ".css", ".go", ".hpp", ".html", ".java", ".js", ".mjs", ".rs", ".sh"})
NO_CODE: Final = frozenset(
    {tokenize.COMMENT, tokenize.DEDENT, tokenize.ENDMARKER, tokenize.INDENT, tokenize.NEWLINE, tokenize.NL}
)


def measured(root: Path) -> dict[str, int]:
    """Return every figure of the checkout at `root`, by its name."""
    sizes: Counter[str] = Counter()
    for name in files_of(root):
        path = root / name
        if path.suffix == ".py":
            code, docstrings = python_lines(path)
            kind = "labs" if LABS.match(name) else "tests" if name.startswith("tests/") else "production"
            sizes[f"{kind}: code"] += code
            sizes[f"{kind}: docstrings"] += docstrings
            if kind == "production":
                sizes[f"room {_room(name)}"] += code
        elif path.suffix in OTHERS and not LABS.match(name):
            sizes["other languages and pages"] += sum(bool(line.strip()) for line in path.read_text().splitlines())
        elif path.suffix == PROSE:
            sizes["words of Markdown"] += len(path.read_text().split())
    return dict(sizes) | _surface(root)


def python_lines(path: Path) -> tuple[int, int]:
    """Return how many lines are code, and how many docstrings.

    A blank line and a comment are neither.
    """
    docstrings = {line for node in _docstrings(path.read_text()) for line in range(node.lineno, _end(node) + 1)}
    with tokenize.open(path) as file:
        tokens = [*tokenize.generate_tokens(file.readline)]
    lines = {line for token in tokens if token.type not in NO_CODE for line in range(token.start[0], token.end[0] + 1)}
    return len(lines - docstrings), len(docstrings)


def _docstrings(text: str) -> Iterator[ast.Expr]:
    """Statements that are a string alone: docstrings, also those of attributes."""
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Expr(value=ast.Constant(value=str())):
                yield node


def _end(node: ast.Expr) -> int:
    return node.end_lineno or node.lineno


def files_of(root: Path) -> list[str]:
    """The files of the checkout that git knows, by path from its root."""
    listed = subprocess.run(["git", "ls-files"], cwd=root, check=True, capture_output=True, text=True)
    return [name for name in listed.stdout.splitlines() if (root / name).is_file()]


def _room(name: str) -> str:
    """The package of a file, and its room in the package."""
    folders = Path(name).parts[1:-1]
    return "/".join(folders[:2]) or "installation"


def _surface(root: Path) -> dict[str, int]:
    """What a user can ask for."""
    leaves = [command for _, command in commands() if not isinstance(command, click.Group)]
    options = {(id(command), option) for command in leaves for option in command.params}
    targets = re.findall(r"^[a-z-]+:.*## ", (root / "Makefile").read_text(), re.MULTILINE)
    return {
        "commands": len(leaves),
        "options": sum(isinstance(option, click.Option) for _, option in options),
        "league keys": _keys(LeagueFile.model_json_schema()),
        "make targets": len(targets),
    }


def _keys(schema: Mapping[str, object]) -> int:
    """How many keys a league file's schema has, each kind of section counted once."""
    definitions = schema.get("$defs", {})
    assert isinstance(definitions, dict)
    return sum(len(section.get("properties", {})) for section in (schema, *definitions.values()))


def table(last: Mapping[str, int], now: Mapping[str, int]) -> str:
    """Return both columns as text, the rooms last."""
    names = sorted({*last, *now}, key=lambda name: (name.startswith("room "), name))
    rows = [("", "last release", "now", ""), *((name, *_three(last.get(name, 0), now.get(name, 0))) for name in names)]
    width = max(map(len, names))
    return "\n".join(
        f"{name:{width}} {before:>13} {after:>9} {change:>8}".rstrip() for name, before, after, change in rows
    )


def _three(before: int, after: int) -> tuple[str, str, str]:
    return f"{before:,}", f"{after:,}", f"{after - before:+,}" if after != before else ""


if __name__ == "__main__":
    figures = measured(Path.cwd())
    if "--keep" in sys.argv[1:]:
        LAST.write_text(json.dumps(figures, indent=1, sort_keys=True) + "\n")
    print(table(json.loads(LAST.read_text()), figures))
