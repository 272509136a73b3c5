"""Private folders of bots' processes on the disk, used if no namespace hides the disk.

Bots write to them, so nothing in them is trusted: no link is followed, and any depth is
handled. The keeper imports this module and must start fast, so it imports few others.
"""

# No pathlib: its import would take longer than most of the others.
# ruff: noqa: PTH101, PTH102, PTH103, PTH106, PTH208

from __future__ import annotations

import os
from contextlib import suppress
from typing import Final

from pips_tourney.sandbox.limits import GROUP

TEMPORARY: Final = "tmp"
"""The folder in a home that a bot may write to."""
BLOCK: Final = 512
"""Bytes per unit of `st_blocks`."""
MOST_ENTRIES: Final = 1024
"""Files and folders that a bot may have in its home."""
_FOLDER: Final = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)


def make_home(home: str, user: int | None) -> None:
    """Make a folder that only this user can enter, below one that all can pass."""
    above = os.path.dirname(home)  # noqa: PTH120 - no pathlib
    os.makedirs(above, exist_ok=True)
    os.chmod(above, 0o711)  # noqa: S103 - whatever the umask is
    os.mkdir(home, 0o700)
    if user is not None:
        os.chown(home, user, GROUP)


def written_bytes(folder: str) -> int | None:
    """Return how many bytes of the disk a folder takes.

    None if it has too many entries, a closed entry, or one too deep for a path.
    """
    total, folders, entries = 0, [folder], 0
    while folders:
        try:
            with os.scandir(folders.pop()) as inside:
                for entry in inside:
                    entries += 1
                    if entries > MOST_ENTRIES:
                        return None
                    with suppress(FileNotFoundError):
                        total += BLOCK * entry.stat(follow_symlinks=False).st_blocks
                        if entry.is_dir(follow_symlinks=False):
                            folders.append(entry.path)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError:
            return None
    return total


def remove_tree(folder: str) -> None:
    """Remove a folder as far as possible; deep folders are first moved up.

    No path is walked twice, so a link that appears meanwhile leads nowhere else.
    """
    with suppress(OSError):
        top = os.open(folder, _FOLDER)
        try:
            while names := os.listdir(top):
                for name in names:
                    _remove(name, top)
        finally:
            os.close(top)
        os.rmdir(folder)


def _remove(name: str, top: int) -> None:
    """Remove a file, or a folder whose inner folders are first moved up to `top`."""
    try:
        inner = os.open(name, _FOLDER, dir_fd=top)
    except OSError:  # a link, a file, a socket
        os.unlink(name, dir_fd=top)
        return
    try:
        for number, below in enumerate(os.listdir(inner)):
            try:
                os.unlink(below, dir_fd=inner)
            except OSError:
                os.rename(below, f"{inner}-{number}-{os.urandom(4).hex()}", src_dir_fd=inner, dst_dir_fd=top)
    finally:
        os.close(inner)
    os.rmdir(name, dir_fd=top)
