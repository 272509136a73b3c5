"""Text from bots and their processes, made safe for a terminal."""

from __future__ import annotations

from unicodedata import category


def plain(text: str) -> str:
    r"""One line, safe to print: tabs become blanks, control characters become `\x1b`.

    Escaped are Unicode's category C (control, format, surrogate, private, unassigned)
    and the separators of lines and paragraphs. Records and databases keep the original.
    """
    if text.isprintable():
        return text
    return "".join(map(_shown, text.expandtabs()))


def plain_block(text: str) -> str:
    """`plain` for text with several lines."""
    return "\n".join(map(plain, text.splitlines()))


def _shown(char: str) -> str:
    acts = category(char)[0] == "C" or category(char) in ("Zl", "Zp")
    return char.encode("unicode_escape").decode() if acts else char
