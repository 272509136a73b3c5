"""Syntax in a bot's file that an earlier Python version cannot parse."""

from __future__ import annotations

import ast
import sys
import tokenize
from io import StringIO


def newer_syntax(source: str, version: tuple[int, int]) -> tuple[int, str] | None:
    """The first line that this Python version cannot parse, and why."""
    try:
        ast.parse(source, feature_version=version)
    except SyntaxError as error:
        return error.lineno or 1, error.msg
    return _newer_fstring(source) if version < (3, 12) <= sys.version_info else None


def _newer_fstring(source: str) -> tuple[int, str] | None:
    """The first text within `f"..."` with syntax that needs Python 3.12, and why."""
    quotes: list[str] = []
    for token in tokenize.generate_tokens(StringIO(source).readline):
        kind, text = tokenize.tok_name[token.type], token.string
        if kind == "FSTRING_END":
            quotes.pop()
        elif quotes and (kind == "COMMENT" or (kind in ("STRING", "FSTRING_START") and _quote(text) in quotes)):
            return token.start[0], "An f-string may hold its own quotes and comments since Python 3.12 only"
        elif quotes and kind == "STRING" and "\\" in text:
            return token.start[0], "An f-string may hold backslashes between its braces since Python 3.12 only"
        if kind == "FSTRING_START":
            quotes.append(_quote(text))
    return None


def _quote(text: str) -> str:
    """The quotation marks at the start of a literal."""
    text = text.lstrip("rRbBuUfFtT")
    return text[:3] if text[:3] in ("'''", '"""') else text[:1]
