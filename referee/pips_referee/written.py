"""Texts that people write, as their editors save them."""

from __future__ import annotations

import codecs
from pathlib import Path
from typing import Final

_MARKS: Final = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


def written_text(file: Path) -> str:
    """Return the text of a file that a person writes.

    It is UTF-8, or what its byte-order mark says: Windows writes such marks. `OSError`,
    or `UnicodeDecodeError` where it is no text.
    """
    data = file.read_bytes()
    encoding = next((encoding for mark, encoding in _MARKS if data.startswith(mark)), "utf-8")
    return data.decode(encoding).replace("\r\n", "\n").replace("\r", "\n")
