"""How much memory a bot's processes use, including memory that is not resident.

Resident memory is cheap to read, but incomplete. A page that forked children share
counts once for each process: `exact_bytes` counts it once. Files in memory, pipes,
sockets and page tables are missing: `held_bytes` counts these. The filter of system
calls refuses other memory without a process (memfd, System V segments).

The keeper imports this module and must start fast, so it imports few others.
"""

# No pathlib: its import would take longer than most of the others.
# ruff: noqa: PTH123, PTH208

from __future__ import annotations

import ctypes
import os
import socket
import stat
import struct
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Final, NamedTuple

from pips_tourney.sandbox.counting.processes import Process

KB: Final = 1024
INODE: Final = 1024
"""The rough size of a file's inode; the kernel counts attributes as files."""
BLOCK: Final = 512
"""Bytes per unit of `st_blocks`."""
PIPE: Final = 64 * KB
"""The largest size of a pipe: the filter lets no bot make it larger."""
PIDFD_GETFD: Final = 438
SOL_SOCKET, SO_MEMINFO = 1, 55
MANY: Final = 32
"""This many pipes and sockets of a tree are not counted: a few MB."""
FILES_IN_MEMORY: Final = (b"tmpfs", b"ramfs", b"hugetlbfs")


class MachineMemory(NamedTuple):
    """Free and shared memory of the machine, in bytes."""

    total: int
    available: int
    shared: int
    """Files in memory and shared memory of all processes."""


def machine_memory() -> MachineMemory:
    """Read the machine's memory from /proc/meminfo."""
    with open("/proc/meminfo", "rb") as meminfo:
        fields = dict(line.split(b":", 1) for line in meminfo.read().splitlines())
    total, available, shared = (KB * int(fields[name].split()[0]) for name in (b"MemTotal", b"MemAvailable", b"Shmem"))
    return MachineMemory(total, available, shared)


def held_bytes(tree: Iterable[Process]) -> int:
    """Return how much memory a tree uses outside its resident memory."""
    files: dict[tuple[int, int], int] = {}
    pipes: set[tuple[int, int]] = set()
    sockets: list[tuple[int, int]] = []
    spaces: dict[int, int] = {}
    tables = 0
    for process in tree:
        own = _own_file_systems(process.pid)
        spaces.update(own)
        tables += _table_bytes(process.pid)
        for descriptor, opened in _descriptors(process.pid):
            name = opened.st_dev, opened.st_ino
            if stat.S_ISREG(opened.st_mode):
                if opened.st_dev not in own and (not opened.st_nlink or opened.st_dev in _in_memory()):
                    files[name] = BLOCK * opened.st_blocks
            elif stat.S_ISFIFO(opened.st_mode):
                pipes.add(name)
            elif stat.S_ISSOCK(opened.st_mode):
                sockets.append((process.pid, descriptor))
    queues = sum(_socket_bytes(pid, descriptor) for pid, descriptor in sockets) if len(sockets) > MANY else 0
    return PIPE * max(0, len(pipes) - MANY) + queues + tables + sum(files.values()) + sum(spaces.values())


def exact_bytes(tree: Iterable[Process]) -> int:
    """Return the resident memory of a tree, with swap; shared pages count once."""
    return sum(map(_proportional_bytes, tree))


def _proportional_bytes(process: Process) -> int:
    try:
        with open(f"/proc/{process.pid}/smaps_rollup", "rb") as smaps:
            return sum(KB * int(line.split()[1]) for line in smaps if line.startswith((b"Pss:", b"SwapPss:")))
    except PermissionError:
        return process.memory_bytes  # its program is not readable, so its memory cannot be read
    except OSError:
        return 0


def _descriptors(pid: int) -> Iterator[tuple[int, os.stat_result]]:
    folder = f"/proc/{pid}/fd"
    try:
        names = os.listdir(folder)
    except OSError:  # the process has ended, or belongs to another user
        return
    for name in names:
        with suppress(OSError):
            yield int(name), os.stat(f"{folder}/{name}")  # noqa: PTH116 - a quarter of the price of paths


def _socket_bytes(pid: int, descriptor: int) -> int:
    """Return the bytes in a socket's two queues, from a copy of its descriptor."""
    try:
        process = os.pidfd_open(pid)
    except OSError:
        return 0
    try:
        taken = ctypes.CDLL(None).syscall(PIDFD_GETFD, process, descriptor, 0)
        if taken < 0:
            return 0
        with socket.socket(fileno=taken) as one:
            received, _, sent = struct.unpack_from("III", one.getsockopt(SOL_SOCKET, SO_MEMINFO, 64))
            waiting: int = received + sent
            return waiting
    except OSError:
        return 0
    finally:
        os.close(process)


def _table_bytes(pid: int) -> int:
    """Return the size of a process's page tables, which grow with all mappings."""
    with suppress(OSError, IndexError), open(f"/proc/{pid}/status", "rb") as status:
        return KB * int(status.read().partition(b"\nVmPTE:")[2].split(None, 1)[0])
    return 0


def _own_file_systems(pid: int) -> dict[int, int]:
    """Return, by device, the bytes in memory file systems of this process alone."""
    with suppress(OSError):
        if os.readlink(f"/proc/{pid}/ns/mnt") == os.readlink("/proc/self/ns/mnt"):  # noqa: PTH115 - the same
            return {}
    own: dict[int, int] = {}
    for device, place in _mounted(pid):
        if device not in _in_memory() and device not in own:
            with suppress(OSError):
                space = os.statvfs(f"/proc/{pid}/root{place}")
                files = (space.f_files - space.f_ffree) * INODE
                own[device] = (space.f_blocks - space.f_bfree) * space.f_frsize + files
    return own


_known: list[frozenset[int]] = []


def _in_memory() -> frozenset[int]:
    """Return the devices of the memory file systems that this process sees."""
    if not _known:
        _known.append(frozenset(device for device, _ in _mounted(os.getpid())))
    return _known[0]


def _mounted(pid: int) -> Iterator[tuple[int, str]]:
    with suppress(OSError), open(f"/proc/{pid}/mountinfo", "rb") as mounts:
        for line in mounts.read().splitlines():
            fields, _, kind = line.partition(b" - ")
            if kind.split(None, 1)[0] in FILES_IN_MEMORY:
                _, _, device, _, place, *_ = fields.split()
                major, minor = map(int, device.split(b":"))
                yield os.makedev(major, minor), place.decode("unicode_escape")
