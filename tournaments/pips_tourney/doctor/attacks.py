"""The worst that a bot can try: a program that the doctor starts in the bots' sandbox.

It imports only the standard library, and is passed as text: `python -I -c TEXT NAME
PLAN`. PLAN is JSON. It has the targets (`port`, `secret`, `neighbour`, `folder`,
`runner`) and the limits (`memory_mb`, `processes`). Each attack prints one line on
standard error: `kept` if it failed, or `through:` and what it reached. An attack on a
limit first prints `held` at half of the limit, because only then does its end prove
something. If it is ended for exceeding the limit, it prints nothing more.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

MARK: Final = "pips-doctor:"
HOLD_S: Final = 2.5
"""How long an attack stays beyond a limit; the keeper checks ten times a second."""
Plan = Mapping[str, Any]


def network(plan: Plan) -> str:
    """Dial the doctor's own socket on loopback."""
    with socket.socket() as dialled:
        dialled.settimeout(2)
        return "a connection to this machine" if dialled.connect_ex(("127.0.0.1", plan["port"])) == 0 else ""


def secret(plan: Plan) -> str:
    """Read what only the night may read."""
    return _read(plan["secret"])


def neighbour(plan: Plan) -> str:
    """Read another bot's source."""
    return _read(plan["neighbour"])


def writes(plan: Plan) -> str:
    """Write beside the league, and where other bots read."""
    for folder in (plan["folder"], "/var/tmp", str(Path.home())):  # noqa: S108 - tried
        file = Path(folder, f"pips-doctor-{plan['runner']}")
        try:
            file.write_text("written by a bot", encoding="utf-8")
        except OSError:
            continue
        file.unlink()
        if not _is_own(folder):
            return f"a file in {folder}"
    return ""


def processes(plan: Plan) -> str:
    """Find the runner among the processes, and send it a signal."""
    if _read(f"/proc/{plan['runner']}/cmdline").find("pips") >= 0:
        return "the command line of the runner"
    try:
        os.kill(plan["runner"], 0)
    except OSError:
        return ""
    return "the runner, with a signal"


def settings(_: Plan) -> str:
    """Open the kernel's settings for writing."""
    for folder, _folders, files in os.walk("/proc/sys"):
        for name in files:
            try:
                os.close(os.open(f"{folder}/{name}", os.O_WRONLY))
            except OSError:
                continue
            return f"{folder}/{name}, open for writing"
    return ""


def calls(_: Plan) -> str:
    """Make system calls that a card game does not need."""
    numbers = {"x86_64": (248, 27, 294, 323, 425, 321), "aarch64": (217, 232, 26, 282, 425, 280)}
    library, answered = ctypes.CDLL(None, use_errno=True), []
    names = ("add_key", "mincore", "inotify_init1", "userfaultfd", "io_uring_setup", "bpf")
    for name, number in zip(names, numbers.get(os.uname().machine, ()), strict=False):
        ctypes.set_errno(0)
        library.syscall(number, 0, 0, 0, 0, 0, 0)
        if ctypes.get_errno() not in (1, 38):  # a filter returns EPERM or ENOSYS
            answered.append(name)
    return f"the kernel answers {', '.join(answered)}" if answered else ""


def memory(plan: Plan) -> str:
    """Use twice the allowed memory."""
    megabyte, held = bytes(range(256)) * 4096, []
    for number in range(2 * plan["memory_mb"]):
        if number == plan["memory_mb"] // 2:
            _tell_held()
        held.append(bytearray(megabyte))
    time.sleep(HOLD_S)
    return f"{2 * plan['memory_mb']} MB of the {plan['memory_mb']} it may have"


def forks(plan: Plan) -> str:
    """Start four times the allowed number of processes."""
    begun = 0
    for _ in range(4 * plan["processes"]):
        try:
            if os.fork() == 0:
                time.sleep(HOLD_S + 1)
                os._exit(0)
        except OSError:
            return ""
        begun += 1
        if begun == plan["processes"] // 2:
            _tell_held()
    time.sleep(HOLD_S)
    return f"{begun} processes of the {plan['processes']} it may have"


def daemon(plan: Plan) -> str:
    """Leave a process outside its parent and session; the doctor looks for it."""
    if os.fork() == 0:
        with suppress(OSError):
            os.setsid()
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            with open(os.devnull, "r+b") as nowhere:  # noqa: PTH123 - a descriptor is wanted
                for descriptor in range(3):
                    os.dup2(nowhere.fileno(), descriptor)
            words = [sys.executable, "-I", "-S", "-c", "import time; time.sleep(60)", plan["word"]]
            os.execv(sys.executable, words)  # noqa: S606 - the daemon
        os._exit(0)
    return ""


def disk(_: Plan) -> str:
    """Fill the place for temporary files."""
    written, block = 0, bytes(1 << 20)
    try:
        for number in range(16):
            with Path(os.environ.get("TMPDIR", "/tmp"), f"pips-doctor-{number}").open("wb") as file:  # noqa: S108
                for _megabyte in range(8):
                    file.write(block)
                    written += 1
                    if written == 1:
                        _tell_held()
    except OSError:
        pass
    finally:
        for number in range(16):
            Path(os.environ.get("TMPDIR", "/tmp"), f"pips-doctor-{number}").unlink(missing_ok=True)  # noqa: S108
    return f"{written} MB in the folder for temporary files" if written > 100 else ""


ATTACKS: Final[dict[str, Callable[[Plan], str]]] = {
    attack.__name__: attack
    for attack in (
        network, secret, neighbour, writes, processes, settings, calls, memory, forks, daemon, disk,
    )
}  # fmt: skip


HOLDING: Final = frozenset({"memory", "forks", "disk"})
"""Attacks on a limit: being stopped proves nothing unless they had begun."""


def _tell_held() -> None:
    print(f"{MARK} held", file=sys.stderr, flush=True)


def _read(path: str) -> str:
    try:
        return f"{path}: {Path(path).read_text(encoding='utf-8', errors='replace')[:40]!r}"
    except OSError:
        return ""


def _is_own(folder: str) -> bool:
    """Return whether a folder is a bot's own: a memory file system, initially empty."""
    for line in Path("/proc/self/mounts").read_text(encoding="utf-8").splitlines():
        _, place, kind, *_ = line.split()
        if kind == "tmpfs" and (folder == place or folder.startswith(f"{place.rstrip('/')}/")):
            return True
    return False


def main() -> None:
    """Try the named attack."""
    name, text = sys.argv[1:]
    try:
        got = ATTACKS[name](json.loads(text))
    except (OSError, MemoryError):  # it was refused
        got = ""
    print(f"{MARK} through: {got}" if got else f"{MARK} kept", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
