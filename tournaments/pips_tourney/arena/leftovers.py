"""What a keeper has left that was killed together with its runner: daemons of bots, and the folder of its arena.

A keeper marks all that it starts in the environment, and its folder by a file, with its number and when it began. Where
no such process lives any longer, what bears its mark is nobody's. It is looked for where this process puts its own
temporary files: who puts them elsewhere clears up there.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path
from signal import SIGKILL
from typing import Final

from pips_tourney.sandbox.processes import MARK, MARK_FILE, look_at, own_namespace, signal_all

FOLDERS: Final = "pips-*"


def clear_leftovers() -> list[str]:
    """End the processes, remove the folders, and say so."""
    folders = dict(_folders())
    ended: list[int] = []
    while found := list(_orphans(set(folders.values()))) if folders else []:
        signal_all(found, SIGKILL)
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
    """Those of dead keepers, with their marks."""
    for place in {tempfile.gettempdir(), "/tmp"}:  # noqa: S108 - where arenas put what has to have a short path
        for folder in Path(place).glob(FOLDERS):
            with suppress(OSError):
                if folder.lstat().st_uid == os.getuid() and _is_dead(
                    mark := (folder / MARK_FILE).read_text(encoding="ascii")
                ):
                    yield folder, mark


def _is_dead(mark: str) -> bool:
    """Whether the keeper of that mark has ended. One of another container cannot be seen, so it is left alone."""
    try:
        pid, began, namespace = map(int, mark.split("."))
    except ValueError:
        return False
    keeper = look_at(pid)
    return namespace == own_namespace() and (keeper is None or keeper.began != began)
