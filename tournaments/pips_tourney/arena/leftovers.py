"""What a keeper has left that was killed together with its runner: daemons of bots, and
the folder of its arena.

A keeper marks all that it starts in the environment, and its folder by a file, with its
number and when it began. The folder has its runner's mark in its name from the moment
it is made. Where neither lives any longer, what bears their marks is nobody's. It is
looked for where this process puts its own temporary files: who puts them elsewhere
clears up there.
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

from pips_tourney.sandbox.processes import MARK, MARK_FILE, is_dead_mark, look_at, own_mark, signal_all

PREFIX: Final = "pips-"


def folder_prefix() -> str:
    """How the name of an arena's folder begins that this process makes now: with its
    mark.
    """
    return f"{PREFIX}{'.'.join(f'{int(part):x}' for part in own_mark().split('.'))}-"


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
    """Those of dead keepers, with their marks; and those of dead runners that no keeper
    has marked yet.
    """
    for place in {tempfile.gettempdir(), "/tmp"}:  # noqa: S108 - where arenas put what has to have a short path
        for folder in Path(place).glob(f"{PREFIX}*"):
            with suppress(OSError):
                if folder.lstat().st_uid == os.getuid() and is_dead_mark(mark := _mark_of(folder)):
                    yield folder, mark


def _mark_of(folder: Path) -> str:
    """Its keeper's, or that of the runner that made it; "" when it bears none."""
    with suppress(FileNotFoundError):
        return (folder / MARK_FILE).read_text(encoding="ascii") or _mark_in(folder.name)
    return _mark_in(folder.name)


def _mark_in(name: str) -> str:
    try:
        return ".".join(str(int(part, 16)) for part in name.removeprefix(PREFIX).rpartition("-")[0].split("."))
    except ValueError:
        return ""
