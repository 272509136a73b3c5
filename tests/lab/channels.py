"""Channels that remain between two rotations of a bot in bubblewrap, in bits a second.

    python -m tests.lab.channels [--seconds 5]

Each way has a sender and a receiver. They are two processes of one bot as a night
starts them, on one core. They agree on slots of time by the clock. The received bits
are compared with the sent ones. The bandwidth is the capacity of a symmetric channel
with that share of errors.
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
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from pips_tourney.bots.executable import program
from pips_tourney.sandbox.bubblewrap import EnclosedProgram
from pips_tourney.sandbox.handover import Handover, Users
from pips_tourney.sandbox.limits import Limits
from pips_tourney.sandbox.seccomp import seccomp_filter
from pips_tourney.sandbox.tiers import Sandbox, Tier, choose

START_S: Final = 2.0
LARGE: Final = 4 << 20
COMMON: Final = """
import ctypes, json, mmap, os, random, sys, threading, time
begin, slot_s, count, files = float(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
bits = [random.Random(7).getrandbits(1) for _ in range(count)]
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
WAYS: Final[Mapping[str, tuple[float, str, str]]] = {
    "turns on the core": (0.01, TURNS, TURNS_TAKEN),
    "free memory, by sysinfo": (0.04, MEMORY, SYSINFO + MEMORY_FREE),
    "number of tasks, by sysinfo": (0.005, TASKS, SYSINFO + TASKS_SEEN),
    "pages of /usr, by the time of a read": (0.0005, OPENED + READ, OPENED + READ_QUICKLY),
}
"""By name: the length of a slot in seconds, the sender's code, the receiver's code."""


def large_files() -> list[str]:
    """Return files of the system that are seldom read, the largest first."""
    found = []
    for folder, _, names in os.walk("/usr"):
        paths = [Path(folder, name) for name in names]
        sizes = [(path.lstat().st_size, str(path)) for path in paths if path.is_file() and not path.is_symlink()]
        found += [(size, path) for size, path in sizes if size > LARGE]
    return [path for _, path in sorted(found, reverse=True)[:60]]


def measure(sandbox: Sandbox, way: str, seconds: float) -> tuple[float, float]:
    """Return the bits a second, and the share of errors."""
    slot_s, sender, receiver = WAYS[way]
    files = large_files() if "/usr" in way else []
    places = 0
    for file in files:
        descriptor = os.open(file, os.O_RDONLY)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(descriptor)
        places += (Path(file).stat().st_size - 4096) // (1 << 20) + 1
    count = min(int(seconds / slot_s), places or 1 << 30)
    begin = time.monotonic() + START_S
    words = [str(begin), str(slot_s), str(count), *files]
    with tempfile.TemporaryDirectory() as folder:
        processes = [_start(sandbox, COMMON + code, words, Path(folder)) for code in (sender, receiver)]
        _, told = (process.communicate(timeout=60)[0] for process in processes)
    rng = random.Random(7)
    sent = [rng.getrandbits(1) for _ in range(count)]
    received = json.loads(told)
    errors = sum(a != b for a, b in zip(sent, received, strict=True)) / count
    # The pages are written at once and read one after the other, as fast as possible.
    took_s = 2 * count * slot_s if files else count * slot_s
    return (1 - _entropy(min(errors, 1 - errors))) * count / took_s, errors


def _entropy(share: float) -> float:
    return 0.0 if share in {0.0, 1.0} else -share * math.log2(share) - (1 - share) * math.log2(1 - share)


def _start(sandbox: Sandbox, code: str, words: list[str], folder: Path) -> subprocess.Popen[str]:
    bot = program(["python", "-I", "-c", code, *words], Path("/"), {}, submitted=True)
    enclosed = sandbox.enclose(bot, "/usr/bin/env", folder)
    assert isinstance(enclosed, EnclosedProgram)
    core = min(os.sched_getaffinity(0))
    with Handover(b"", _users.take() if sandbox.as_another_user else None) as given:
        given.open_files(enclosed.opened)
        given.write_bytes("seccomp", seccomp_filter() or b"")
        given.write_texts(enclosed.texts)
        return subprocess.Popen(
            ["taskset", "-c", str(core), "chrt", "-b", "0", *given.fill_all(enclosed.command)],
            env={"PATH": os.defpath}, cwd="/", stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, text=True, pass_fds=given.descriptors,
        )  # fmt: skip


_users = Users()


def main() -> None:
    """Print a line for each way."""
    parser = argparse.ArgumentParser(description="What still carries words between two rotations of a bot.")
    parser.add_argument("--seconds", type=float, default=5.0)
    seconds = parser.parse_args().seconds
    sandbox = choose(Tier.BUBBLEWRAP, Limits())
    for way in WAYS:
        bits_s, errors = measure(sandbox, way, seconds)
        print(f"{way}: {bits_s:.0f} bits a second ({errors:.1%} errors)", flush=True)


if __name__ == "__main__":
    main()
