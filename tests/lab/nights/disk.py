"""A simulated disk below SQLite: what is not synced can be lost or torn.

SQLite's own file system (VFS) stays in place. Its writes and syncs pass through here.
The disk keeps what each file held at its last sync, and every write since then.
"""

from __future__ import annotations

import ctypes
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ctypes import c_char_p, c_int, c_int64, c_void_p
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final

SECTOR: Final = 512
"""What a disk writes whole or not at all, in bytes."""
FULL: Final = sqlite3.SQLITE_FULL
READ_ONLY: Final = sqlite3.SQLITE_READONLY
BROKEN: Final = sqlite3.SQLITE_IOERR

_Open = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_int, c_void_p)
_Close = ctypes.CFUNCTYPE(c_int, c_void_p)
_Write = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p, c_int, c_int64)
_Truncate = ctypes.CFUNCTYPE(c_int, c_void_p, c_int64)
_Sync = ctypes.CFUNCTYPE(c_int, c_void_p, c_int)


class _Vfs(ctypes.Structure):
    """The beginning of `sqlite3_vfs`; the rest of it are pointers."""

    _fields_ = [
        ("version", c_int), ("file_bytes", c_int), ("longest_path", c_int), ("next", c_void_p), ("name", c_char_p),
        ("data", c_void_p), ("open", c_void_p), ("others", c_void_p * 15),
    ]  # fmt: skip


class _Methods(ctypes.Structure):
    """`sqlite3_io_methods`."""

    _fields_ = [
        ("version", c_int), ("close", c_void_p), ("read", c_void_p), ("write", c_void_p), ("truncate", c_void_p),
        ("sync", c_void_p), ("others", c_void_p * 13),
    ]  # fmt: skip


class _File(ctypes.Structure):
    """`sqlite3_file`."""

    _fields_ = [("methods", ctypes.POINTER(_Methods))]


@dataclass
class Kept:
    """A file on the disk: as it was last synced, and what was written since."""

    synced: bytearray
    unsynced: list[tuple[int, bytes | None]] = field(default_factory=list)
    """By offset. None cuts the file off there."""

    def sync(self) -> None:
        for write in self.unsynced:
            _apply(self.synced, *write)
        self.unsynced.clear()

    def after_power_loss(self, luck: Random) -> bytes:
        """Return what is on the disk when the power is back.

        Each write that was not synced may be lost, or only some of its sectors are.
        """
        data = bytearray(self.synced)
        for offset, content in self.unsynced:
            fate = luck.random()
            if content is None or fate < 0.4:
                _apply(data, offset, content) if fate < 0.4 else None
            elif fate < 0.7:
                for start in range(0, len(content), SECTOR):
                    if luck.random() < 0.5:
                        _apply(data, offset + start, content[start : start + SECTOR])
        return bytes(data)


def _apply(data: bytearray, offset: int, content: bytes | None) -> None:
    if content is None:
        del data[offset:]
        return
    if len(data) < offset:
        data.extend(bytes(offset - len(data)))
    data[offset : offset + len(content)] = content


class Disk:
    """The disk of one simulated machine: all SQLite files below a folder.

    `passes` is called before each "write" and "sync"; it may set `trouble`.
    """

    def __init__(self, folder: Path, passes: Callable[[str], None]) -> None:
        self._below, self._passes = f"{folder}/", passes
        self.files: dict[str, Kept] = {}
        self.trouble: dict[str, int] = {}
        """By "write" or "sync", the error of all of them from now on."""
        self._open: dict[int, str] = {}
        """By the address of SQLite's file, its path."""

    def opened(self, file: int, path: str) -> bool:
        """Record that SQLite opened a file; return whether the file is on this disk."""
        if not path.startswith(self._below):
            return False
        self._open[file] = path
        if path not in self.files:
            self.files[path] = Kept(bytearray(Path(path).read_bytes()))
        return True

    def closed(self, file: int) -> None:
        self._open.pop(file, None)

    def write(self, file: int, offset: int, data: bytes) -> int:
        """Return an error of SQLite, 0 for none."""
        return self._change("write", file, (offset, data))

    def truncate(self, file: int, size: int) -> int:
        return self._change("write", file, (size, None))

    def _change(self, what: str, file: int, write: tuple[int, bytes | None]) -> int:
        self._passes(what)
        if error := self.trouble.get(what, 0):
            return error
        self.files[self._open[file]].unsynced.append(write)
        return 0

    def sync(self, file: int) -> int:
        self._passes("sync")
        if error := self.trouble.get("sync", 0):
            return error
        self.files[self._open[file]].sync()
        return 0

    def as_written(self) -> dict[str, bytes]:
        """By path what a process that is killed leaves: all that was written."""
        return {path: _read(path) for path in self.files if Path(path).exists()}

    def after_power_loss(self, luck: Random) -> dict[str, bytes]:
        """By path what a machine that fails leaves: all that was synced, and scraps."""
        return {path: kept.after_power_loss(luck) for path, kept in self.files.items() if Path(path).exists()}


def _read(path: str) -> bytes:
    return Path(path).read_bytes()


class Shim:
    """Passes SQLite's file calls through the disk of the moment; one a process."""

    def __init__(self) -> None:
        self.disk: Disk | None = None
        self._sqlite = _library()
        find = self._sqlite.sqlite3_vfs_find
        find.restype, find.argtypes = ctypes.POINTER(_Vfs), [c_char_p]
        self._usual = find(None)
        self._methods: dict[int, _Methods] = {}
        """By the address of the usual methods, ours."""
        self._kept: list[Any] = []
        """What SQLite holds pointers to."""
        self._true_open = _Open(self._usual.contents.open)
        self._vfs = _Vfs()
        ctypes.pointer(self._vfs)[0] = self._usual.contents
        self._name = ctypes.create_string_buffer(b"simulated")
        self._vfs.name = ctypes.cast(self._name, c_char_p)
        self._vfs.open = self._callback(_Open, self._open)
        register = self._sqlite.sqlite3_vfs_register
        register.argtypes = [ctypes.POINTER(_Vfs), c_int]
        self._register = register
        self._unregister = self._sqlite.sqlite3_vfs_unregister
        self._unregister.argtypes = [ctypes.POINTER(_Vfs)]

    @contextmanager
    def below(self, disk: Disk) -> Iterator[None]:
        """Databases that are opened inside lie on this disk."""
        self.disk = disk
        self._register(ctypes.byref(self._vfs), 1)
        try:
            yield
        finally:
            self._unregister(ctypes.byref(self._vfs))
            self._register(self._usual, 1)
            self.disk = None

    def _callback(self, kind: Any, function: Callable[..., int]) -> int | None:
        made = kind(function)
        self._kept.append(made)
        return ctypes.cast(made, c_void_p).value

    def _open(self, _: int, name: int | None, file: int, flags: int, out: int) -> int:
        usual = ctypes.cast(self._usual, c_void_p).value
        code: int = self._true_open(usual, name, file, flags, out)  # it keeps the name's address
        disk = self.disk
        if code or name is None or disk is None or not disk.opened(file, ctypes.string_at(name).decode()):
            return code
        there = _File.from_address(file)
        there.methods = ctypes.pointer(self._ours(there.methods, disk))
        return 0

    def _ours(self, usual: Any, disk: Disk) -> _Methods:
        """The usual methods, but for what changes a file."""
        address = ctypes.cast(usual, c_void_p).value or 0
        if address not in self._methods:
            true = usual.contents
            close, write = _Close(true.close), _Write(true.write)
            truncate, sync = _Truncate(true.truncate), _Sync(true.sync)
            methods = _Methods()
            ctypes.pointer(methods)[0] = true

            def on_close(file: int) -> int:
                if self.disk is not None:
                    self.disk.closed(file)
                return int(close(file))

            def on_write(file: int, data: int, size: int, offset: int) -> int:
                at = self.disk
                error = 0 if at is None else at.write(file, offset, ctypes.string_at(data, size))
                return error or int(write(file, data, size, offset))

            def on_truncate(file: int, size: int) -> int:
                at = self.disk
                return (0 if at is None else at.truncate(file, size)) or int(truncate(file, size))

            def on_sync(file: int, flags: int) -> int:
                """It takes no time: this machine's own disk need not keep it."""
                return 0 if self.disk is None else self.disk.sync(file)

            methods.close = self._callback(_Close, on_close)
            methods.write = self._callback(_Write, on_write)
            methods.truncate = self._callback(_Truncate, on_truncate)
            methods.sync = self._callback(_Sync, on_sync)
            self._kept += [close, write, truncate, sync]
            self._methods[address] = methods
        return self._methods[address]


def _library() -> ctypes.CDLL:
    """The SQLite that Python's module uses: the process has loaded it already."""
    for line in Path("/proc/self/maps").read_text(encoding="utf-8").splitlines():
        path = line.split(maxsplit=5)[-1]
        if "/libsqlite3.so" in path:
            return ctypes.CDLL(path)
    raise RuntimeError("Python's SQLite is no shared library here: its disk cannot be simulated")


_shims: Final[list[Shim]] = []


def on_disk(disk: Disk) -> Any:
    """Within it, SQLite's files below the disk's folder lie on it."""
    if not _shims:
        _shims.append(Shim())
    return _shims[0].below(disk)
