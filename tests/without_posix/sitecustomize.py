"""With this folder in PYTHONPATH, Python has nothing that other systems lack.

It stands in for a machine of Windows, or of macOS where PIPS_SIMULATED says so: modules
cannot be imported, functions and constants are missing, there is no /proc, processes
are spawned, and on Windows they inherit no descriptor but their standard ones. Python's
own library is loaded first, for it knows which system it is on.
"""

from __future__ import annotations

import asyncio
import errno
import fcntl
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
import urllib.request  # noqa: F401 - what it asks of macOS is not here
from collections.abc import Mapping
from types import ModuleType
from typing import Any, Final

LINUX: Final[Mapping[ModuleType, tuple[str, ...]]] = {
    os: ("O_PATH", "getresuid", "memfd_create", "pidfd_open", "sched_getaffinity", "sched_setaffinity", "setresuid"),
    select: ("epoll",),
    signal: ("pidfd_send_signal", "sigtimedwait"),
    socket: ("SO_PEERCRED",),
}
"""What macOS lacks too, but for uvloop, which an author does not install."""
MODULES: Final = ("fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty", "uvloop")
NAMES: Final[Mapping[ModuleType, tuple[str, ...]]] = {
    os: (
        "O_CLOEXEC", "O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK", "chown", "fchmod", "fork", "geteuid", "getgid",
        "getpgid", "getuid", "killpg", "mkfifo", "set_blocking",
        "setpgid", "setsid", "setuid", "wait", "waitid",
    ),
    select: ("poll",),
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


def _no_proc(event: str, arguments: tuple[Any, ...]) -> None:
    if event in ("open", "os.listdir", "os.scandir") and str(arguments[0]).startswith(("/proc", "/sys/")):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), arguments[0])


def _locking(file: int, mode: int, _: int, _lock: Any = fcntl.flock) -> None:
    """`msvcrt.locking` of the one byte that a night's runner locks."""
    assert mode == 2
    _lock(file, fcntl_words)


fcntl_words: Final = fcntl.LOCK_EX | fcntl.LOCK_NB


def take_away() -> None:
    """Take away what only Linux has, and for Windows what only Unix has."""
    sysconfig.get_config_vars()  # it reads a file that is named after the platform
    multiprocessing.set_start_method("spawn")
    is_macos = os.environ.get("PIPS_SIMULATED") == "macos"
    sys.platform = "darwin" if is_macos else "elsewhere"
    sys.addaudithook(_no_proc)
    sys.modules["uvloop"] = None  # type: ignore[assignment]
    _without(LINUX)
    if hasattr(os, "process_cpu_count"):  # it asks for the affinity, where the system has one
        os.process_cpu_count = os.cpu_count
    if is_macos:
        return
    for name in MODULES:
        sys.modules[name] = None  # type: ignore[assignment]
    system: Any = ModuleType("msvcrt")
    system.locking, system.LK_NBLCK = _locking, 2
    sys.modules["msvcrt"] = system
    loop: Any = asyncio.SelectorEventLoop
    loop.add_signal_handler = asyncio.AbstractEventLoop.add_signal_handler  # raises NotImplementedError
    shutil._use_fd_functions = False  # type: ignore[attr-defined]
    changed: Any = subprocess.Popen
    changed.__init__, changed.kill = _begin_here, _kill
    sockets: Any = socket
    sockets.socketpair = _pair
    _without(NAMES)


def _without(missing: Mapping[ModuleType, tuple[str, ...]]) -> None:
    for module, names in missing.items():
        for name in names:
            if hasattr(module, name):
                delattr(module, name)


take_away()
