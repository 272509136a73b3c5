"""The last step of a bot's start: unpack its folder, give up rights, become the bot.

Bubblewrap has made the mounts and enforced the filter of system calls. This step
unpacks the bot's folder into its own memory. If root started it, the process becomes a
user of its own. Landlock then closes what mounts cannot: the files of /proc that show
what other processes do with shared pages. Source: landlock(7).

It is started as a file, with the interpreter's `-I -S`, an empty environment and four
words. These are the descriptor of the plan, that of the pack, the number of the user to
become ("" for none), and that user's group. A plan is a list of texts, each ended by a
zero byte. They are the folder to run in, the number of variables, each variable's name
and value, and the command.
"""

# No pathlib, and of the standard library no more than is needed: it runs once for each
# process of a bot. `typing` and `signal` would take as long as all else.
# ruff: noqa: PTH103, PTH208, PTH211

from __future__ import annotations

import _signal  # type: ignore[import-not-found]
import ctypes
import os
import resource
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

FAILED: Final = 127
"""Exit status if the command cannot be started."""
WRITABLE: Final = ("tmp", "dev")
"""Folders where a bot may write."""
PROC_FILES: Final = ("cpuinfo", "filesystems", "meminfo", "stat", "version")
"""Readable files of /proc: they never change, or the sandbox replaced their text."""
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_ASK_VERSION: Final = 1
_BENEATH: Final = 1
_NO_NEW_PRIVILEGES: Final = 38
_READ_FILE: Final = 1 << 2
_WRITES: Final = 1 << 1 | sum(1 << bit for bit in range(4, 13))
_REFER: Final = 1 << 13
_TRUNCATE: Final = 1 << 14


class _Beneath(ctypes.Structure):
    """The C struct `landlock_path_beneath_attr`."""

    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


def read_all(descriptor: int) -> bytes:
    """Return the whole content of a file."""
    parts = []
    while part := os.read(descriptor, 1 << 20):
        parts.append(part)
    os.close(descriptor)
    return b"".join(parts)


def unpack(descriptor: int) -> None:
    """Unpack a pack (format: pack.py); raises `OSError` if there is no room."""
    size = int.from_bytes(os.read(descriptor, 8), "big")
    index = b""
    while len(index) < size:
        index += os.read(descriptor, size - len(index))
    fields = index.split(b"\0")[:-1]
    os.umask(0)
    for kind, mode, path, more in zip(*(fields[at::4] for at in range(4)), strict=True):
        if kind == b"d":
            os.makedirs(path, exist_ok=True)
        elif kind == b"l":
            os.symlink(more, path)
        else:
            file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, int(mode, 8))
            left = int(more)
            while left:
                left -= os.sendfile(file, descriptor, None, left) or sys.exit(f"{path!r} is cut short")
            os.close(file)
    os.close(descriptor)


def restrict_files() -> None:
    """Restrict files by Landlock; a kernel without it leaves everything as it is."""
    system = ctypes.CDLL(None, use_errno=True).syscall
    version = system(_CREATE_RULESET, None, 0, _ASK_VERSION)
    if version < 1:
        return
    everything = _READ_FILE | _WRITES | (_REFER if version > 1 else 0) | (_TRUNCATE if version > 2 else 0)
    handled = ctypes.c_uint64(everything)
    rules = system(_CREATE_RULESET, ctypes.byref(handled), 8, 0)
    if rules < 0:
        return

    def allow(path: str, what: int) -> None:
        try:
            parent = os.open(path, os.O_PATH)
        except OSError:
            return
        beneath = _Beneath(what, parent)
        system(_ADD_RULE, rules, _BENEATH, ctypes.byref(beneath), 0)
        os.close(parent)

    for name in os.listdir("/"):
        if name != "proc":
            allow(f"/{name}", everything if name in WRITABLE else _READ_FILE)
    for name in PROC_FILES:
        allow(f"/proc/{name}", _READ_FILE)
    ctypes.CDLL(None).prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    if system(_RESTRICT_SELF, rules, 0):
        sys.exit(f"Landlock refuses its rules: {os.strerror(ctypes.get_errno())}")
    os.close(rules)


def main() -> None:
    """Become the bot, or end with a sentence on standard error; never returns."""
    plan_from, pack_from, user, group = sys.argv[1:]
    words = read_all(int(plan_from)).split(b"\0")[:-1]
    folder, count, rest = words[0], int(words[1]), words[2:]
    env = dict(zip(rest[: 2 * count : 2], rest[1 : 2 * count : 2], strict=True))
    command = rest[2 * count :]
    try:
        if pack_from:
            largest, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
            resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
            unpack(int(pack_from))
            resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))
        if user:
            os.setgroups([])
            os.setresgid(int(group), int(group), int(group))
            os.setresuid(int(user), int(user), int(user))
        restrict_files()
        os.chdir(folder)
        for number in (_signal.SIGPIPE, _signal.SIGXFSZ):  # the interpreter ignores both
            _signal.signal(number, _signal.SIG_DFL)
        os.execvpe(command[0], command, env)  # noqa: S606 - there is no shell to fear
    except OSError as error:
        print(f"{os.fsdecode(command[0])} could not be started: {error.strerror}", file=sys.stderr)
        sys.stderr.flush()
        os._exit(FAILED)


if __name__ == "__main__":
    main()
