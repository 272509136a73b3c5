"""A process of a keeper: how it is prepared, how much output is kept, how it ended.

The keeper imports this module and must start fast: little of the standard library.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from typing import Final

from pips_tourney.sandbox.counting.groups import BotGroup
from pips_tourney.sandbox.counting.inspection import Watched
from pips_tourney.sandbox.counting.shortage import kills_for_memory
from pips_tourney.sandbox.limits import Limits, become, restrict_self
from pips_tourney.sandbox.seccomp import enforce

KEPT_BYTES: Final = 1 << 16
"""How many bytes of the end of a process's output are kept."""
LOGGED_BYTES: Final = 10 << 20
"""The most bytes in a log, however many processes have written to it."""
PRINTED_BYTES: Final = 1 << 10
READ_BYTES: Final = 1 << 16
PR_SET_PDEATHSIG: Final = 1
ADDR_NO_RANDOMIZE: Final = 0x40000
SIGNALLED: Final = 128
"""Shells and bubblewrap report a process killed by signal N with this plus N."""

_libc = ctypes.CDLL(None, use_errno=True)
prctl = _libc.prctl


def prepare(
    limits: Limits | None, group: BotGroup | None, user: int | None, filtered: bytes | None,
    *, wrapped: bool, copies: bool, same_addresses: bool,
) -> None:  # fmt: skip
    """Prepare the child before its program runs.

    The death signal from the keeper is set after the change of user, which would clear
    it. An arena's processes take turns on one core. Under SCHED_BATCH a woken process
    waits until the running one has finished its work. The core then changes hands only
    once per message, and a match takes a tenth less time. If all processes have their
    code at the same addresses, the core can use what it has learnt of one for another.
    """
    with suppress(OSError):  # if this is forbidden, everything still works, only slower
        os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
    if same_addresses:
        _libc.personality(_libc.personality(-1) | ADDR_NO_RANDOMIZE)  # -1 queries; if forbidden, nothing changes
    if group is not None:
        group.enter()
    if limits is not None:
        restrict_self(limits, as_another_user=user is not None, copies=copies)
    if user is not None and not wrapped:  # inside bubblewrap the last step does this
        become(user)
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if filtered is not None:
        enforce(filtered)


class Output:
    """One of a process's two output pipes, and the end of its output so far."""

    total: int = 0
    closed: bool = False

    def __init__(self, descriptor: int, child: Child, *, listen: bool) -> None:
        self.descriptor, self.child, self.listen = descriptor, child, listen
        self.kept = bytearray()


class Child:
    """A process that the keeper started.

    `watched` is None for a process without limits, `user` the number of its own user.
    """

    excess: str = ""
    """The limit that the process exceeded, if it was ended for that."""
    is_stopped: bool = False
    """Whether the process was ordered to end."""
    kills: int
    """The kernel's count of kills for lack of memory when this process began."""
    log: int | None = None
    """Descriptor of the file to which its output is appended."""

    def __init__(
        self, name: str, process: subprocess.Popen[bytes], watched: Watched | None, user: int | None, *, wrapped: bool
    ) -> None:
        self.name, self.process, self.watched, self.user, self.wrapped = name, process, watched, user, wrapped
        self.kills = kills_for_memory()
        self.outputs: list[Output] = []

    def keep(self, data: bytes) -> None:
        """Append output to the log, unless the log has reached its size limit."""
        if self.log is not None:
            try:
                os.write(self.log, data[: max(0, LOGGED_BYTES - os.fstat(self.log).st_size)])
            except OSError:  # a full disk truncates the log, but fails no match
                self.close_log()

    def close_log(self) -> None:
        if self.log is not None:
            os.close(self.log)
            self.log = None

    @property
    def printed(self) -> str:
        """Return the end of its stdout, which is not part of a protocol."""
        return bytes(self.outputs[0].kept[-PRINTED_BYTES:]).decode(errors="replace")

    @property
    def last_output(self) -> str:
        """Return the end of its stdout, followed by the end of its stderr."""
        stdout, stderr = self.outputs
        if not stderr.kept:
            return bytes(stdout.kept).decode(errors="replace")
        printed = self.printed
        return printed + "\n" * (printed[-1:] not in ("", "\n")) + bytes(stderr.kept).decode(errors="replace")


def read_some(output: Output) -> int | None:
    """Read once; return the number of bytes, 0 at the end, or None if nothing is there.

    None occurs if the output was already read since the loop woke.
    """
    try:
        data = os.read(output.descriptor, READ_BYTES)
    except BlockingIOError:
        return None
    output.child.keep(data)
    output.kept += data
    if output.listen and b"\n" in output.kept:
        output.listen = False
        tell(event="said", name=output.child.name, line=output.kept.partition(b"\n")[0].decode(errors="replace"))
    del output.kept[:-KEPT_BYTES]
    output.total += len(data)
    return len(data)


def tell(**message: str | int) -> None:
    line = json.dumps(message).encode() + b"\n"
    while line:  # a signal may cut the write short
        line = line[os.write(sys.stdout.fileno(), line) :]


def how_ended(child: Child) -> str:
    if child.excess:
        return f"ended, for {child.excess}"
    returncode: int = child.process.returncode
    if child.wrapped and returncode > SIGNALLED:
        returncode = SIGNALLED - returncode
    if returncode >= 0:
        return f"exit status {returncode}"
    try:
        return f"killed by {signal.Signals(-returncode).name}"
    except ValueError:
        return f"killed by signal {-returncode}"
