"""The keeper: starts, listens, reports how things end, and leaves nothing behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from pips_tourney.sandbox.limits import FIRST_USER, GROUP, Limits
from pips_tourney.sandbox.seccomp import CALLS as FILTERED
from pips_tourney.sandbox.seccomp import MACHINES
from tests.needs import needs
from tests.patience import PATIENCE_S

CHANGED = """
import subprocess
def refuse(*_, **__):
    raise OSError({refusing}, __import__("os").strerror({refusing}))
if {refusing}:
    subprocess.Popen = refuse
if {short!r}:
    keeper.shortage = lambda *_: {short!r}
"""


class Keeper:
    """A keeper process and the two ends of its pipes."""

    def __init__(self, folder: Path, *, refusing: int = 0, short: str = "", group: str = "") -> None:
        """Start a keeper.

        `refusing` is its system's answer to a start. `short` is what its machine lacks.
        `group` is where it makes control groups.
        """
        self.folder = folder
        folder.mkdir()
        core = min(os.sched_getaffinity(0))
        change = CHANGED.format(refusing=refusing, short=short) if refusing or short else "pass"
        code = f"from pips_tourney.arena import keeper\n{change}\nkeeper.main()"
        self.process = subprocess.Popen(
            [sys.executable, "-c", code, str(folder), str(core)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )

    def start(
        self,
        name: str,
        code: str,
        *words: str,
        secret: bytes = b"",
        listen: bool = False,
        limits: Limits | None = None,
        filtered: bool = False,
        log: str = "",
        same_addresses: bool = False,
        **env: str,
    ) -> int:
        """Start Python code; return its process id."""
        self.tell(
            do="start", name=name, command=[sys.executable, "-c", code, *(words or ["{fd}"])], cwd="/",
            env={**os.environ, **env}, secret=secret.hex(), listen=listen, limits=limits and limits._asdict(),
            as_another_user=False, wrapped=False, filtered=filtered, log=log, same_addresses=same_addresses,
        )  # fmt: skip
        event = self.hear()
        assert (event["event"], event["name"]) == ("started", name)
        return int(event["pid"])

    def tell(self, **command: object) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(command).encode() + b"\n")
        self.process.stdin.flush()

    def hear(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        event: dict[str, Any] = json.loads(self.process.stdout.readline())
        return event

    @staticmethod
    def ended(name: str, how: str) -> dict[str, Any]:
        """Return its report of a process that has ended and printed nothing."""
        return {"event": "ended", "name": name, "how": how, "output": "", "printed": "", "lack": ""}

    def close(self) -> None:
        """Close its standard input and wait for its end."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait(PATIENCE_S)
        self.process.stdout.close()


@pytest.fixture
def keeper(tmp_path: Path) -> Iterator[Keeper]:
    keeper = Keeper(tmp_path / "arena")
    yield keeper
    keeper.close()


def wait_until(holds: Callable[[], bool], what: str) -> None:
    """Wait until it holds: real processes end in real time."""
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < deadline, what
        time.sleep(0.01)


@pytest.mark.skipif(not Path("/proc/self/autogroup").exists(), reason="the kernel divides no core among sessions")
def test_a_session_weighs_what_its_keeper_s_niceness_says(keeper: Keeper) -> None:
    """Else a night that steps back does so before nobody: its bots are sessions."""
    os.setpriority(os.PRIO_PROCESS, keeper.process.pid, 7)
    pid = keeper.start("bot", "import time; time.sleep(60)")
    session = Path(f"/proc/{pid}/autogroup")
    wait_until(lambda: session.read_text(encoding="ascii").split()[1:] == ["nice", "7"], "it weighs as others do")


def marked(mark: str) -> list[int]:
    """Return the living processes with this mark in their environment."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.status() != psutil.STATUS_ZOMBIE and process.environ().get("MARK") == mark:
                found.append(process.pid)
        except psutil.Error:
            continue
    return found


def test_all_that_it_prints_is_appended_to_its_log(keeper: Keeper, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_text("before\n", encoding="utf-8")
    code = "import sys; print('out ' * 40_000); print('oh no', file=sys.stderr)"
    for _ in range(2):
        keeper.start("a", code, log=str(log))
        keeper.hear()
    text = log.read_text(encoding="utf-8")
    assert text.startswith("before\n")
    assert (text.count("out"), text.count("oh no\n")) == (80_000, 2), "not the end of it alone"


def test_a_log_that_cannot_be_written_is_named(keeper: Keeper, tmp_path: Path) -> None:
    keeper.tell(do="start", name="a", command=["true"], cwd="/", env={}, secret="", listen=False, limits=None,
                as_another_user=False, wrapped=False, filtered=False, log=str(tmp_path / "gone" / "a.log"))  # fmt: skip
    event = keeper.hear()
    assert event["event"] == "ended"
    assert event["how"].startswith("could not be started: [Errno 2] No such file or directory: ")


def test_a_full_disk_costs_the_log_alone(keeper: Keeper) -> None:
    keeper.start("a", "print('hm')", log="/dev/full")
    assert keeper.hear()["output"] == "hm\n"


def test_an_exit_is_told_with_its_status_and_last_words(keeper: Keeper) -> None:
    keeper.start("a", "import sys; print('out'); print('oh no', file=sys.stderr); sys.exit(3)")
    assert keeper.hear() == {
        "event": "ended",
        "name": "a",
        "how": "exit status 3",
        "output": "out\noh no\n",
        "printed": "out\n",
        "lack": "",
    }
    keeper.start("b", "print('only out')")
    assert keeper.hear() == {
        "event": "ended",
        "name": "b",
        "how": "exit status 0",
        "output": "only out\n",
        "printed": "only out\n",
        "lack": "",
    }
    keeper.start("c", "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)")
    assert keeper.hear()["how"] == "killed by SIGSEGV"
    keeper.start("d", "import os; os.kill(os.getpid(), 40)")
    assert keeper.hear()["how"] == "killed by signal 40"


@pytest.mark.parametrize(
    ("command", "cwd", "why"),
    [
        (["./nowhere"], "/", "there is no ./nowhere"),
        (["nonesuch"], "/", "nonesuch is not installed"),
        (["/etc/passwd"], "/", "/etc/passwd has no execute bit: chmod +x /etc/passwd"),
        (["true"], "/nowhere", "No such file or directory: '/nowhere'"),
        (["tr\0ue"], "/", "embedded null byte"),
    ],
)
def test_what_cannot_start_is_told(keeper: Keeper, command: list[str], cwd: str, why: str) -> None:
    keeper.tell(
        do="start", name="a", command=command, cwd=cwd, env={}, secret="", listen=False, limits=None,
        as_another_user=False, wrapped=False,
    )  # fmt: skip
    event = keeper.hear()
    assert (event["event"], event["name"], event["output"]) == ("ended", "a", "")
    assert event["how"].startswith("could not be started: ")
    assert why in event["how"]


def test_a_script_with_the_line_ends_of_windows_is_told_so(keeper: Keeper, tmp_path: Path) -> None:
    script = tmp_path / "go"
    script.write_bytes(b"#!/bin/sh\r\necho hi\r\n")
    script.chmod(0o755)
    keeper.tell(
        do="start", name="a", command=["./go"], cwd=str(tmp_path), env={}, secret="", listen=False, limits=None,
        as_another_user=False, wrapped=False,
    )  # fmt: skip
    assert "the lines of ./go end as on Windows" in keeper.hear()["how"]


def test_the_secret_comes_through_the_descriptor_that_arguments_and_environment_name(keeper: Keeper) -> None:
    code = (
        "import os, sys; assert sys.argv[1] == os.environ['FD']; print(os.read(int(sys.argv[1]), 99).hex(), flush=True)"
    )
    keeper.start("a", code, secret=b"\x01\x02", listen=True, FD="{fd}")
    assert keeper.hear() == {"event": "said", "name": "a", "line": "0102"}
    assert keeper.hear()["event"] == "ended"


def test_children_inherit_nothing_else_and_stay_on_the_core(keeper: Keeper) -> None:
    code = (
        "import os; print(len(os.listdir('/proc/self/fd')), len(os.sched_getaffinity(0)), os.getsid(0) == os.getpid())"
    )
    keeper.start("a", code)
    assert keeper.hear()["output"] == "5 1 True\n"  # 0, 1, 2, the secret, and the listed folder


def test_children_take_turns(keeper: Keeper) -> None:
    keeper.start("a", "import os; print(os.sched_getscheduler(0) == os.SCHED_BATCH)")
    assert keeper.hear()["output"] == "True\n"


ASK = "import ctypes; kind = ctypes.CDLL(None).personality; {}; print(kind(0xFFFFFFFF) & 0x40000)"


@pytest.mark.parametrize(("same_addresses", "first"), [(False, "0"), (True, "kind(0x40000)")])
def test_addresses_are_as_usual_or_the_same_where_that_may_be_asked_for(
    keeper: Keeper, same_addresses: bool, first: str
) -> None:
    keeper.start("a", ASK.format("0"), same_addresses=same_addresses)
    asked = subprocess.run([sys.executable, "-c", ASK.format(first)], stdout=subprocess.PIPE, text=True, check=True)
    assert keeper.hear()["output"] == asked.stdout


def test_only_the_end_of_a_flood_is_kept_and_others_are_served_meanwhile(keeper: Keeper) -> None:
    flood = "import os\nwhile True: os.write(2, b'x' * 65535 + b'\\n')"
    keeper.start("flood", flood)
    for _ in range(3):
        keeper.start("other", "print('hi')")
        assert keeper.hear()["output"] == "hi\n"
    assert psutil.Process(keeper.process.pid).memory_info().rss < 60e6
    keeper.tell(do="stop", name="flood")
    event = keeper.hear()
    assert event["how"] == "killed by SIGKILL"
    assert 1000 < len(event["output"]) <= 65536


def test_asking_what_a_process_has_printed_never_closes_its_pipes(keeper: Keeper) -> None:
    """The loop may still get a wake-up for a pipe that showing has already read.

    Nothing to read is not the pipe's end.
    """
    keeper.start("talks", "import sys\nfor n in range(20_000): print(n, file=sys.stderr, flush=True)")
    shown = 0
    keeper.tell(do="show", name="talks")
    while (event := keeper.hear())["event"] == "shown":
        shown += 1
        keeper.tell(do="show", name="talks")
    assert (event["event"], event["how"]) == ("ended", "exit status 0")
    assert event["output"].endswith("19999\n")
    assert shown > 0  # how many there were depends on the machine's load


def test_a_stopped_process_takes_its_group_with_it(keeper: Keeper, tmp_path: Path) -> None:
    code = "import subprocess; child = subprocess.Popen(['sleep', '600']); print('ready', flush=True); child.wait()"
    keeper.start("a", code, listen=True, MARK=str(tmp_path))
    assert keeper.hear()["event"] == "said"
    wait_until(lambda: len(marked(str(tmp_path))) == 2, "the child of the child did not come up")
    keeper.tell(do="stop", name="a")
    assert keeper.hear()["how"] == "killed by SIGKILL"
    wait_until(lambda: marked(str(tmp_path)) == [], "the group lives on")


DAEMON = """
import os, signal, time
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.closerange(0, 99)
        time.sleep(600)
    os._exit(0)
print("ready", flush=True)
time.sleep(600)
"""
BOMB = """
import os, time
while len(os.listdir("/proc")) < int(os.environ["MOST"]):
    if os.fork() == 0 and os.getpid() % 3 == 0:
        os.setsid()
time.sleep(600)
"""


@pytest.mark.parametrize("how", ["its pipe closes", "SIGTERM"])
def test_nothing_is_left_even_of_daemons(keeper: Keeper, tmp_path: Path, how: str) -> None:
    for name in "ab":
        keeper.start(name, DAEMON, listen=True, MARK=str(tmp_path))
        assert keeper.hear()["event"] == "said"
    wait_until(lambda: len(marked(str(tmp_path))) == 4, "the daemons did not come up")
    (keeper.folder / "sub").mkdir()
    (keeper.folder / "sub" / "socket").touch()
    (keeper.folder / "link").symlink_to(tmp_path)
    if how == "SIGTERM":
        keeper.process.send_signal(signal.SIGTERM)
        keeper.process.wait(PATIENCE_S)
    else:
        keeper.close()
    assert marked(str(tmp_path)) == []
    assert not keeper.folder.exists()
    assert tmp_path.exists()


HEADLESS = """
import ctypes, threading
libc = ctypes.CDLL(None)
threading.Thread(target=libc.sleep, args=(600,)).start()
print("ready", flush=True)
libc.pthread_exit(None)
"""


def test_a_process_without_its_first_thread_ends_too(keeper: Keeper) -> None:
    pid = keeper.start("a", HEADLESS, listen=True)
    assert keeper.hear()["event"] == "said"
    wait_until(lambda: psutil.Process(pid).status() == psutil.STATUS_ZOMBIE, "its first thread lives on")
    keeper.close()
    assert not psutil.pid_exists(pid)


def test_a_fork_bomb_ends_too(keeper: Keeper, tmp_path: Path) -> None:
    most = sum(1 for _ in Path("/proc").iterdir()) + 100
    keeper.start("bomb", BOMB, MARK=str(tmp_path), MOST=str(most))
    wait_until(lambda: len(marked(str(tmp_path))) > 30, "the bomb did not go off")
    keeper.close()
    assert marked(str(tmp_path)) == []


def test_what_a_killed_keeper_had_started_dies_with_it(keeper: Keeper, tmp_path: Path) -> None:
    keeper.start("a", "print('ready', flush=True); import time; time.sleep(600)", listen=True, MARK=str(tmp_path))
    assert keeper.hear()["event"] == "said"
    keeper.process.kill()
    wait_until(lambda: marked(str(tmp_path)) == [], "the child lives on")


FORKS = "import os, time\nfor _ in range(4):\n    if os.fork() == 0: time.sleep(600)\ntime.sleep(600)"
"""A process and four more: at any look the first count above four is the last."""


@pytest.mark.parametrize(
    ("code", "limits", "how"),
    [
        (
            "x = b'x' * 200_000_000; import time; time.sleep(600)",
            Limits(memory_mb=100),
            "MB of memory and may take 100",
        ),
        (FORKS, Limits(processes=4), "it had 5 processes and may have 4"),
        ("while True: pass", Limits(cpu_s=1), "s and may for 1 s a match"),
    ],
    ids=["memory", "processes", "time"],
)
def test_what_takes_more_than_it_may_is_ended(
    keeper: Keeper, tmp_path: Path, code: str, limits: Limits, how: str
) -> None:
    keeper.start("a", code, limits=limits, MARK=str(tmp_path))
    condemned, ended = keeper.hear(), keeper.hear()  # reported first: a stream that is lost then has its reason
    assert (condemned["event"], ended["event"]) == ("condemned", "ended")
    assert ended["how"] == condemned["how"]
    assert ended["how"].startswith("ended, for it ") and how in ended["how"]
    wait_until(lambda: marked(str(tmp_path)) == [], "something of it lives on")


def test_a_match_gives_it_time(keeper: Keeper) -> None:
    spend = "import time\nwhile time.process_time() < 1.5: pass"
    keeper.start("a", spend, limits=Limits(cpu_s=1))
    keeper.tell(do="seat", name="a", by=1)
    assert keeper.hear()["how"] == "exit status 0"


def test_the_kernel_limits_files_and_address_space(keeper: Keeper, tmp_path: Path) -> None:
    code = f"""
try:
    bytearray(3_000_000_000)
except MemoryError:
    print("no address space", flush=True)
open({str(tmp_path / "big")!r}, "wb").write(bytes(5_000_000))
"""
    keeper.start("a", code, limits=Limits(address_mb=2048, file_mb=2))
    event = keeper.hear()
    assert event["printed"] == "no address space\n"
    assert "File too large" in event["output"]


def test_under_limits_a_daemon_is_ended_at_once(keeper: Keeper, tmp_path: Path) -> None:
    """Without parent and session it would be counted nowhere."""
    keeper.start("a", DAEMON, listen=True, limits=Limits(), MARK=str(tmp_path))
    assert keeper.hear()["event"] == "said"
    wait_until(lambda: len(marked(str(tmp_path))) == 1, "the daemon lives on")


def test_what_outlives_a_bot_with_a_home_goes_with_it(keeper: Keeper, tmp_path: Path) -> None:
    """A child in a session of its own writes on, and would keep the home."""
    home = tmp_path / "homes" / "a"
    code = (
        "import os, time\nif os.fork():\n    print('begun', flush=True)\n    time.sleep(0.2)\n    os._exit(0)\n"
        f"os.setsid()\nos.mkdir({str(home)!r} + '/tmp')\nwhile True:\n    open({str(home)!r} + '/tmp/x', 'w').close()\n"
    )
    keeper.tell(
        do="start", name="a", command=[sys.executable, "-c", code], cwd="/", env={"MARK": str(tmp_path)}, secret="",
        listen=False, limits=Limits()._asdict(), as_another_user=False, wrapped=False, home=str(home),
    )  # fmt: skip
    assert keeper.hear()["event"] == "started"
    assert keeper.hear()["event"] == "ended"
    assert not marked(str(tmp_path)) and not home.exists()


MOST_TASKS = r"sed -n 's/^Max processes *\([0-9]*\).*/\1/p' /proc/self/limits"


@needs("root")
def test_another_user_has_no_rights_and_dies_with_the_keeper(keeper: Keeper, tmp_path: Path) -> None:
    keeper.tell(
        do="start", name="a", command=["/bin/sh", "-c", f"id -u; id -G; {MOST_TASKS}; exec sleep 600"], cwd="/",
        env={"MARK": str(tmp_path), "PATH": os.environ["PATH"]}, secret="", listen=True,
        limits=Limits(threads=20)._asdict(), as_another_user=True, wrapped=False,
    )  # fmt: skip
    assert keeper.hear()["event"] == "started"
    user = int(keeper.hear()["line"])
    assert FIRST_USER <= user < FIRST_USER + 4000
    # While it becomes another program its environment cannot be read: then nothing is
    # marked.
    wait_until(lambda: ["sleep", "600"] in [psutil.Process(pid).cmdline() for pid in marked(str(tmp_path))], "no sleep")
    keeper.tell(do="show", name="a")
    assert keeper.hear()["output"].split() == [str(user), str(GROUP), "20"]
    keeper.process.kill()
    wait_until(lambda: marked(str(tmp_path)) == [], "it lives on")


def test_the_end_that_a_wrapper_reports_is_read(keeper: Keeper) -> None:
    keeper.tell(
        do="start", name="a", command=["/bin/sh", "-c", "exit 139"], cwd="/", env={}, secret="", listen=False,
        limits=None, as_another_user=False, wrapped=True,
    )  # fmt: skip
    assert keeper.hear()["event"] == "started"
    assert keeper.hear()["how"] == "killed by SIGSEGV"


CALLS = """
import ctypes, errno, os
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall(*(ctypes.c_long(word) for word in (KEYCTL, 0, -3, 0, 0, 0)))
print(errno.errorcode.get(ctypes.get_errno(), "worked"), flush=True)
"""


@pytest.mark.skipif(os.uname().machine not in MACHINES, reason="no filter is written for this processor")
@pytest.mark.parametrize("filtered", [True, False])
def test_system_calls_are_filtered(keeper: Keeper, filtered: bool) -> None:
    code = CALLS.replace("KEYCTL", str(FILTERED["keyctl"][MACHINES[os.uname().machine].column]))
    keeper.start("a", code, listen=True, limits=Limits(), filtered=filtered)
    line = keeper.hear()["line"]
    assert (line == "ENOSYS") == filtered, line
