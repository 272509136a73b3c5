"""With this folder in PYTHONPATH, Python has nothing that only Unix has.

It stands in for a machine of Windows: modules cannot be imported, functions and
constants are missing, and a process inherits no descriptor but its standard ones.
Python's own library is loaded first, for it knows which system it is on.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import select
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import tempfile
import threading
from collections.abc import Mapping
from types import ModuleType
from typing import Any, Final

MODULES: Final = ("fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty", "uvloop")
NAMES: Final[Mapping[ModuleType, tuple[str, ...]]] = {
    os: (
        "O_CLOEXEC", "O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK", "chown", "fchmod", "fork", "geteuid", "getgid",
        "getpgid", "getuid", "killpg", "mkfifo", "sched_getaffinity", "sched_setaffinity", "set_blocking",
        "setpgid", "setsid", "setuid", "wait",
    ),
    select: ("epoll", "poll"),
    signal: ("SIGALRM", "SIGCONT", "SIGHUP", "SIGKILL", "SIGSTOP", "SIGUSR1", "pthread_sigmask", "setitimer"),
    socket: ("AF_UNIX",),
}  # fmt: skip
LOADED: Final = (multiprocessing, selectors, shutil, tempfile, threading)
"""What is loaded before the names go."""

_begin = subprocess.Popen.__init__


def _begin_here(self: subprocess.Popen[Any], *words: Any, **more: Any) -> None:
    if more.get("pass_fds") or more.get("preexec_fn") or more.get("process_group", -1) not in (None, -1):
        raise ValueError("pass_fds, preexec_fn and process_group are not supported on Windows platforms")
    _begin(self, *words, **more)


def _kill(self: subprocess.Popen[Any]) -> None:
    if self.poll() is None:
        os.kill(self.pid, 9)


def _pair(*_: Any, _family: int = socket.AF_UNIX, _pair: Any = socket.socketpair) -> Any:
    return _pair(_family)


def take_away() -> None:
    """Take away what only Unix has."""
    for name in MODULES:
        sys.modules[name] = None  # type: ignore[assignment]
    loop: Any = asyncio.SelectorEventLoop
    loop.add_signal_handler = asyncio.AbstractEventLoop.add_signal_handler  # raises NotImplementedError
    shutil._use_fd_functions = False  # type: ignore[attr-defined]
    changed: Any = subprocess.Popen
    changed.__init__, changed.kill = _begin_here, _kill
    sockets: Any = socket
    sockets.socketpair = _pair
    sysconfig.get_config_vars()  # it reads a file that is named after the platform
    sys.platform = "elsewhere"
    for module, names in NAMES.items():
        for name in names:
            delattr(module, name)


take_away()
