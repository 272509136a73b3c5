"""`verify` knows every kind of entry that this version writes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pips_tourney
from pips_tourney.night.log.entries import SHAPES

MODULES = [ast.parse(path.read_text(encoding="utf-8")) for path in Path(pips_tourney.__file__).parent.rglob("*.py")]


def constants() -> Iterator[tuple[str, str]]:
    """The package's texts by the names of their constants."""
    for line in (line for module in MODULES for line in module.body):
        targets = line.targets if isinstance(line, ast.Assign) else [getattr(line, "target", None)]
        names, values = _parts(targets[0]), _parts(getattr(line, "value", None))
        for name, text in zip(names, values, strict=False):
            if isinstance(name, ast.Name) and isinstance(text, ast.Constant) and isinstance(text.value, str):
                yield name.id, text.value


def _parts(of: ast.AST | None) -> list[ast.AST | None]:
    return [*of.elts] if isinstance(of, ast.Tuple) else [of]


def names_of_kinds() -> Iterator[str]:
    """The constant of each entry that is appended to a store, or kept to be added."""
    for module in MODULES:
        for call in ast.walk(module):
            match call:
                case (
                    ast.AugAssign(target=ast.Name(id="entries"))
                    | ast.Call(
                        func=ast.Attribute(attr="append", value=ast.Attribute(attr="_entries") | ast.Name(id="entries"))
                    )
                ):
                    pairs = (each for each in ast.walk(call) if isinstance(each, ast.Tuple))
                    yield from (kind.id for pair in pairs if isinstance(kind := pair.elts[0], ast.Name))
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.args:
                owner, kind = call.func.value, call.args[0]
                stored = call.func.attr == "append" and getattr(owner, "attr", getattr(owner, "id", "")) == "store"
                if isinstance(kind, ast.Name) and kind.id.isupper() and (stored or call.func.attr == "_keep"):
                    yield kind.id


def test_verify_knows_every_kind_that_is_written() -> None:
    names = {*names_of_kinds()}
    assert {"MODELS", "ABSENT", "UNFENCED", "ADD", "PAUSE", "TIME_UP", "REFUSED", "REDEAL", "BEGUN"} <= names
    for name in names:
        kinds = {kind for constant, kind in constants() if constant == name}
        assert kinds and kinds & SHAPES.keys(), name
