"""Text that others have said, such as bots and their processes, as a terminal can be trusted with it."""

from __future__ import annotations

from unicodedata import category


def plain(text: str) -> str:
    r"""One line of it: tabs become blanks, and whatever else a terminal would not show but do is written out, `\x1b`.

    That is all of Unicode's category C (control, format, surrogate, private, unassigned) and its separators of lines
    and paragraphs. Records and databases keep what was said.
    """
    if text.isprintable():
        return text
    return "".join(map(_shown, text.expandtabs()))


def plain_block(text: str) -> str:
    """The same of text that may have several lines."""
    return "\n".join(map(plain, text.splitlines()))


def _shown(char: str) -> str:
    acts = category(char)[0] == "C" or category(char) in ("Zl", "Zp")
    return char.encode("unicode_escape").decode() if acts else char
