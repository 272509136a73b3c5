"""The last step of a bot's start: unpack its folder, give up rights, become the bot.

Bubblewrap has made the mounts and enforced the filter of system calls. This step
unpacks the bot's folder into its own memory. If root started it, the process becomes a
separate user. Landlock then closes what mounts cannot: the files of /proc that show
what other processes do with shared pages. Source: landlock(7).

Without bubblewrap the process already is a separate user and has a private folder, its
home. This step unpacks the bot's folder there. Landlock closes all files except the
places of the plan and the home. The filter comes last.

It is run as a file, with the interpreter's `-I -S`, an empty environment and six
arguments: the descriptor of the plan, the descriptor of the pack, the number of the
user to become ("" for none), that user's group, the home, and the filter's descriptor.
The last two are "" under bubblewrap. A plan is a list of texts, each ended by a zero
byte. They are the folder to run in, the number of variables, each variable's name and
value, the number of places, the places, and the command. A place can be read with all
below it. If it ends with a slash, the names below it can be listed, but nothing can be
read.
"""

# No pathlib, and as little of the standard library as possible, because this file runs
# once for each process of a bot. `typing` and `signal` would take as long as all the
# rest.
# ruff: noqa: PTH102, PTH103, PTH120, PTH208, PTH211

from __future__ import annotations

import _signal  # type: ignore[import-not-found]
import ctypes
import os
import resource
import sys

FAILED = 127
"""Exit status if the command cannot be started."""
WRITABLE = ("tmp", "dev")
"""Folders where a bot may write."""
PROC_FILES = ("cpuinfo", "filesystems", "meminfo", "stat", "version")
"""Readable files of /proc: they never change, or the sandbox has replaced them."""
UNCHANGING = ("filesystems", "version")
"""The files of /proc that no other process can change."""
DEVICES = ("full", "null", "random", "urandom", "zero")
NEWEST = 7
"""The newest version of Landlock that this module supports."""
TEMPORARY = "tmp"
"""The folder in a home that a bot may write to."""
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_ASK_VERSION = 1
_BENEATH = 1
_NO_NEW_PRIVILEGES = 38
_SET_SECCOMP, _FILTER_MODE = 22, 2
_READ_FILE = 1 << 2
_EXECUTE, _LIST = 1 << 0, 1 << 3
_IOCTL_DEVICE = 1 << 15
_TCP, _ABSTRACT_AND_SIGNALS = 3, 3
_WRITE_FILE = 1 << 1
_WRITES = _WRITE_FILE | sum(1 << bit for bit in range(4, 13))
_REFER = 1 << 13
_TRUNCATE = 1 << 14
_ON_A_FILE = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE


class _Beneath(ctypes.Structure):
    """The C struct `landlock_path_beneath_attr`."""

    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


class _Program(ctypes.Structure):
    """The C struct `sock_fprog`."""

    _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.c_char_p))


def read_all(descriptor: int) -> bytes:
    """Return the whole content of a file."""
    parts = []
    while part := os.read(descriptor, 1 << 20):
        parts.append(part)
    os.close(descriptor)
    return b"".join(parts)


def unpack(descriptor: int, home: bytes) -> None:
    """Unpack a pack (format: pack.py) below `home`; `OSError` if there is no room."""
    size = int.from_bytes(os.read(descriptor, 8), "big")
    index = b""
    while len(index) < size:
        index += os.read(descriptor, size - len(index))
    fields = index.split(b"\0")[:-1]
    os.umask(0)
    for kind, mode, place, more in zip(*(fields[at::4] for at in range(4)), strict=True):
        path = home + place
        os.makedirs(path if kind == b"d" else os.path.dirname(path), exist_ok=True)
        if kind == b"d":
            continue
        if kind == b"l":
            os.symlink(more, path)
        else:
            file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, int(mode, 8))
            left = int(more)
            while left:
                left -= os.sendfile(file, descriptor, None, left) or sys.exit(f"{path!r} is cut short")
            os.close(file)
    os.close(descriptor)


class _Rules:
    """Rules of Landlock: anything not allowed is refused once they are enforced."""

    def __init__(self, home: str) -> None:
        self._system = ctypes.CDLL(None, use_errno=True).syscall
        version = min(self._system(_CREATE_RULESET, None, 0, _ASK_VERSION), NEWEST)
        self.all = _READ_FILE | _WRITES | (_REFER if version > 1 else 0) | (_TRUNCATE if version > 2 else 0)
        handled = [self.all, 0, 0]
        if home:
            self.all |= _EXECUTE | _LIST
            handled = [self.all | (_IOCTL_DEVICE if version > 4 else 0), _TCP, _ABSTRACT_AND_SIGNALS]
        size = 24 if version > 5 else 16 if version > 3 else 8
        words = (ctypes.c_uint64 * 3)(*handled)
        self._rules = self._system(_CREATE_RULESET, words, size, 0) if version > 0 else -1

    @property
    def exist(self) -> bool:
        return self._rules >= 0

    def allow(self, path: str, what: int) -> None:
        """Allow `what` for a file, or for all below a folder, if the path exists."""
        try:
            parent = os.open(path, os.O_PATH)
        except OSError:
            return
        if not os.path.isdir(path):  # noqa: PTH112 - no pathlib
            what &= _ON_A_FILE
        beneath = _Beneath(what, parent)
        self._system(_ADD_RULE, self._rules, _BENEATH, ctypes.byref(beneath), 0)
        os.close(parent)

    def enforce(self) -> None:
        ctypes.CDLL(None).prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
        if self._system(_RESTRICT_SELF, self._rules, 0):
            sys.exit(f"Landlock refuses its rules: {os.strerror(ctypes.get_errno())}")
        os.close(self._rules)


def restrict_proc() -> None:
    """Close /proc by Landlock; a kernel without Landlock leaves everything as it is."""
    rules = _Rules("")
    if not rules.exist:
        return
    for name in os.listdir("/"):
        if name != "proc":
            rules.allow(f"/{name}", rules.all if name in WRITABLE else _READ_FILE)
    for name in PROC_FILES:
        rules.allow(f"/proc/{name}", _READ_FILE)
    rules.enforce()


def restrict_all(home: str, places: list[str], filtered: bytes) -> None:
    """Close all but the home and the places by Landlock, then enforce the filter."""
    rules = _Rules(home)
    if not rules.exist:
        sys.exit("this kernel, or the filter of this container, has no Landlock")
    for place in (*places, home):
        rules.allow(place, _LIST if place.endswith("/") else _READ_FILE | _EXECUTE | _LIST)
    for name in UNCHANGING:
        rules.allow(f"/proc/{name}", _READ_FILE)
    for name in DEVICES:
        rules.allow(f"/dev/{name}", _READ_FILE | _WRITE_FILE)
    rules.allow(f"{home}/{TEMPORARY}", rules.all)
    rules.enforce()
    program = _Program(len(filtered) // 8, filtered)
    if ctypes.CDLL(None).prctl(_SET_SECCOMP, _FILTER_MODE, ctypes.byref(program), 0, 0):
        sys.exit("the kernel refuses the filter of system calls")


def main() -> None:
    """Become the bot, or end with a sentence on standard error; never returns."""
    plan_from, pack_from, user, group, home, filter_from = sys.argv[1:]
    words = read_all(int(plan_from)).split(b"\0")[:-1]
    folder, count, rest = words[0], int(words[1]), words[2:]
    env = dict(zip(rest[: 2 * count : 2], rest[1 : 2 * count : 2], strict=True))
    rest = rest[2 * count :]
    places, command = rest[1 : int(rest[0]) + 1], rest[int(rest[0]) + 1 :]
    try:
        if home:
            os.mkdir(f"{home}/{TEMPORARY}")
            os.makedirs(folder, exist_ok=True)
        if pack_from:
            largest, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
            resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
            unpack(int(pack_from), os.fsencode(home))
            resource.setrlimit(resource.RLIMIT_FSIZE, (largest, hard))
        largest, _ = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))
        if user:
            os.setgroups([])
            os.setresgid(int(group), int(group), int(group))
            os.setresuid(int(user), int(user), int(user))
        if home:
            restrict_all(home, [os.fsdecode(place) for place in places], read_all(int(filter_from)))
        else:
            restrict_proc()
        os.chdir(folder)
        for number in (_signal.SIGPIPE, _signal.SIGXFSZ):  # the interpreter ignores both
            _signal.signal(number, _signal.SIG_DFL)
        os.execvpe(command[0], command, env)  # noqa: S606 - there is no shell
    except OSError as error:
        print(f"{os.fsdecode(command[0])} could not be started: {error.strerror}", file=sys.stderr)
        sys.stderr.flush()
        os._exit(FAILED)


if __name__ == "__main__":
    main()
