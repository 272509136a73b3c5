"""Clear up after a keeper that was killed together with its runner.

Such a keeper leaves daemons of bots and the folder of its arena. A keeper marks all
processes that it starts through the environment, and its folder by a file. The mark
contains the keeper's process number and start time. The folder's name contains the
runner's mark from the beginning. If both marked processes are dead, whatever they
marked is leftover. Only this process's own folder for temporary files is searched. A
user who sets another one has to clear it up.
"""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path

from pips_tourney.sandbox.counting.processes import MARK, MARK_FILE, PREFIX, is_dead_mark, look_at, signal_all


def clear_leftovers() -> list[str]:
    """End leftover processes and remove leftover folders; return a line for each."""
    folders = dict(_folders())
    ended: list[int] = []
    while found := list(_orphans(set(folders.values()))) if folders else []:
        signal_all(found, signal.SIGKILL)
        ended += found
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
    told = [f"Ended {len(set(ended))} processes that a killed keeper had left"] if ended else []
    return [*told, *(f"Removed {folder}, which a killed keeper had left" for folder in folders)]


def _orphans(marks: Collection[str]) -> Iterator[int]:
    wanted = {f"{MARK}={mark}".encode() for mark in marks}
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            variables = (process / "environ").read_bytes().split(b"\0")
            if not wanted.isdisjoint(variables) and look_at(int(process.name)) is not None:
                yield int(process.name)


def _folders() -> Iterator[tuple[Path, str]]:
    """Yield folders of dead keepers with their marks.

    Folders of dead runners that no keeper has marked yet are included.
    """
    for place in {tempfile.gettempdir(), "/tmp"}:  # noqa: S108 - where arenas put what has to have a short path
        for folder in Path(place).glob(f"{PREFIX}*"):
            with suppress(OSError):
                if folder.lstat().st_uid == os.getuid() and is_dead_mark(mark := _mark_of(folder)):
                    yield folder, mark


def _mark_of(folder: Path) -> str:
    """Return the mark of its keeper, or of the runner that made it; "" for none."""
    with suppress(FileNotFoundError):
        return (folder / MARK_FILE).read_text(encoding="ascii") or _mark_in(folder.name)
    return _mark_in(folder.name)


def _mark_in(name: str) -> str:
    try:
        return ".".join(str(int(part, 16)) for part in name.removeprefix(PREFIX).rpartition("-")[0].split("."))
    except ValueError:
        return ""
