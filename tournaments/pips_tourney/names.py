"""Names of bots and games: in a league file, of folders, and on the command line.

Letters and digits of any script are allowed. A name is always in Unicode's normal form
C, whatever form a file system or keyboard gave it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection
from contextlib import suppress
from typing import Final

LONGEST: Final = 40
_OTHERS: Final = " ._+-"
"""What a name may contain besides letters and digits, except as its first character."""
RULE: Final = f"1 to {LONGEST} letters, digits, blanks and . _ + -, a letter or digit first"


def is_name(text: str) -> bool:
    """Whether a text is a valid name.

    No name contains a slash, a comma, a quotation mark, or an invisible character.
    """
    return (
        0 < len(text) <= LONGEST
        and text[0].isalnum()
        and all(map(_may_stand, text))
        and unicodedata.is_normalized("NFC", text)
    )


def one_form(text: str) -> str:
    """The text in the normal form of names.

    A command-line argument that its locale could not decode is decoded as UTF-8.
    """
    with suppress(UnicodeEncodeError):  # any other surrogate is not a letter anyway
        text = text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return unicodedata.normalize("NFC", text)


def name_from(text: str) -> str:
    """The valid name nearest to a text.

    `_` replaces each character that is not allowed. If nothing is left, it is `bot`.
    """
    kept = "".join(character if _may_stand(character) else "_" for character in one_form(text))
    begin = next((at for at, character in enumerate(kept) if character.isalnum()), len(kept))
    return kept[begin : begin + LONGEST] or "bot"


def numbered(name: str, taken: Collection[str]) -> str:
    """The name if it is free, else the name with the first free number from 2 on."""
    found, number = name, 1
    while found in taken:
        number += 1
        found = f"{name[: LONGEST - len(f' {number}')]} {number}"
    return found


def _may_stand(character: str) -> bool:
    """Whether a name may contain this character.

    Some vowel signs and accents do not combine with a letter into one character. They
    are marks and belong to a letter.
    """
    return character.isalnum() or character in _OTHERS or unicodedata.category(character) in ("Mn", "Mc")
