"""SQLite files that several processes may write, and only their owner may read."""

from __future__ import annotations

import errno
import os
import sqlite3
from pathlib import Path
from time import sleep
from typing import Final

_TRIES: Final = 200
_PAUSE_S: Final = 0.05


def make_file(path: Path) -> None:
    """Make the file, readable by its owner alone, unless it exists. Raises `OSError`.

    An existing file is not opened. Closing it again would drop the locks that SQLite
    has on it for other connections of this process.
    """
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError:
        if path.is_dir() or not os.access(path, os.R_OK | os.W_OK):
            number = _refusal(path)
            raise OSError(number, os.strerror(number)) from None


def to_wal(connection: sqlite3.Connection) -> None:
    """Let all read while one writes.

    SQLite's own timeout does not apply, so this is tried several times.
    """
    for left in reversed(range(_TRIES)):
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if not left or error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise
            sleep(_PAUSE_S)
        else:
            return


def _refusal(path: Path) -> int:
    """The error number that opening a file for writing would give."""
    if path.is_dir():
        return errno.EISDIR
    if hasattr(os, "statvfs") and os.statvfs(path).f_flag & os.ST_RDONLY:  # Windows lacks it
        return errno.EROFS
    return errno.EACCES
