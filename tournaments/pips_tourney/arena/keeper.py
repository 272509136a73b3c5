"""The keeper of an arena's processes: starts them, keeps their output, ends them all.

It runs alone in its own session and blocks on a pipe from the runner. However the
runner ends, that pipe closes. Then the keeper stops and kills every descendant.
Descendants that forked twice and called setsid are included, because the keeper is
their subreaper. It starts fast and can fork safely because it imports little of the
standard library.

Commands are lines of JSON on standard input:

- {"do": "start", "name", "command", "cwd", "env", "secret", "listen", "same_addresses",
  "limits", "as_another_user", "door", "wrapped", "home", "filtered", "texts", "opened",
  "log"}
- {"do": "stop", "name"}
- {"do": "show", "name"}
- {"do": "seat", "name", "by"}
- {"do": "group", "base"}

An argument of the command, or a value of the environment, that is `{fd}` becomes the
number of a descriptor. From it the child reads the secret as bytes; "secret" is in
hexadecimal. handover.py says how `texts` and the files `opened` are handed over. `log`
is a file to which the output is appended, or "". `same_addresses` turns address
randomisation off. `limits` are those of limits.py, or null. `by` is 1 if a process sits
down at a match and -1 if it leaves one. `base` is a control group: bots that start
later get groups below it. `wrapped` is true under bubblewrap, which reports the bot's
end as a shell does. `home` is a private folder to make for the process, or "".
`filtered` is whether its system calls are filtered (seccomp.py).

Events are lines of JSON on standard output:

- {"event": "started", "name", "pid", "group"}, with its control group, if any
- {"event": "said", "name", "line"}, for the first line of a process that is listened to
- {"event": "shown", "name", "output"}, with the end of its output
- {"event": "condemned", "name", "how", "output"}, before it is ended for exceeding a
  limit
- {"event": "ended", "name", "how", "output", "printed", "lack"}, after its end, or if
  it could not start

`lack` says what the machine had run out of at that time. It is empty if the process
exceeded its own limits.
"""

# No pathlib: importing it would take longer than most of the other imports.
# ruff: noqa: PTH118

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, Final

from pips_tourney.arena.children import READ_BYTES, SIGNALLED, Child, Output, how_ended, prctl, prepare, read_some, tell
from pips_tourney.sandbox.counting.groups import BotGroup, KeeperGroup
from pips_tourney.sandbox.counting.inspection import Inspector, Watched, end_strays
from pips_tourney.sandbox.counting.processes import (
    MARK,
    MARK_FILE,
    end_all,
    end_tree,
    next_ended,
    own_mark,
    signal_all,
    weigh_session,
)
from pips_tourney.sandbox.counting.shortage import cannot_fork, is_refusal, kills_for_memory, shortage, why_not_started
from pips_tourney.sandbox.handover import Handover, Users
from pips_tourney.sandbox.homes import make_home, remove_tree
from pips_tourney.sandbox.limits import WATCH_S, Allowance, Limits
from pips_tourney.sandbox.seccomp import seccomp_filter

PR_SET_CHILD_SUBREAPER: Final = 36
FREE_BYTES: Final = 1 << 20
"""A process that has printed more is read slowly, so that a flood delays no other."""
SLOW_S: Final = 0.05
KILLED: Final = (-signal.SIGKILL, SIGNALLED + signal.SIGKILL)


class Keeper:
    """The loop: reads commands, collects the children's output, reports their ends."""

    def __init__(self, folder: str, core: int) -> None:
        self._folder, self._core = folder, core
        self.group: KeeperGroup | None = None
        self._selector = selectors.DefaultSelector()
        self._children: dict[int, Child] = {}
        self._paused: list[tuple[float, Output]] = []
        self._unread = b""
        self._mark = own_mark()
        self._inspector = Inspector(os.getpid())
        self._look_at = 0.0
        self._users = Users()
        self._unweighed = {os.getpid()}

    def run(self) -> None:
        """Run until standard input ends."""
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
            self._unweighed = {pid for pid in self._unweighed if not weigh_session(pid)}

    def _patience_s(self) -> float | None:
        """Return how long the loop may sleep, in seconds; None for no limit."""
        if self._paused or self._unweighed:
            return SLOW_S
        return WATCH_S if any(child.watched is not None for child in self._children.values()) else None

    def _watch(self) -> None:
        """End what exceeds its limits, and what has left both parent and session."""
        watched = {pid: child.watched for pid, child in self._children.items() if child.watched is not None}
        now = time.monotonic()
        if not watched or now < self._look_at:
            return
        self._look_at = now + WATCH_S
        found, strays = self._inspector.look(watched, self._children, now)
        for pid, excess in found.items():
            child = self._children[pid]
            if not child.excess:
                child.excess = excess
                tell(event="condemned", name=child.name, how=how_ended(child), output=child.last_output)
                _end(child)
        signal_all(strays, signal.SIGKILL)
        if self.group is not None:
            self.group.sweep()

    def _take_commands(self) -> bool:
        data = os.read(sys.stdin.fileno(), READ_BYTES)
        *lines, self._unread = (self._unread + data).split(b"\n")
        for line in lines:
            command = json.loads(line)
            if command["do"] == "start":
                self._start(command)
            elif command["do"] == "group":
                self.group = KeeperGroup.begin(command["base"], self._mark, self._core)
            else:
                self._change(command)
        return bool(data)

    def _start(self, command: dict[str, Any]) -> None:
        name: str = command["name"]
        opened: list[int] = []
        log: int | None = None
        group: BotGroup | None = None
        user: int | None = None
        limits = None if command["limits"] is None else Limits(**command["limits"])
        try:
            outputs = [_pipe(opened), _pipe(opened)]
            if command.get("log"):
                log = os.open(command["log"], os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
                opened.append(log)
            user = self._users.take() if command["as_another_user"] else None
            if user is not None and command.get("door"):  # the socket belongs to this process; no other bot may use it
                os.chown(command["door"], user, -1)
            if self.group is not None and limits is not None:
                group = self.group.new(limits.memory_mb, limits.threads)
            if home := command.get("home", ""):
                make_home(home, user)
            process = self._launch(command, limits, group, user, outputs[0][1], outputs[1][1])
        except (OSError, subprocess.SubprocessError, ValueError) as error:
            self._give_up(command, error, opened, group, user)
            return
        for descriptor in (outputs[0][1], outputs[1][1]):
            os.close(descriptor)
        self._unweighed.add(process.pid)
        seen_by = None if command["wrapped"] else user
        watched = None if limits is None else Watched(Allowance(limits), group, seen_by, home)
        child = self._children[process.pid] = Child(name, process, watched, user, wrapped=command["wrapped"])
        child.log = log
        for number, (descriptor, _) in enumerate(outputs):
            os.set_blocking(descriptor, False)
            output = Output(descriptor, child, listen=number == 0 and command["listen"])
            child.outputs.append(output)
            self._selector.register(descriptor, selectors.EVENT_READ, self._reader(output))
        tell(event="started", name=name, pid=process.pid, group="" if group is None else group.path)

    def _give_up(
        self, command: dict[str, Any], error: Exception, opened: list[int], group: BotGroup | None, user: int | None
    ) -> None:
        """Take back what a process was to get, and report why it could not start."""
        for descriptor in opened:
            os.close(descriptor)
        if group is not None and self.group is not None:
            self.group.end(group)
        remove_tree(command.get("home", ""))
        self._users.free(user)
        # A failure before the bot's own program runs is not the bot's fault.
        refused = is_refusal(error) or isinstance(error, subprocess.SubprocessError)
        lack = (shortage((self._folder,)) or str(error)) if refused else ""
        why = why_not_started(error, command["command"][0], command["cwd"], command["env"])
        tell(event="ended", name=command["name"], how=f"could not be started: {why}", output="", printed="", lack=lack)

    def _launch(
        self, command: dict[str, Any], limits: Limits | None, group: BotGroup | None, user: int | None,
        stdout: int, stderr: int,
    ) -> subprocess.Popen[bytes]:  # fmt: skip
        wrapped, home = command["wrapped"], bool(command.get("home"))
        with Handover(bytes.fromhex(command["secret"]), user) as given:
            given.open_files(command.get("opened", {}))
            filtered = seccomp_filter(alone=home) if command.get("filtered", False) else None
            if filtered is not None and (wrapped or home):  # the wrapper, or the last step, enforces it
                given.write_bytes("seccomp", filtered)
                filtered = None
            given.write_texts(command.get("texts", {}))
            kept = partial(prepare, limits, group, user, filtered, wrapped=wrapped, copies=wrapped or home)
            return subprocess.Popen(
                given.fill_all(command["command"]), cwd=command["cwd"],
                stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr,
                env={key: given.fill(value) for key, value in command["env"].items()} | {MARK: self._mark},
                pass_fds=given.descriptors, start_new_session=True,
                preexec_fn=partial(kept, same_addresses=command.get("same_addresses", False)),  # noqa: PLW1509 - no threads here
            )  # fmt: skip

    def _change(self, command: dict[str, Any]) -> None:
        """Stop a living process, seat it, or show its output."""
        for child in [child for child in self._children.values() if child.name == command["name"]]:
            if command["do"] == "stop":
                child.is_stopped = True
                os.killpg(child.process.pid, signal.SIGKILL)
            elif command["do"] == "show":
                for output in child.outputs:
                    if not output.closed and output.total < FREE_BYTES:
                        read_some(output)
                tell(event="shown", name=child.name, output=child.last_output)
            elif child.watched is not None:
                child.watched.allowance.sit(command["by"])

    def _reader(self, output: Output) -> Callable[[], bool]:
        def read() -> bool:
            if read_some(output) == 0:
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
        """Reap all that has ended: children, and orphans (this is the subreaper)."""
        while (ended := next_ended()) is not None:
            child = self._children.pop(ended, None)
            if child is not None:
                _kill_group(ended)  # before reaping, while the number is still its own
            _, status = os.waitpid(ended, 0)
            if child is not None:
                child.process.returncode = os.waitstatus_to_exitcode(status)
                for output in child.outputs:
                    while not output.closed and output.total < FREE_BYTES and read_some(output):
                        pass
                    self._close(output)
                child.close_log()
                lack = self._settle(child)
                tell(
                    event="ended", name=child.name, how=how_ended(child), output=child.last_output,
                    printed=child.printed, lack=lack,
                )  # fmt: skip

    def _settle(self, child: Child) -> str:
        """Remove what a child left; return what the machine lacked if that ended it."""
        watched = child.watched
        if watched is None:
            return ""
        if watched.group is not None and self.group is not None:
            if watched.group.was_out_of_memory() and not child.excess:
                most = watched.allowance.limits.memory_mb
                child.excess = f"it took {max(watched.group.peak_mb(), most)} MB of memory and may take {most}"
            self.group.end(watched.group)
        end_strays(os.getpid(), self._children)  # so that none of its processes run when its end is reported
        if watched.home:
            remove_tree(watched.home)
        self._users.free(child.user)
        if child.excess or child.is_stopped or not child.process.returncode:
            return ""
        if child.process.returncode in KILLED and kills_for_memory() > child.kills:
            return "the kernel ended it for want of memory"
        return shortage((self._folder,)) or cannot_fork()


def _pipe(opened: list[int]) -> tuple[int, int]:
    """Return a new pipe and add both ends to `opened`."""
    ends = os.pipe()
    opened += ends
    return ends


def _end(child: Child) -> None:
    """End a child with everything that it started; `_reap` reaps it later."""
    if child.watched is not None and child.watched.group is not None:
        child.watched.group.kill()
    else:
        end_tree(child.process.pid)


def _kill_group(leader: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)


def main() -> None:
    """Run a keeper until standard input ends or SIGTERM comes.

    Arguments: the arena's folder, which is removed at the end, and the core to run on.
    """
    folder, core = sys.argv[1:]
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    os.sched_setaffinity(0, {int(core)})
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    keeper = Keeper(folder, int(core))
    try:
        with open(os.path.join(folder, MARK_FILE), "w", encoding="ascii") as file:  # noqa: PTH123 - the same
            file.write(own_mark())
        with suppress(BrokenPipeError):  # the runner is gone: the same as the end of standard input
            keeper.run()
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if keeper.group is not None:
            keeper.group.close()
        end_all()
        if keeper.group is not None:
            keeper.group.close()
        remove_tree(folder)
