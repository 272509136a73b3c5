"""Channels that remain between two processes of a bot in a fence, in bits a deal.

    python -m tests.lab.channels [--deal-s 5] [--tier bubblewrap] [--nights DEALS]

Each way has a sender and a receiver. They are two processes of one bot on one core.
They agree on slots of time by the clock. The received bits are compared with the sent
ones. What arrives is the capacity of a symmetric channel with that share of errors.
Processes of two rotations never live together, so each way is tried so, too. With
`--nights`, a bot that remembers cards in the page cache plays that many deals with and
without its memory.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import subprocess
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final, NamedTuple

from pips_tourney.bots.executable import program
from pips_tourney.sandbox.bubblewrap import EnclosedProgram, started_now
from pips_tourney.sandbox.handover import Users
from pips_tourney.sandbox.limits import Limits
from pips_tourney.sandbox.tiers import Sandbox, Tier, choose
from tests.lab import page_cache

START_S: Final = 2.0
LARGE: Final = 4 << 20
COMMON: Final = """
import ctypes, json, mmap, os, random, sys, threading, time
begin, slot_s, count, salt, files = *map(float, sys.argv[1:3]), int(sys.argv[3]), sys.argv[4], sys.argv[5:]
rng = random.Random(7)
bits = [rng.getrandbits(1) for _ in range(count)]
libc = ctypes.CDLL(None)
def wait(slot):
    left = begin + slot * slot_s - time.monotonic()
    if left > 0:
        time.sleep(left)
def told(values):
    middle = sorted(values)[len(values) // 2]
    print(json.dumps([int(value > middle) for value in values]))
"""
SYSINFO: Final = """
info = (ctypes.c_ulong * 16)()
def asked(word):
    libc.sysinfo(info)
    return info[word]
"""
OPENED: Final = """
at = []
for name in files:
    file = os.open(name, os.O_RDONLY)
    at += [(file, place) for place in range(0, os.fstat(file).st_size - 4096, 1 << 20)]
"""
TURNS: Final = """
for n, bit in enumerate(bits):
    wait(n)
    while bit and time.monotonic() < begin + (n + 1) * slot_s:
        pass
"""
TURNS_TAKEN: Final = """
found = []
for n in range(count):
    wait(n)
    turns = 0
    while time.monotonic() < begin + (n + 1) * slot_s:
        turns -= 1
    found.append(turns)
told(found)
"""
MEMORY: Final = """
for n, bit in enumerate(bits):
    wait(n)
    if bit:
        held = mmap.mmap(-1, 16 << 20)
        for at in range(0, 16 << 20, 4096):
            held[at] = 1
        wait(n + 0.9)
        held.close()
"""
MEMORY_FREE: Final = """
found = []
for n in range(count):
    wait(n + 0.8)
    found.append(-asked(5))
told(found)
"""
TASKS: Final = """
for n, bit in enumerate(bits):
    wait(n)
    if bit:
        go = threading.Event()
        some = [threading.Thread(target=go.wait) for _ in range(8)]
        for one in some:
            one.start()
        wait(n + 0.8)
        go.set()
        for one in some:
            one.join()
"""
TASKS_SEEN: Final = """
found = []
for n in range(count):
    wait(n + 0.7)
    found.append(asked(10) & 0xFFFF)
told(found)
"""
READ: Final = """
wait(0)
for n, bit in enumerate(bits):
    if bit:
        os.pread(at[n][0], 1, at[n][1])
"""
READ_QUICKLY: Final = """
wait(count)
found = []
for file, place in at[:count]:
    began = time.perf_counter()
    os.pread(file, 1, place)
    found.append(began - time.perf_counter())
told(found)
"""
FUTEX: Final = """
libc.mmap.restype = ctypes.c_void_p
at = libc.mmap(None, ctypes.c_size_t(4096), 1, mmap.MAP_SHARED, os.open("/usr/bin/env", os.O_RDONLY), ctypes.c_long(0))
word = ctypes.c_uint.from_address(at)
class Time(ctypes.Structure):
    _fields_ = ("s", ctypes.c_long), ("ns", ctypes.c_long)
def futex(what, value, seconds):
    most = Time(0, int(seconds * 1e9))
    number = 202 if os.uname().machine == "x86_64" else 98
    return libc.syscall(number, ctypes.byref(word), what, value, ctypes.byref(most))
"""
WAITS: Final = """
for n, bit in enumerate(bits):
    wait(n)
    if bit:
        futex(0, word.value, 0.9 * slot_s)
"""
WOKEN: Final = """
found = []
for n in range(count):
    wait(n + 0.5)
    found.append(futex(1, 1, 0))
print(json.dumps(found))
"""
NAMED: Final = """
wait(0)
for n, bit in enumerate(bits):
    if bit:
        os.access(f"/usr/share/{salt}{n}", 0)
"""
NAMED_QUICKLY: Final = """
wait(count)
found = []
for n in range(count):
    began = time.perf_counter()
    os.access(f"/usr/share/{salt}{n}", 0)
    found.append(began - time.perf_counter())
told(found)
"""


class Way(NamedTuple):
    """A way: the seconds of a slot, the code of both ends, and the files they read.

    Files are written to at once, and read one after the other, as fast as possible.
    """

    slot_s: float
    sends: str
    receives: str
    files: Sequence[str] = ()


def ways() -> dict[str, Way]:
    """Return the known ways by name."""
    return {
        "turns on the core": Way(0.01, TURNS, TURNS_TAKEN),
        "free memory, by sysinfo": Way(0.04, MEMORY, SYSINFO + MEMORY_FREE),
        "number of tasks, by sysinfo": Way(0.005, TASKS, SYSINFO + TASKS_SEEN),
        "waits on a page of /usr, by futex": Way(0.004, FUTEX + WAITS, FUTEX + WOKEN),
        "names that are not in /usr, by the time of a look-up": Way(0.0002, NAMED, NAMED_QUICKLY),
        "pages of /usr, by the time of a read": Way(0.0005, OPENED + READ, OPENED + READ_QUICKLY, large_files()),
    }


def large_files() -> list[str]:
    """Return files of the system that are seldom read, the largest first."""
    found = []
    for folder, _, names in os.walk("/usr"):
        paths = [Path(folder, name) for name in names]
        sizes = [(path.lstat().st_size, str(path)) for path in paths if path.is_file() and not path.is_symlink()]
        found += [(size, path) for size, path in sizes if size > LARGE]
    return [path for _, path in sorted(found, reverse=True)[:60]]


def measure(sandbox: Sandbox, way: Way, deal_s: float, *, apart: bool) -> float:
    """Return the bits that reach the receiver in one deal of that many seconds.

    If the two are `apart`, as rotations of one deal are, the sender has ended before
    the receiver begins.
    """
    places, salt = 0, os.urandom(8).hex()
    for file in way.files:
        descriptor = os.open(file, os.O_RDONLY)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(descriptor)
        places += (Path(file).stat().st_size - 4096) // (1 << 20) + 1
    count = min(int(deal_s / way.slot_s), places or 1 << 30)
    with tempfile.TemporaryDirectory() as folder, ExitStack() as running:

        def start(code: str, begin: float) -> subprocess.Popen[str]:
            words = [str(begin), str(way.slot_s), str(count), salt, *way.files]
            bot = program(["python", "-I", "-c", COMMON + code, *words], Path("/"), {}, submitted=True)
            private = Path(tempfile.mkdtemp(dir=folder))
            enclosed = sandbox.enclose(bot, "/usr/bin/env", private)
            assert isinstance(enclosed, EnclosedProgram)
            user = _users.take() if sandbox.as_another_user else None
            return running.enter_context(started_now(enclosed, user))

        begin = time.monotonic() + START_S
        sender = start(way.sends, begin)
        if apart:
            sender.communicate(timeout=60)
            begin = time.monotonic() + START_S - (count * way.slot_s if way.files else 0)
        told, _ = start(way.receives, begin).communicate(timeout=60)
    rng = random.Random(7)
    sent = [rng.getrandbits(1) for _ in range(count)]
    errors = sum(one != other for one, other in zip(sent, json.loads(told), strict=True)) / count
    return (1 - _entropy(min(errors, 1 - errors))) * count


def _entropy(share: float) -> float:
    return 0.0 if share in {0.0, 1.0} else -share * math.log2(share) - (1 - share) * math.log2(1 - share)


_users = Users()


def main() -> None:
    """Print a line for each way."""
    parser = argparse.ArgumentParser(description="What still carries words between two processes of a bot.")
    parser.add_argument("--deal-s", type=float, default=5.0, help="seconds that a deal lasts")
    parser.add_argument("--tier", type=Tier, default=Tier.BUBBLEWRAP)
    parser.add_argument("--nights", type=int, default=0, metavar="DEALS", help="what a bot gains by the page cache")
    words = parser.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    sandbox = choose(words.tier, Limits())
    for name, way in ways().items():
        alive, apart = (measure(sandbox, way, words.deal_s, apart=apart) for apart in (False, True))
        print(f"{name}: {alive:.0f} bits a deal while both live, {apart:.0f} from one rotation to the next", flush=True)
    if words.nights:
        print(page_cache.measure(words.tier, words.nights))


if __name__ == "__main__":
    main()
