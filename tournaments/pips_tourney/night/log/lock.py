"""The lock of a night's only runner: a file beside its database."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from time import sleep
from typing import Any, Final

from pips_tourney.errors import TourneyError

FAR: Final = 1 << 20
LOCK_TRIES: Final = 20
LOCK_PAUSE_S: Final = 0.01
"""Pause before another attempt: a check for a runner briefly takes the lock."""


class StoreError(TourneyError):
    """A database cannot be used; the text says why and what to do."""


def runner_of(path: Path) -> str | None:
    """The process number of the runner that plays a database's night.

    None if nobody plays it.
    """
    try:
        lock = os.open(f"{path}.lock", os.O_RDONLY)
    except FileNotFoundError:
        return None
    try:
        _lock(lock, shared=True)
    except OSError:
        return os.read(lock, 20).decode(errors="replace").strip() or "unknown"
    finally:
        os.close(lock)
    return None


def hold_lock(path: Path) -> int:
    """Take the lock of the database's only runner, and return its descriptor.

    The lock is a separate file, because SQLite's own locks must not be touched.
    """
    try:
        lock = os.open(f"{path}.lock", os.O_CREAT | os.O_RDWR, 0o600)
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror}") from None
    for left in reversed(range(LOCK_TRIES)):
        try:
            _lock(lock, shared=False)
            break
        except OSError:
            if left:
                sleep(LOCK_PAUSE_S)
                continue
            owner = os.read(lock, 20).decode(errors="replace").strip() or "unknown"
            os.close(lock)
            raise StoreError(f"{path}: another runner (process {owner}) is playing this night") from None
    os.truncate(lock, 0)
    os.write(lock, f"{os.getpid()}\n".encode())
    return lock


def _lock(file: int, *, shared: bool) -> None:
    """Lock an open file until it is closed; `OSError` if another process locked it."""
    try:
        import fcntl
    except ImportError:  # Windows: lock a byte far beyond the content, which stays readable
        system: Any = import_module("msvcrt")
        os.lseek(file, FAR, os.SEEK_SET)
        system.locking(file, system.LK_NBLCK, 1)
        os.lseek(file, 0, os.SEEK_SET)
    else:
        fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
