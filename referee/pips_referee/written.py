"""Texts written by people, as their editors save them."""

from __future__ import annotations

import codecs
import errno
import os
from pathlib import Path
from typing import Final

_MARKS: Final = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_MOST: Final = 1 << 28
"""The most bytes of a file: devices such as /dev/urandom never end."""


def written_text(file: Path) -> str:
    """Return the text of a file written by a person.

    The encoding is UTF-8, or the byte-order mark's: Windows programs write one.
    `OSError`, or `UnicodeDecodeError` if it is not text.
    """
    with file.open("rb") as opened:
        data = opened.read(_MOST + 1)
    if len(data) > _MOST:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(file))
    return text_of(data)


def text_of(data: bytes) -> str:
    """The text in a file's bytes. Raises `UnicodeDecodeError`."""
    encoding = next((encoding for mark, encoding in _MARKS if data.startswith(mark)), "utf-8")
    return data.decode(encoding).replace("\r\n", "\n").replace("\r", "\n")
