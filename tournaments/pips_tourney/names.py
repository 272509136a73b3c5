"""What bots and games may be called: in a league file, as folders are called, and on
the command line.

Letters and digits of any script are allowed. One name is one text: it is in Unicode's
normal form C, whatever a file system or keyboard made of it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection
from typing import Final

LONGEST: Final = 40
_OTHERS: Final = " ._+-"
"""What a name may hold beside letters and digits, though not as its first character."""
RULE: Final = f"1 to {LONGEST} letters, digits, blanks and . _ + -, a letter or digit first"


def is_name(text: str) -> bool:
    """Whether it goes by the rule. No name holds a slash, a comma, a quotation mark, or
    what cannot be seen.
    """
    return (
        0 < len(text) <= LONGEST
        and text[0].isalnum()
        and all(map(_may_stand, text))
        and unicodedata.is_normalized("NFC", text)
    )


def one_form(text: str) -> str:
    """That text as names are written."""
    return unicodedata.normalize("NFC", text)


def name_from(text: str) -> str:
    """The name nearest to a text: with `_` for what no name may hold, and `bot` where
    nothing is left.
    """
    kept = "".join(character if _may_stand(character) else "_" for character in one_form(text))
    begin = next((at for at, character in enumerate(kept) if character.isalnum()), len(kept))
    return kept[begin : begin + LONGEST] or "bot"


def numbered(name: str, taken: Collection[str]) -> str:
    """The name, or where others have it already the name with the first number from 2
    that nobody has.
    """
    found, number = name, 1
    while found in taken:
        number += 1
        found = f"{name[: LONGEST - len(f' {number}')]} {number}"
    return found


def _may_stand(character: str) -> bool:
    """Vowel signs and accents that have no letter with them in one character are marks:
    they belong to a letter.
    """
    return character.isalnum() or character in _OTHERS or unicodedata.category(character) in ("Mn", "Mc")
