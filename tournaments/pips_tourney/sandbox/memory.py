"""How much memory a bot's processes hold, including memory that is not resident.

Resident memory is cheap to read, but it is not the whole. A page that forked children
share counts once for each. Missing is what only a descriptor or a number keeps alive:
files in memory (memfd, tmpfs), detached System V segments, unmapped shared pages,
pipes, sockets, page tables. `Holdings` counts these. `exact_bytes` counts shared pages
once.

The keeper imports this module and must start fast: little of the standard library.
"""

# No pathlib: it would take longer to import than most of the rest.
# ruff: noqa: PTH123, PTH208

from __future__ import annotations

import ctypes
import os
import stat
import struct
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Final, NamedTuple

from pips_tourney.sandbox.processes import PAGE_BYTES, Process

KB: Final = 1024
INODE: Final = 1024
"""About what a file takes besides its blocks; the kernel counts attributes as files."""
BLOCK: Final = 512
"""Bytes per unit of `st_blocks`."""
F_GETPIPE_SZ: Final = 1032
FIONREAD: Final = 0x541B
PIDFD_GETFD: Final = 438
SOL_SOCKET, SO_MEMINFO = 1, 55
MANY_SOCKETS: Final = 32
"""The sockets of a tree with fewer are not measured: at most some 200 kB each."""
FILES_IN_MEMORY: Final = (b"tmpfs", b"ramfs", b"hugetlbfs")

Inode = tuple[int, int]
"""Device and number of a file."""


class MachineMemory(NamedTuple):
    """Memory of the machine that is left or shared, in bytes."""

    total: int
    available: int
    shared: int
    """In files in memory, shared memory and segments, of all processes."""


def machine_memory() -> MachineMemory:
    """Read the machine's memory from /proc/meminfo."""
    with open("/proc/meminfo", "rb") as meminfo:
        fields = dict(line.split(b":", 1) for line in meminfo.read().splitlines())
    total, available, shared = (KB * int(fields[name].split()[0]) for name in (b"MemTotal", b"MemAvailable", b"Shmem"))
    return MachineMemory(total, available, shared)


class Holdings(NamedTuple):
    """The memory a tree holds outside its resident memory, in bytes."""

    files: dict[Inode, int]
    """Files in memory, even deleted, that descriptors and mappings keep alive."""
    segments: dict[int, int]
    """System V shared memory, by segment number."""
    other: int
    """Pipes, sockets, page tables, and the tree's own file systems in memory."""

    @property
    def total(self) -> int:
        """Return the sum; its mapped part is in resident memory too."""
        return sum(self.files.values()) + sum(self.segments.values()) + self.other


NOTHING: Final = Holdings({}, {}, 0)


def holdings(tree: Iterable[Process], ever: set[int], user: int | None) -> Holdings:
    """Return what a tree holds now.

    `ever` are all process numbers it had; `user` is its own user, if it has one.
    """
    files: dict[Inode, int] = {}
    pipes: dict[Inode, int] = {}
    sockets: list[tuple[int, int]] = []
    spaces: dict[int, int] = {}
    other = 0
    for process in tree:
        own = _own_file_systems(process.pid)
        spaces.update(own)
        for descriptor, found in _descriptors(process.pid):
            name = found.st_dev, found.st_ino
            if stat.S_ISREG(found.st_mode):
                if found.st_dev not in own and (not found.st_nlink or found.st_dev in _in_memory()):
                    files[name] = BLOCK * found.st_blocks
            elif stat.S_ISFIFO(found.st_mode) and name not in pipes:
                pipes[name] = _pipe_bytes(process.pid, descriptor)
            elif stat.S_ISSOCK(found.st_mode):
                sockets.append((process.pid, descriptor))
        files.update(_unmapped(process.pid, own))
        other += _table_bytes(process.pid)
    if len(sockets) > MANY_SOCKETS:
        other += sum(_socket_bytes(pid, descriptor) for pid, descriptor in sockets)
    return Holdings(files, segments_of(ever, user), other + sum(pipes.values()) + sum(spaces.values()))


def exact_bytes(tree: Iterable[Process], held: Holdings) -> int:
    """Return all memory of a tree; shared pages and mapped holdings count once."""
    shown, mapped = 0, 0
    for process in tree:
        for name, proportional in _mappings(process.pid, whole=bool(held.files or held.segments)):
            shown += proportional
            if name is not None and (name in held.files or name[1] in held.segments):
                mapped += proportional
    return shown - mapped + held.total


def segments_of(ever: set[int], user: int | None) -> dict[int, int]:
    """Return the resident bytes of a tree's System V segments, by number."""
    return {int(row[1]): int(row[14]) + int(row[15]) for row in _rows("shm") if _is_of(row[4], row[9], ever, user)}


def remove_objects(ever: set[int], user: int | None) -> None:
    """Remove the System V objects of a tree; they and their memory would outlive it."""
    libc = ctypes.CDLL(None)
    for row in _rows("shm"):
        if _is_of(row[4], row[9], ever, user):
            libc.shmctl(int(row[1]), 0, None)
    if user is not None:  # for these the kernel records the maker's user only
        for row in _rows("msg"):
            if int(row[9]) == user:
                libc.msgctl(int(row[1]), 0, None)
        for row in _rows("sem"):
            if int(row[6]) == user:
                libc.semctl(int(row[1]), 0, 0)


def _rows(kind: str) -> Iterator[list[bytes]]:
    with suppress(OSError), open(f"/proc/sysvipc/{kind}", "rb") as table:
        yield from (line.split() for line in table.read().splitlines()[1:])


def _is_of(maker: bytes, owner: bytes, ever: set[int], user: int | None) -> bool:
    return int(owner) == user if user is not None else int(maker) in ever


def _descriptors(pid: int) -> Iterator[tuple[int, os.stat_result]]:
    folder = f"/proc/{pid}/fd"
    try:
        names = os.listdir(folder)
    except OSError:  # the process has ended, or is not ours to look into
        return
    for name in names:
        with suppress(OSError):
            yield int(name), os.stat(f"{folder}/{name}")  # noqa: PTH116 - a quarter of the price of paths


def _pipe_bytes(pid: int, descriptor: int) -> int:
    """Return a pipe's capacity unless it is empty: a page may hold one byte."""
    import fcntl  # only Unix has it

    try:
        opened = os.open(f"/proc/{pid}/fd/{descriptor}", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return 0
    try:
        waiting = int.from_bytes(fcntl.ioctl(opened, FIONREAD, b"\0" * 4), sys.byteorder)
        room: int = fcntl.fcntl(opened, F_GETPIPE_SZ)
        return min(room, waiting * PAGE_BYTES)
    except OSError:
        return 0
    finally:
        os.close(opened)


def _socket_bytes(pid: int, descriptor: int) -> int:
    """Return the bytes in a socket's two queues, by a descriptor taken for a moment."""
    import socket  # rarely needed, and slow to import

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
    """Return the size of its page tables: they grow with mappings, resident or not."""
    with suppress(OSError, IndexError), open(f"/proc/{pid}/status", "rb") as status:
        return KB * int(status.read().partition(b"\nVmPTE:")[2].split(None, 1)[0])
    return 0


def _own_file_systems(pid: int) -> dict[int, int]:
    """Return by device the bytes in memory file systems only the process sees."""
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
    """Return the devices of memory file systems seen here, and of memfds."""
    if not _known:
        nameless = os.memfd_create("pips", os.MFD_CLOEXEC)
        _known.append(frozenset({os.fstat(nameless).st_dev, *(device for device, _ in _mounted(os.getpid()))}))
        os.close(nameless)
    return _known[0]


def _mounted(pid: int) -> Iterator[tuple[int, str]]:
    with suppress(OSError), open(f"/proc/{pid}/mountinfo", "rb") as mounts:
        for line in mounts.read().splitlines():
            fields, _, kind = line.partition(b" - ")
            if kind.split(None, 1)[0] in FILES_IN_MEMORY:
                _, _, device, _, place, *_ = fields.split()
                major, minor = map(int, device.split(b":"))
                yield os.makedev(major, minor), place.decode("unicode_escape")


def _unmapped(pid: int, own: Iterable[int]) -> Iterator[tuple[Inode, int]]:
    """Yield whole shared memory without a name of which a process maps a part.

    The whole may be more than the mapped part. The kernel shows this to root alone.
    Other users do not count what is unmapped but kept.
    """
    if os.geteuid() != 0:
        return
    known = {*_in_memory()} - {*own}
    with suppress(OSError), open(f"/proc/{pid}/maps", "rb") as maps:
        for line in maps:
            if b"(deleted)" in line and b"s" in line.split(None, 2)[1]:
                start, _, end = line.split(None, 1)[0].partition(b"-")
                with suppress(OSError):
                    found = os.stat(f"/proc/{pid}/map_files/{int(start, 16):x}-{int(end, 16):x}")  # noqa: PTH116
                    if found.st_dev in known:
                        yield (found.st_dev, found.st_ino), BLOCK * found.st_blocks


def _mappings(pid: int, *, whole: bool) -> Iterator[tuple[Inode | None, int]]:
    """Yield a process's mappings: the file, and proportional bytes with their swap."""
    name: Inode | None = None
    with suppress(OSError), open(f"/proc/{pid}/{'smaps' if whole else 'smaps_rollup'}", "rb") as smaps:
        for line in smaps:
            words = line.split()
            if not words[0].endswith(b":"):
                major, _, minor = words[3].partition(b":")
                name = os.makedev(int(major, 16), int(minor, 16)), int(words[4])
            elif words[0] in (b"Pss:", b"SwapPss:"):
                yield name, KB * int(words[1])
