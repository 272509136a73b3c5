"""Channels between running processes of bots: each works outside, few in a fence.

Futexes on a page of a system file are left: bots need them between their own processes.
Without namespaces, who guesses a process's number learns whether it lives. The
laboratory `channels` measures what outlives a process.
"""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from pips_tourney.bots.executable import program
from pips_tourney.sandbox.bubblewrap import EnclosedProgram, started_now
from pips_tourney.sandbox.counting.memory import held_bytes
from pips_tourney.sandbox.counting.processes import look_at
from pips_tourney.sandbox.limits import FIRST_USER
from pips_tourney.sandbox.tiers import Sandbox, Tier

pytestmark = pytest.mark.xdist_group("channels")  # one test at a time moves the times of a device
COMMON = """
import ctypes, fcntl, glob, json, mmap, os, select, socket, struct, sys, threading, time
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
SHARED, WATCHED, MARK = "/usr/bin/env", "/usr/bin/sort", "pips-channel-" + sys.argv[1]
KEY = int(sys.argv[1]) + 0x50000000
NUMBERS = dict(zip(("add_key", "keyctl", "shmget", "msgget", "semget", "mq_open"), map(int, sys.argv[2:8])))
def call(name, *words):
    done = libc.syscall(NUMBERS[name], *words)
    if done < 0:
        raise OSError(ctypes.get_errno(), name)
    return done
def wait_or_wake(what):
    libc.mmap.restype = ctypes.c_void_p
    file = os.open("/usr/bin/id", os.O_RDONLY)
    word = ctypes.c_uint.from_address(libc.mmap(None, ctypes.c_size_t(4096), 1, 1, file, ctypes.c_long(0)))
    number = 202 if os.uname().machine == "x86_64" else 98
    return libc.syscall(number, ctypes.byref(word), what, 1 if what else word.value, None)
largest = max(glob.glob("/usr/lib/*/*.so*"), key=lambda path: os.path.getsize(path) % 100_003)
def page():
    with open(largest, "rb") as file:
        mapped = mmap.mmap(file.fileno(), 4096, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_WRITE)
    mapped[0]
    return mapped
"""
SEND = """
kept = []
def lock(): fcntl.flock(file := open(SHARED), fcntl.LOCK_EX); kept.append(file)
def record_lock(): fcntl.lockf(file := open(SHARED), fcntl.LOCK_SH); kept.append(file)
def key(): call("add_key", b"user", MARK.encode(), b"x", 1, -5)
def segment(): call("shmget", KEY, 4096, 0o1666)
def queue(): call("msgget", KEY, 0o1666)
def semaphore(): call("semget", KEY, 1, 0o1666)
def posix_queue(): call("mq_open", MARK.encode(), 0o102, 0o666, None)
def abstract(): (s := socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)).bind("\\0" + MARK); kept.append(s)
def local_port(): (s := socket.socket()).bind(("127.0.0.1", 20000 + KEY % 10000)); s.listen(); kept.append(s)
def futex(): threading.Thread(target=lambda: wait_or_wake(0), daemon=True).start()
def temporary(): open("/tmp/" + MARK, "w").close()
def shared_memory(): open("/dev/shm/" + MARK, "w").close()
def own_folder(): open(MARK, "w").close()
def mapped_page(): kept.append(page())
def device_lock():
    fcntl.fcntl(file := open("/dev/null", "r+"), 37, struct.pack("hhqqi", fcntl.F_WRLCK, 0, KEY, 1, 0))
    kept.append(file)
for way in (lock, record_lock, key, segment, queue, semaphore, posix_queue, abstract, local_port, futex,
            temporary, shared_memory, own_folder, mapped_page, device_lock):
    try:
        way()
    except (OSError, ValueError):
        pass
print("ready", flush=True)
while True:
    os.utime("/dev/zero")
    open(WATCHED).close()  # another file: whoever closes a file gives up its locks
    time.sleep(0.05)
"""
RECEIVE = """
sender = int(sys.argv[8])
def lock():
    try:
        fcntl.flock(open(SHARED), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
def record_lock():
    asked = struct.pack("hhqqi", fcntl.F_WRLCK, 0, 0, 0, 0)
    return struct.unpack("hhqqi", fcntl.fcntl(open(SHARED), fcntl.F_GETLK, asked))[0] != fcntl.F_UNLCK
def key(): return call("keyctl", 10, -5, b"user", MARK.encode(), 0) > 0
def segment(): return call("shmget", KEY, 0, 0) >= 0
def queue(): return call("msgget", KEY, 0) >= 0
def semaphore(): return call("semget", KEY, 0, 0) >= 0
def posix_queue(): return call("mq_open", MARK.encode(), 0, 0, None) >= 0
def abstract(): return socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).connect("\\0" + MARK) is None
def local_port(): return socket.socket().connect(("127.0.0.1", 20000 + KEY % 10000)) is None
def futex(): return wait_or_wake(1) == 1
def temporary(): return os.path.exists("/tmp/" + MARK)
def shared_memory(): return os.path.exists("/dev/shm/" + MARK)
def own_folder(): return os.path.exists(MARK)
def mapped_page():
    mapped = page()
    at = ctypes.addressof(ctypes.c_char.from_buffer(mapped)) // 4096 * 8
    with open("/proc/self/pagemap", "rb") as told:
        told.seek(at)
        return not struct.unpack("Q", told.read(8))[0] >> 56 & 1
def watch():
    descriptor = libc.inotify_init()
    if descriptor < 0:
        return False
    libc.inotify_add_watch(descriptor, WATCHED.encode(), 0x20)
    return bool(select.select([descriptor], [], [], 1.0)[0])
def cached_page():
    with open(largest, "rb") as file:
        mapped = mmap.mmap(file.fileno(), 4096, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_WRITE)
    told = ctypes.c_ubyte()
    at = ctypes.addressof(ctypes.c_char.from_buffer(mapped))
    return libc.mincore(ctypes.c_void_p(at), ctypes.c_size_t(4096), ctypes.byref(told)) == 0
def page_at_once():
    return os.preadv(os.open(largest, os.O_RDONLY), [bytearray(1)], 0, os.RWF_NOWAIT) == 1
def device_lock():
    try:
        fcntl.fcntl(open("/dev/null", "r+"), 37, struct.pack("hhqqi", fcntl.F_WRLCK, 0, KEY, 1, 0))
    except BlockingIOError:
        return True
def device_times():
    first = os.stat("/dev/zero").st_mtime_ns
    time.sleep(0.3)
    return os.stat("/dev/zero").st_mtime_ns != first
def process(): return os.path.exists(f"/proc/{sender}")
def signal(): return os.kill(sender, 0) is None
def counters(): return bool(open("/proc/vmstat").read())
def open_files(): return bool(open("/proc/sys/fs/file-nr").read())
def load(): return bool(open("/proc/loadavg").read())
def interrupts(): return bool(open("/proc/interrupts").read())
def environment(): return bool(open(f"/proc/{sender}/cmdline").read())
seen = []
for way in (lock, record_lock, key, segment, queue, semaphore, posix_queue, abstract, local_port, futex,
            temporary, shared_memory, own_folder, mapped_page, watch, cached_page, page_at_once, device_lock,
            device_times, process, signal, counters, open_files, load, interrupts, environment):
    try:
        if way():
            seen.append(way.__name__)
    except (OSError, ValueError):
        pass
print(json.dumps(seen))
"""
X86 = (248, 250, 29, 68, 64, 240)
ARM = (217, 219, 194, 186, 190, 180)
WAYS = {
    "lock", "record_lock", "key", "segment", "queue", "semaphore", "posix_queue", "abstract", "local_port", "futex",
    "temporary", "shared_memory", "own_folder", "mapped_page", "watch", "cached_page", "page_at_once", "device_lock",
    "device_times", "process", "signal", "counters", "open_files", "load", "interrupts", "environment",
}  # fmt: skip
FILES = 20_000
NOT_EVERYWHERE = {"key", "mapped_page", "page_at_once", "watch", "lock"}
"""Ways that need a session's keyring, or an image layered of others."""


@contextmanager
def start(
    sandbox: Sandbox | None, code: str, words: Sequence[str], folder: Path, user: int
) -> Iterator[subprocess.Popen[str]]:
    """Start a process of the bot in the folder; without a sandbox like any other."""
    numbers = X86 if os.uname().machine == "x86_64" else ARM
    command = [sys.executable, "-I", "-c", COMMON + code, str(os.getpid() % 65536), *map(str, numbers), *words]
    if sandbox is None:
        with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as process:
            yield process
            process.kill()
        return
    bot = program(["python", *command[1:]], folder, {}, files=[str(folder)], submitted=True)
    private = folder.with_name(f"private-{user}")
    private.mkdir()
    enclosed = sandbox.enclose(bot, "/usr/bin/env", private)
    assert isinstance(enclosed, EnclosedProgram)
    with started_now(enclosed, user if sandbox.as_another_user else None) as process:
        yield process


def carried(sandbox: Sandbox | None, folder: Path) -> set[str]:
    """Return the ways by which the receiver learns of the sender."""
    folder.mkdir()
    with start(sandbox, SEND, [], folder, FIRST_USER + 11) as sender:
        assert sender.stdout is not None and sender.stdout.readline() == "ready\n"
        with start(sandbox, RECEIVE, [str(sender.pid)], folder, FIRST_USER + 12) as receiver:
            told, _ = receiver.communicate(timeout=60)
        assert receiver.returncode == 0
        return set(json.loads(told))


def test_outside_each_way_carries_something(tmp_path: Path) -> None:
    found = carried(None, tmp_path / "bot")
    for place in ("/tmp", "/dev/shm"):
        Path(place, f"pips-channel-{os.getpid() % 65536}").unlink(missing_ok=True)
    # A queue that stays takes of what its user may have: after ten runs none is made.
    ctypes.CDLL(None).mq_unlink(f"/pips-channel-{os.getpid() % 65536}".encode())
    key = str(os.getpid() % 65536 + 0x5000_0000)
    for kind in ("-M", "-Q", "-S"):
        subprocess.run(["ipcrm", kind, key], check=False, capture_output=True)
    assert found >= WAYS - NOT_EVERYWHERE, WAYS - found


def test_in_a_fence_few_do(enclosed: Sandbox, tmp_path: Path) -> None:
    left = {"futex"} if enclosed.tier is Tier.BUBBLEWRAP else {"futex", "process"}
    assert carried(enclosed, tmp_path / "bot") == left


def test_empty_files_in_memory_are_counted(mounted: Sandbox, tmp_path: Path) -> None:
    (folder := tmp_path / "bot").mkdir()
    code = f"""
for number in range({FILES}): open("/tmp/" + str(number), "w").close()
print("ready", flush=True)
time.sleep(60)
"""
    with start(mounted, code, [], folder, FIRST_USER + 11) as hoard:
        assert hoard.stdout is not None and hoard.stdout.readline() == "ready\n"
        tree = [look_at(process.pid) for process in psutil.Process(hoard.pid).children(recursive=True)]
        held = held_bytes([process for process in tree if process is not None])
        assert FILES * 1024 <= held < 2 * FILES * 1024
