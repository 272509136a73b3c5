"""The keeper of one arena's processes: starts them when told, keeps the end of what they print, ends them all at last.

It runs alone in its own session and blocks on a pipe that the runner holds. When that pipe closes, however the runner
ended, every descendant is stopped and killed, also those that forked twice and called setsid: the keeper is their
subreaper. It must start fast and can fork safely because it imports nothing but a little of the standard library.

Lines of JSON on standard input: {"do": "start", "name", "command", "cwd", "env", "secret", "listen"},
{"do": "stop", "name"}, {"do": "show", "name"}. A word of the command or a value of the environment that is `{fd}`
becomes the number of the descriptor from which the child reads the secret (hexadecimal here, bytes there).
Lines of JSON on standard output: {"event": "started", "name", "pid"}; {"event": "said", "name", "line"} for the first
line of one that is listened to; {"event": "shown", "name", "output"} with the end of what one has printed; {"event":
"ended", "name", "how", "output", "printed"} when one has ended or could not start.
"""

# No pathlib: it would take longer to import than most of the rest.
# ruff: noqa: PTH106, PTH114, PTH118, PTH123, PTH208

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

PR_SET_PDEATHSIG: Final = 1
PR_SET_CHILD_SUBREAPER: Final = 36
KEPT_BYTES: Final = 1 << 16
"""How much of the end of a process's output is kept."""
PRINTED_BYTES: Final = 1 << 10
READ_BYTES: Final = 1 << 16
FREE_BYTES: Final = 1 << 20
"""A process that has printed more than this is read slowly, so that a flood costs the others nothing."""
SLOW_S: Final = 0.05

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
            for key, _ in self._selector.select(SLOW_S if self._paused else None):
                going = key.data() and going
            self._reap()
            self._resume_slow_reading()

    def _take_commands(self) -> bool:
        data = os.read(sys.stdin.fileno(), READ_BYTES)
        *lines, self._unread = (self._unread + data).split(b"\n")
        for line in lines:
            command = json.loads(line)
            if command["do"] == "start":
                self._start(command)
            elif command["do"] == "show":
                self._show(command["name"])
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

        pipes = [os.pipe(), os.pipe()]
        try:
            process = subprocess.Popen(
                [fill(word) for word in command["command"]],
                cwd=command["cwd"],
                env={key: fill(value) for key, value in command["env"].items()},
                stdin=subprocess.DEVNULL,
                stdout=pipes[0][1],
                stderr=pipes[1][1],
                pass_fds=(secret_read,),
                start_new_session=True,
                preexec_fn=_die_with_keeper,  # noqa: PLW1509 - there are no threads here
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
        child = self._children[process.pid] = Child(name, process)
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
        while (ended := _next_ended()) is not None:
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
                how = _how(child.process.returncode)
                _tell(event="ended", name=child.name, how=how, output=child.last_output, printed=child.printed)


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
    os.write(sys.stdout.fileno(), json.dumps(message).encode() + b"\n")


def _how(returncode: int) -> str:
    if returncode >= 0:
        return f"exit status {returncode}"
    try:
        return f"killed by {signal.Signals(-returncode).name}"
    except ValueError:
        return f"killed by signal {-returncode}"


def _next_ended() -> int | None:
    """The next ended child, not yet reaped."""
    try:
        ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return None
    return None if ended is None else ended.si_pid


def _kill_group(leader: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)


def _die_with_keeper() -> None:
    _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def descendants(root: int) -> set[int]:
    """All living processes below `root`."""
    parents: dict[int, int] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/stat", "rb") as stat:
                    state, parent, *_ = stat.read().rpartition(b")")[2].split()
            except OSError:
                continue
            if state not in b"ZX" or _has_living_threads(entry):
                parents[int(entry)] = int(parent)
    below = {root}
    while more := {pid for pid, parent in parents.items() if parent in below and pid not in below}:
        below |= more
    return below - {root}


def _has_living_threads(pid: str) -> bool:
    """A process whose first thread has ended looks dead while others go on."""
    try:
        return len(os.listdir(f"/proc/{pid}/task")) > 1
    except OSError:
        return False


def end_all() -> None:
    """Stop every descendant, then kill it: what forks faster than it is killed is stopped first."""
    while True:
        stopped: set[int] = set()
        while found := descendants(os.getpid()) - stopped:
            _signal_all(found, signal.SIGSTOP)
            stopped |= found
        _signal_all(stopped, signal.SIGKILL)
        while (ended := _next_ended()) is not None:
            os.waitpid(ended, 0)
        if not stopped:
            return
        time.sleep(0.005)


def _signal_all(pids: set[int], number: signal.Signals) -> None:
    for pid in pids:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


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
        with suppress(BrokenPipeError):  # the runner is gone: the same as the end of standard input
            Keeper().run()
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        end_all()
        _remove_tree(folder)


if __name__ == "__main__":
    main()
