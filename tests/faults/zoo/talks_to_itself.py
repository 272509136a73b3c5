"""Leaves a mark for its process of the other rotation, in six ways, and looks for one.

Locks on its own file and on a file of the system, a key in a keyring of the kernel, a
name among abstract sockets, a file in its folder and one in the temporary folder. It
boasts of a mark that it finds by raising an exception.
"""

import ctypes
import fcntl
import os
import platform
import socket
import tempfile
from collections.abc import Callable
from pathlib import Path

from pips_sdk import run
from pips_sdk.serpent import SerpentAction, SerpentBot, SerpentView

MARK = os.environ["MARK"]
ADD_KEY, KEYCTL = {"x86_64": (248, 250), "aarch64": (217, 219)}.get(platform.machine(), (0, 0))
USER_KEYRING, SEARCH, SET_TIMEOUT = -4, 10, 15
LIBC = ctypes.CDLL(None)
KEPT: list[object] = []


def lock(path: str) -> bool:
    KEPT.append(file := Path(path).open(encoding="utf-8"))  # noqa: SIM115 - it holds the lock
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    return False


def name_of_a_socket() -> bool:
    KEPT.append(here := socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
    try:
        here.bind("\0" + MARK)
    except OSError:
        return True
    return False


def key() -> bool:
    if not ADD_KEY:
        return False
    name = MARK.encode()
    if LIBC.syscall(KEYCTL, SEARCH, USER_KEYRING, b"user", name, 0) > 0:
        return True
    made = LIBC.syscall(ADD_KEY, b"user", name, b"x", 1, USER_KEYRING)
    LIBC.syscall(KEYCTL, SET_TIMEOUT, made, 60)
    return False


def file(folder: Path) -> bool:
    try:
        (folder / MARK).touch(exist_ok=False)
    except FileExistsError:
        return True
    except OSError:
        return False
    return False


WAYS: dict[str, Callable[[], bool]] = {
    "a lock on its own file": lambda: lock(__file__),
    "a lock on a system file": lambda: lock("/usr/bin/env"),
    "a key": key,
    "a socket's name": name_of_a_socket,
    "a file in its folder": lambda: file(Path(__file__).parent),
    "a temporary file": lambda: file(Path(tempfile.gettempdir())),
}
FOUND = [way for way, finds in WAYS.items() if finds()]


class Zoo(SerpentBot):
    def choose(self, view: SerpentView) -> SerpentAction:
        if FOUND:
            raise RuntimeError(f"gained: its other process told it by {', '.join(FOUND)}")
        return super().choose(view)


run(Zoo)
