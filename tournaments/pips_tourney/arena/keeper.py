"""The keeper of one arena's processes: starts them when told, keeps the end of what they print, ends them all at last.

It runs alone in its own session and blocks on a pipe that the runner holds. When that pipe closes, however the runner
ended, every descendant is stopped and killed, also those that forked twice and called setsid: the keeper is their
subreaper. It must start fast and can fork safely because it imports nothing but a little of the standard library.

Lines of JSON on standard input: {"do": "start", "name", "command", "cwd", "env", "secret", "listen", "limits",
"as_another_user", "wrapped"}, {"do": "stop", "name"}, {"do": "show", "name"}, {"do": "seat", "name", "by"}. A word of
the command or a value of the environment that is `{fd}` becomes the number of the descriptor from which the child reads
the secret (hexadecimal here, bytes there). Limits are those of limits.py, or null; `by` is 1 when a process sits down
at a match and -1 when it leaves one; `wrapped` is for a command that reports the bot's end as a shell does.
Lines of JSON on standard output: {"event": "started", "name", "pid"}; {"event": "said", "name", "line"} for the first
line of one that is listened to; {"event": "shown", "name", "output"} with the end of what one has printed; {"event":
"ended", "name", "how", "output", "printed"} when one has ended or could not start.
"""

# No pathlib: it would take longer to import than most of the rest.
# ruff: noqa: PTH106, PTH114, PTH118, PTH120

from __future__ import annotations

import ctypes
import json
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

if not __package__:  # run as a file, with nothing but the standard library to be imported from
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(__file__))))
from pips_tourney.sandbox.limits import WATCH_S, Allowance, Limits, limits_of, restrict_self
from pips_tourney.sandbox.processes import (
    MARK,
    MARK_FILE,
    Census,
    end_all,
    end_tree,
    next_ended,
    own_mark,
    signal_all,
)

PR_SET_PDEATHSIG: Final = 1
PR_SET_CHILD_SUBREAPER: Final = 36
KEPT_BYTES: Final = 1 << 16
"""How much of the end of a process's output is kept."""
PRINTED_BYTES: Final = 1 << 10
READ_BYTES: Final = 1 << 16
FREE_BYTES: Final = 1 << 20
"""A process that has printed more than this is read slowly, so that a flood costs the others nothing."""
SLOW_S: Final = 0.05
SIGNALLED: Final = 128
"""Shells, and bubblewrap, report a process that was killed by a signal with this and its number."""

_prctl = ctypes.CDLL(None, use_errno=True).prctl


@dataclass(eq=False, slots=True)
class Output:
    """One of a process's two output pipes and the end of what came through it."""

    descriptor: int
    child: Child
    listen: bool
    kept: bytearray = field(default_factory=bytearray)
    total: int = 0
    closed: bool = False


@dataclass(eq=False, slots=True)
class Child:
    """A process that was started here."""

    name: str
    process: subprocess.Popen[bytes]
    allowance: Allowance | None = None
    wrapped: bool = False
    excess: str = ""
    """What it took too much of, for which it was ended."""
    outputs: list[Output] = field(default_factory=list)

    @property
    def printed(self) -> str:
        """The end of its stdout, which belongs to no protocol: what it prints there nobody reads."""
        return bytes(self.outputs[0].kept[-PRINTED_BYTES:]).decode(errors="replace")

    @property
    def last_output(self) -> str:
        """The end of its stderr, or of its stdout when it printed no errors."""
        stdout, stderr = self.outputs
        return (bytes(stderr.kept) or bytes(stdout.kept)).decode(errors="replace")


class Keeper:
    """The loop: commands in, children's output and ends out."""

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()
        self._children: dict[int, Child] = {}
        self._paused: list[tuple[float, Output]] = []
        self._unread = b""
        self._mark = own_mark()
        self._census = Census(os.getpid())
        self._look_at = 0.0

    def run(self) -> None:
        """Until standard input ends."""
        wake_read, wake_write = os.pipe()
        for descriptor in (wake_read, wake_write, sys.stdin.fileno()):
            os.set_blocking(descriptor, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
        self._selector.register(sys.stdin.fileno(), selectors.EVENT_READ, self._take_commands)
        self._selector.register(wake_read, selectors.EVENT_READ, lambda: bool(os.read(wake_read, 4096)))
        going = True
        while going:
            for key, _ in self._selector.select(self._patience_s()):
                going = key.data() and going
            self._reap()
            self._resume_slow_reading()
            self._watch()

    def _patience_s(self) -> float | None:
        """How long there may be nothing to do."""
        if self._paused:
            return SLOW_S
        return WATCH_S if any(child.allowance is not None for child in self._children.values()) else None

    def _watch(self) -> None:
        """End what takes more than it may, and whoever has left both parent and session to be counted nowhere."""
        limited = {pid: child for pid, child in self._children.items() if child.allowance is not None}
        now = time.monotonic()
        if not limited or now < self._look_at:
            return
        self._look_at = now + WATCH_S
        trees, strays = self._census.take(self._children)
        for pid, child in limited.items():
            assert child.allowance is not None
            if not child.excess and (excess := child.allowance.excess(trees[pid])):
                child.excess = excess
                _tell(event="condemned", name=child.name, how=_how(child), output=child.last_output)
                end_tree(pid)
        signal_all([stray.pid for stray in strays], signal.SIGKILL)

    def _take_commands(self) -> bool:
        data = os.read(sys.stdin.fileno(), READ_BYTES)
        *lines, self._unread = (self._unread + data).split(b"\n")
        for line in lines:
            command = json.loads(line)
            if command["do"] == "start":
                self._start(command)
            elif command["do"] == "show":
                self._show(command["name"])
            elif command["do"] == "seat":
                self._seat(command["name"], command["by"])
            else:
                self._stop(command["name"])
        return bool(data)

    def _start(self, command: dict[str, Any]) -> None:
        name: str = command["name"]
        secret_read, secret_write = os.pipe()
        os.write(secret_write, bytes.fromhex(command["secret"]))
        os.close(secret_write)

        def fill(word: str) -> str:
            return str(secret_read) if word == "{fd}" else word

        limits = limits_of(command["limits"])
        pipes = [os.pipe(), os.pipe()]
        try:
            process = subprocess.Popen(
                [fill(word) for word in command["command"]],
                cwd=command["cwd"],
                env={key: fill(value) for key, value in command["env"].items()} | {MARK: self._mark},
                stdin=subprocess.DEVNULL,
                stdout=pipes[0][1],
                stderr=pipes[1][1],
                pass_fds=(secret_read,),
                start_new_session=True,
                preexec_fn=lambda: _prepare(limits, command["as_another_user"]),  # noqa: PLW1509 - no threads here
            )
        except (OSError, subprocess.SubprocessError, ValueError) as error:
            for pipe in pipes:
                os.close(pipe[0])
            _tell(event="ended", name=name, how=f"could not be started: {error}", output="", printed="")
            return
        finally:
            os.close(secret_read)
            for pipe in pipes:
                os.close(pipe[1])
        child = self._children[process.pid] = Child(
            name, process, None if limits is None else Allowance(limits), command["wrapped"]
        )
        for number, (descriptor, _) in enumerate(pipes):
            os.set_blocking(descriptor, False)
            output = Output(descriptor, child, listen=number == 0 and command["listen"])
            child.outputs.append(output)
            self._selector.register(descriptor, selectors.EVENT_READ, self._reader(output))
        _tell(event="started", name=name, pid=process.pid)

    def _stop(self, name: str) -> None:
        for child in self._children.values():
            if child.name == name:
                os.killpg(child.process.pid, signal.SIGKILL)

    def _seat(self, name: str, by: int) -> None:
        for child in self._children.values():
            if child.name == name and child.allowance is not None:
                child.allowance.sit(by)

    def _show(self, name: str) -> None:
        for child in self._children.values():
            if child.name == name:
                for output in child.outputs:
                    if not output.closed and output.total < FREE_BYTES:
                        _read_some(output)
                _tell(event="shown", name=name, output=child.last_output)

    def _reader(self, output: Output) -> Callable[[], bool]:
        def read() -> bool:
            if _read_some(output) == 0:
                self._close(output)
            elif output.total > FREE_BYTES:
                self._selector.unregister(output.descriptor)
                self._paused.append((time.monotonic() + SLOW_S, output))
            return True

        return read

    def _resume_slow_reading(self) -> None:
        now = time.monotonic()
        due = [output for at, output in self._paused if at <= now]
        self._paused = [(at, output) for at, output in self._paused if at > now]
        for output in due:
            self._selector.register(output.descriptor, selectors.EVENT_READ, self._reader(output))

    def _close(self, output: Output) -> None:
        if not output.closed:
            output.closed = True
            self._paused = [(at, paused) for at, paused in self._paused if paused is not output]
            if output.descriptor in self._selector.get_map():
                self._selector.unregister(output.descriptor)
            os.close(output.descriptor)

    def _reap(self) -> None:
        """Everything that has ended: children, and orphans that came here because this is the subreaper."""
        while (ended := next_ended()) is not None:
            child = self._children.pop(ended, None)
            if child is not None:
                _kill_group(ended)  # before it is reaped, so that the number still is its own
            _, status = os.waitpid(ended, 0)
            if child is not None:
                child.process.returncode = os.waitstatus_to_exitcode(status)
                for output in child.outputs:
                    while not output.closed and output.total < FREE_BYTES and _read_some(output):
                        pass
                    self._close(output)
                _tell(event="ended", name=child.name, how=_how(child), output=child.last_output, printed=child.printed)


def _read_some(output: Output) -> int | None:
    """Read once: how many bytes, 0 at the end, None when there is nothing now: it was read since the loop woke."""
    try:
        data = os.read(output.descriptor, READ_BYTES)
    except BlockingIOError:
        return None
    output.kept += data
    if output.listen and b"\n" in output.kept:
        output.listen = False
        _tell(event="said", name=output.child.name, line=output.kept.partition(b"\n")[0].decode(errors="replace"))
    del output.kept[:-KEPT_BYTES]
    output.total += len(data)
    return len(data)


def _tell(**message: str | int) -> None:
    line = json.dumps(message).encode() + b"\n"
    while line:  # a signal may cut it short
        line = line[os.write(sys.stdout.fileno(), line) :]


def _prepare(limits: Limits | None, as_another_user: bool) -> None:
    """In the child: a change of user would take back that it dies with the keeper.

    An arena's processes take turns on one core. As batch work one that is woken waits until the other has done what it
    has to do, and the core changes hands once a message: a match takes a tenth less.
    """
    with suppress(OSError):  # where it is forbidden all is as it would be without
        os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
    if limits is not None:
        restrict_self(limits, as_another_user=as_another_user)
    _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def _how(child: Child) -> str:
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


def _kill_group(leader: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)


def _remove_tree(folder: str) -> None:
    """Remove the folder; what a bot has put there so that it cannot be removed stays."""
    for place, folders, files in os.walk(folder, topdown=False):
        for name in [*files, *folders]:
            path = os.path.join(place, name)
            with suppress(OSError):
                (os.rmdir if name in folders and not os.path.islink(path) else os.unlink)(path)
    with suppress(OSError):
        os.rmdir(folder)


def main() -> None:
    """Arguments: the arena's folder, removed at last, and the core to stay on. Ends with standard input or SIGTERM."""
    folder, core = sys.argv[1:]
    _prctl(PR_SET_CHILD_SUBREAPER, 1)
    os.sched_setaffinity(0, {int(core)})
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        with open(os.path.join(folder, MARK_FILE), "w", encoding="ascii") as file:  # noqa: PTH123 - the same
            file.write(own_mark())
        with suppress(BrokenPipeError):  # the runner is gone: the same as the end of standard input
            Keeper().run()
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        end_all()
        _remove_tree(folder)


if __name__ == "__main__":
    main()
