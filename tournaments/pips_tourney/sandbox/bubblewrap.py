"""Start a bot in bubblewrap: find it, test it, and build its command line.

Bubblewrap runs with the rights of the user who runs the night. So it is started by its
absolute path with an empty environment, and nothing from a bot reaches it. The bot's
variables and command go through a descriptor to the last step inside (inside.py). If
root runs the night, root makes the mounts, and the process inside becomes a separate
user.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from threading import get_ident
from typing import Any, Final

import pips_sdk
from pips_tourney.bots.executable import Executable
from pips_tourney.sandbox.counting.processes import folder_prefix
from pips_tourney.sandbox.handover import Handover
from pips_tourney.sandbox.homes import make_home, remove_tree
from pips_tourney.sandbox.limits import FIRST_USER, GROUP, MB, TEMPORARY_MB
from pips_tourney.sandbox.pack import PackError, write_pack
from pips_tourney.sandbox.places import (
    interpreter,
    mounts,
    outermost,
    readable,
    settings,
    system_links,
    system_places,
    ways,
)
from pips_tourney.sandbox.seccomp import seccomp_filter
from pips_tourney.system import ELSEWHERE, is_linux

PROBE_S: Final = 20.0
COPY_SLACK_MB: Final = 1
NOBODY: Final = "65534"
INSIDE: Final = str(Path(__file__).with_name("inside.py"))
_SNAPSHOTS: Final = ("cpuinfo", "meminfo", "stat")
"""Files of /proc that show the activity of others; a bot reads an old copy."""
_TELLING: Final = (
    "buddyinfo", "diskstats", "interrupts", "kcore", "key-users", "keys", "kpagecgroup", "kpagecount", "kpageflags",
    "loadavg", "locks", "pagetypeinfo", "sched_debug", "schedstat", "slabinfo", "softirqs", "swaps", "sysrq-trigger",
    "timer_list", "uptime", "vmallocinfo", "vmstat", "zoneinfo",
)  # fmt: skip
_TELLING_FOLDERS: Final = ("acpi", "bus", "fs", "irq", "pressure", "scsi", "sys")
_FOLDER_OPTIONS: Final = ("--disable-userns",)


@dataclass(frozen=True, slots=True)
class EnclosedProgram(Executable):
    """A program with the command that starts it in its fence.

    `{NAME}` in the command is the descriptor of a text, a file or the filter.
    """

    texts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    opened: Mapping[str, str] = field(default_factory=dict)
    """Files to open for reading, by name."""
    home: str = ""
    """A private folder to make for the bot's user; "" under bubblewrap."""


@dataclass(frozen=True, slots=True)
class Bubblewrap:
    """A bubblewrap that works on this machine."""

    path: str
    as_root: bool
    options: tuple[str, ...] = ()
    """Options that some versions lack."""

    def enclose(
        self, program: Executable, socket: str, folder: Path, more: Sequence[str], hidden: Sequence[str], copy_mb: int
    ) -> EnclosedProgram:
        """Return the program wrapped for its start in bubblewrap.

        Packs and snapshots are written to `folder`, which is private. Raises `OSError`
        if the command cannot be found, and `PackError` if its files cannot be copied.
        """
        program = replace(program, env={**program.env, "HOME": "/tmp", "TMPDIR": "/tmp"})  # noqa: S108 - the bot's own
        pack, copied = packed(program, folder, hidden, copy_mb)
        shown = shown_to(program, more, hidden, copied)
        words = [*self._machine(), "--remount-ro", "/dev", *_proc(folder)]
        words += mounts(shown, [*hidden, str(folder)], copied, (copy_mb + COPY_SLACK_MB) * MB)
        sockets = (socket, *program.sockets)
        words += [*ways([*sockets, INSIDE, f"{program.cwd}/bot"]), *_shown(*sockets, INSIDE), "--remount-ro", "/"]
        return self._started(program, words, pack)

    def probe(self) -> str:
        """Start an interpreter inside, like a bot; return why that fails, or ""."""
        imports = (sys.executable, "-I", "-S", "-c", _TRY, pips_sdk.__file__, os.__file__)
        tried = Executable(imports, "/", {}, interpreter=sys.executable)
        with tempfile.TemporaryDirectory(prefix=folder_prefix()) as place:
            words = [*self._machine(), "--remount-ro", "/dev", *_proc(Path(place))]
            words += mounts([*system_places(), *settings(), *interpreter()], [], [], MB)
            words += [*ways([INSIDE]), *_shown(INSIDE), "--remount-ro", "/"]
            try:
                ended = start_now(self._started(tried, words, None), FIRST_USER if self.as_root else None)
            except (OSError, subprocess.TimeoutExpired) as error:
                return str(error) or type(error).__name__
        if ended.returncode == 0:
            return ""
        return (ended.stderr.strip().splitlines() or [f"it ended with {ended.returncode}"])[-1]

    def _started(self, program: Executable, words: Sequence[str], pack: Path | None) -> EnclosedProgram:
        filtered = ["--seccomp", "{seccomp}"] if seccomp_filter() is not None else []
        last = last_step(program, pack, "{user}")
        texts = {"args": tuple(words), **last.texts}
        return replace(last, command=(self.path, "--args", "{args}", *filtered, "--", *last.command), texts=texts)

    def _machine(self) -> Iterator[str]:
        """Arguments for a machine with devices, its own processes and little memory."""
        yield from ("--die-with-parent", *self.options, "--unshare-ipc", "--unshare-pid", "--unshare-net")
        yield from ("--unshare-uts", "--unshare-cgroup-try", "--cap-drop", "ALL")
        if self.as_root:
            yield from ("--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID")
        else:
            yield from ("--unshare-user", "--uid", NOBODY, "--gid", NOBODY)
        for place, target in system_links():
            yield from ("--symlink", target, place)
        yield from ("--proc", "/proc", "--dev", "/dev")
        for place in ("/tmp", "/dev/shm"):  # noqa: S108 - its own
            yield from ("--perms", "1777", "--size", str(TEMPORARY_MB * MB), "--tmpfs", place)


def last_step(
    program: Executable, pack: Path | None, user: str = "", home: str = "", places: Sequence[str] = ()
) -> EnclosedProgram:
    """Return the last step of a program's start (inside.py), with its data."""
    env = [text for pair in program.env.items() for text in pair]
    plan = (program.cwd, str(len(program.env)), *env, str(len(places)), *places, *program.command)
    words = ("{plan}", "" if pack is None else "{pack}", user, str(GROUP), home, "{seccomp}" if home else "")
    return EnclosedProgram(
        (sys.executable, "-I", "-S", INSIDE, *words), "/", {}, program.files, texts={"plan": plan},
        opened={} if pack is None else {"pack": str(pack)}, log=program.log, home=home,
    )  # fmt: skip


def shown_to(program: Executable, more: Sequence[str], hidden: Iterable[str], copied: Sequence[str]) -> list[str]:
    """Return the places that a program reads, except copies of its own files.

    Another bot's folder stays hidden, even if it is called node_modules.
    """
    named, kept = set(more), set(hidden)
    near = (place for place in readable(program, more) if place in named or place not in kept)
    return [*system_places(), *settings(), *near, *(place for place in program.files if place not in copied)]


_TRY: Final = "import sys\nfor name in sys.argv[1:]: open(name).close()"


def find_bubblewrap() -> tuple[Bubblewrap | None, str]:
    """Return a bubblewrap that works on this machine, or None and the reason.

    It is searched for on the runner's own path.
    """
    if not is_linux():
        return None, f"a fence needs Linux: {ELSEWHERE}"
    found = shutil.which("bwrap")
    if found is None:
        return None, "there is no bwrap on this machine"
    path, as_root, why = os.path.realpath(found), os.geteuid() == 0, ""
    for options in ((),) if as_root else (_FOLDER_OPTIONS, ()):
        bubblewrap = Bubblewrap(path, as_root, options)
        if not (why := bubblewrap.probe()):
            return bubblewrap, ""
    return None, why


@contextmanager
def started_now(program: EnclosedProgram, user: int | None) -> Iterator[subprocess.Popen[str]]:
    """Start an enclosed program as a keeper would, and kill it at the end."""
    with Handover(b"", user) as given:
        given.open_files(program.opened)
        given.write_bytes("seccomp", seccomp_filter(alone=bool(program.home)) or b"")
        given.write_texts(program.texts)
        if program.home:
            make_home(program.home, user)
        as_user: dict[str, Any] = {"user": user, "group": GROUP, "extra_groups": []}
        process = subprocess.Popen(
            given.fill_all(program.command), env={}, cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, pass_fds=given.descriptors,
            **(as_user if program.home and user is not None else {}),
        )  # fmt: skip
    with process:
        try:
            yield process
        finally:
            process.kill()
    if program.home:
        remove_tree(program.home)


def start_now(program: EnclosedProgram, user: int | None) -> subprocess.CompletedProcess[str]:
    """Start an enclosed program as a keeper would, and wait for its end."""
    with started_now(program, user) as process:
        out, err = process.communicate(timeout=PROBE_S)
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def has_landlock() -> bool:
    """Return whether Landlock can hide files of /proc from a bot (landlock(7))."""
    return int(ctypes.CDLL(None).syscall(444, None, 0, 1)) > 0


def _shown(*places: str) -> Iterator[str]:
    for place in places:
        yield from ("--ro-bind", place, place)


def _proc(folder: Path) -> Iterator[str]:
    """Arguments for a read-only /proc that hides the activity of others."""
    for name in _SNAPSHOTS:
        copy = folder / name
        if not copy.exists():
            made = folder / f"{name}.{get_ident()}"  # several threads may enclose bots at once
            made.write_bytes(Path("/proc", name).read_bytes())
            made.chmod(0o644)
            made.replace(copy)
        yield from ("--ro-bind", str(copy), f"/proc/{name}")
    for name in () if has_landlock() else _TELLING:
        if Path("/proc", name).exists():
            yield from ("--ro-bind", "/dev/null", f"/proc/{name}")
    for name in _TELLING_FOLDERS:
        if Path("/proc", name).is_dir():
            yield from ("--tmpfs", f"/proc/{name}", "--remount-ro", f"/proc/{name}")
    yield from ("--remount-ro", "/proc")


def packed(program: Executable, folder: Path, hidden: Iterable[str], copy_mb: int) -> tuple[Path | None, Sequence[str]]:
    """Return a pack of the bot's own files, and the list of these files.

    There is no pack if the bot has no files, or if files named by the league file are
    too large.
    """
    places = outermost(program.files)
    if not places:
        return None, ()
    pack = folder / f"{sha256(os.fsencode(chr(0).join(places))).hexdigest()[:16]}.pack"
    if not pack.exists():
        made = pack.with_suffix(f".{os.urandom(4).hex()}")
        try:
            with made.open("wb") as file:
                write_pack(places, [path for path in hidden if path not in places], copy_mb, file, program.stamp)
            made.rename(pack)
        except PackError:
            made.unlink()
            if program.submitted:
                raise
            return None, ()
    return pack, places
