"""Takes memory in all the ways that no process shows, in turn, as fast as it gets it.

Segments of System V that it detaches, a file without a name, deleted files in memory,
pipes. What it got it holds, where files or the system give no more: memory is looked at
ten times a second. It is ended at its limit: the standings show a crash that says how
much it took.
"""

import ctypes
import fcntl
import os
import time
from contextlib import suppress
from pathlib import Path

from pips_sdk import run
from pips_sdk.serpent import SerpentAction, SerpentBot, SerpentView

MB = 1 << 20
MOST_MB = 2048
HOLD_S = 60
SET_PIPE_SIZE = 1031
LIBC = ctypes.CDLL(None)
LIBC.shmat.restype, LIBC.shmdt.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
KEPT: list[object] = []


def segment() -> None:
    number = LIBC.shmget(0, MB, 0o1600)
    if number < 0 or (place := LIBC.shmat(number, None, 0)) in (None, ctypes.c_void_p(-1).value):
        raise OSError("no segment")
    ctypes.memset(place, 1, MB)
    LIBC.shmdt(place)


def nameless() -> None:
    KEPT.append(file := os.memfd_create("hidden"))
    os.write(file, b"x" * MB)


def deleted() -> None:
    name = f"/dev/shm/hidden-{os.getpid()}-{len(KEPT)}"
    KEPT.append(file := os.open(name, os.O_RDWR | os.O_CREAT))
    Path(name).unlink()
    os.write(file, b"x" * MB)


def pipe() -> None:
    KEPT.append(ends := os.pipe())
    fcntl.fcntl(ends[1], SET_PIPE_SIZE, MB)
    os.set_blocking(ends[1], False)
    os.write(ends[1], b"x" * MB)


class Zoo(SerpentBot):
    def choose(self, view: SerpentView) -> SerpentAction:
        if self._question == 1:
            taken = 0
            for _ in range(MOST_MB):
                for take in (segment, nameless, deleted, pipe):
                    with suppress(OSError):
                        take()
                        taken += 1
            if taken >= MOST_MB:
                raise RuntimeError(f"gained: {taken} MB")
            time.sleep(HOLD_S)
        return super().choose(view)


run(Zoo)
