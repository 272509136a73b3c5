"""Files as people hand them in: single ones, zips, zips in folders and in zips.

A file is refused if it could land outside the folder, or is not a regular file.
Sizes are counted while files are unpacked, because an archive may lie about them.
"""

from __future__ import annotations

import io
import os
import stat
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from pips_tourney.bots.contents import ARCHIVES, BOT_FILE, SOURCES
from pips_tourney.errors import TourneyError

NAME_BYTES: Final = 200
DEPTH: Final = 8
_NESTED: Final = 4
"""How many wrappers are opened: a zip or folder with nothing but another one in it."""
_CHUNK: Final = 1 << 16
_LEFT_OUT: Final = ("__MACOSX", ".DS_Store", "__pycache__", ".git")
"""File and folder names that never belong to a bot."""
_PACKED: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_BROKEN: Final = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError, OverflowError)
_ENCRYPTED: Final = 1
_PROGRAMS: Final = (b"#!", b"\x7fELF")
"""The first bytes of files that a `command` can start."""
_RESERVED: Final = ':*?"<>|\\'
_ZIP: Final = b"PK\x03\x04"

Upload = tuple[str, bytes]
Placed = tuple[tuple[str, ...], bytes]
"""A file's path, split into parts, and its content."""


class HandInError(TourneyError):
    """A hand-in was refused; the text says why, and what to do."""


class Most(NamedTuple):
    """The size limits of one hand-in."""

    files: int = 500
    unpacked: int = 32 << 20


@dataclass(slots=True)
class Unpacking:
    """Counts a hand-in's files and bytes; raises `HandInError` beyond the limits."""

    most: Most
    files: int = 0
    total: int = 0

    def add_file(self) -> None:
        self.files += 1
        if self.files > self.most.files:
            raise HandInError(f"there are more than {self.most.files} files: leave out what the bot does not need")

    def add(self, size: int) -> None:
        self.total += size
        if self.total > self.most.unpacked:
            raise HandInError(f"unpacked it has more than {self.most.unpacked >> 20} MB: leave out what is not needed")

    def add_wheel(self, name: str, content: bytes) -> None:
        """Count a wheel's declared unpacked size; readers unpack no more than that."""
        if name.lower().endswith(".whl"):
            try:
                with zipfile.ZipFile(io.BytesIO(content)) as wheel:
                    self.add(sum(entry.file_size for entry in wheel.infolist()))
            except _BROKEN as error:
                raise HandInError(f"{name!a} is no wheel ({error}): download it again") from None


def write_bot(uploads: Iterable[Upload], own: Path, most: Most) -> None:
    """Write a hand-in into the folder `own`, with its bot's file or `bot.toml` on top.

    A zip or a folder that contains the complete hand-in is opened. A zip beside the
    bot's file is kept as one of the bot's files. Raises `HandInError`.
    """
    tally = Unpacking(most)
    files = [(parts_of(name), content) for name, content in _files_of(uploads, tally)]
    for _ in range(_NESTED):
        files, before = _opened(_without_shared_folder(files), tally), files
        if files == before:
            break
    _check_sense(files)
    _write_all(files, own)


def _files_of(uploads: Iterable[Upload], tally: Unpacking) -> Iterator[Upload]:
    uploads = [each for each in uploads if not is_left_out(each[0])]
    has_bot = any(_is_program(tuple(name.split("/")), content) for name, content in uploads)
    for name, content in uploads:
        is_zip = name.lower().endswith(".zip")
        if is_zip and not has_bot:
            yield from _unpacked(content, tally)
        elif content[:4] == _ZIP and not is_zip and not name.lower().endswith(".whl"):
            raise HandInError(f"{name!a} is an archive: give it the ending .zip")
        else:
            tally.add_file()
            tally.add(len(content))
            tally.add_wheel(name, content)
            yield name, content


def _unpacked(content: bytes, tally: Unpacking) -> Iterator[Upload]:
    with opened_zip(io.BytesIO(content)) as archive:
        for entry in archive.infolist():
            name = name_in(entry)
            if not name.endswith("/") and not is_left_out(name):
                tally.add_file()
                file = read_entry(archive, entry, tally)
                tally.add_wheel(name, file)
                yield name, file


def opened_zip(file: io.BufferedIOBase) -> zipfile.ZipFile:
    """Open a zip. Raises `HandInError` for anything else."""
    try:
        return zipfile.ZipFile(file)
    except _BROKEN as error:
        raise _broken(error) from None


def name_in(entry: zipfile.ZipInfo) -> str:
    """The name of an entry with slashes; some old Windows packers write backslashes."""
    return entry.filename.replace("\\", "/")


def read_entry(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, tally: Unpacking) -> bytes:
    """The content of a zip's entry. Raises `HandInError`."""
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind not in (0, stat.S_IFREG):
        raise HandInError(f"{entry.filename!a} in the zip is a link or no plain file: pack the file itself")
    if entry.flag_bits & _ENCRYPTED:
        raise HandInError(f"{entry.filename!a} in the zip is encrypted: pack it without a password")
    if entry.compress_type not in _PACKED:
        raise HandInError(f"{entry.filename!a} is packed in an unusual way: pack with deflate, as most tools do")
    parts = []
    try:
        with archive.open(entry) as file:
            while part := file.read(_CHUNK):
                tally.add(len(part))
                parts.append(part)
    except _BROKEN as error:
        raise _broken(error) from None
    return b"".join(parts)


def _broken(error: Exception) -> HandInError:
    return HandInError(f"the zip is broken ({error}): pack it again")


def is_left_out(name: str) -> bool:
    """Whether the file comes from a system or tool and is not part of the bot."""
    return any(part in _LEFT_OUT or part.startswith("._") for part in name.split("/"))


def parts_of(name: str) -> tuple[str, ...]:
    """The parts of a name, if it is safe on every system; else raises `HandInError`."""
    try:
        length = len(name.encode())
    except UnicodeEncodeError:
        raise HandInError(f"the name {name!a} is no UTF-8: rename it") from None
    parts = tuple(name.split("/"))
    if length > NAME_BYTES or len(parts) > DEPTH:
        raise HandInError(f"the name {name[:40]!a} is too long: use at most {NAME_BYTES} bytes and {DEPTH} folders")
    if not name.isprintable() or any(sign in _RESERVED for sign in name):
        raise HandInError(f"the name {name!a} has a character that is not allowed: rename it")
    if any(not part or part in (".", "..") or part != part.strip() for part in parts):
        raise HandInError(f"the name {name!a} leads out of the folder or has an empty part: rename it")
    return parts


def _without_shared_folder(files: list[Placed]) -> list[Placed]:
    """The files without a top folder that all of them share."""
    if len({parts[0] for parts, _ in files}) == 1 and all(len(parts) > 1 for parts, _ in files):
        return [(parts[1:], content) for parts, content in files]
    return files


def _is_program(parts: tuple[str, ...], content: bytes) -> bool:
    return parts[-1] == BOT_FILE or parts[-1].endswith(SOURCES) or content.startswith(_PROGRAMS)


def _opened(files: list[Placed], tally: Unpacking) -> list[Placed]:
    """The files after opening zips, or after moving the one folder with a bot upwards.

    Nothing changes if the bot is at the top already.
    """
    if any(len(parts) == 1 and _is_program(parts, content) for parts, content in files):
        return files
    zips = [each for each in files if each[0][-1].lower().endswith(".zip") and each[1][:4] == _ZIP]
    folders = {parts[0] for parts, content in files if _is_program(parts, content)}
    if zips and not folders:
        inner = [(parts_of(name), file) for _, content in zips for name, file in _unpacked(content, tally)]
        rest = [each for each in files if each not in zips]
        return [*_without_shared_folder(inner), *rest]
    if len(folders) != 1 or any(parts == tuple(folders) for parts, _ in files):
        return files
    (own,) = folders
    up = [(parts[1:], content) for parts, content in files if parts[0] == own]
    names = {parts[0].casefold() for parts, _ in up}
    return [*up, *(each for each in files if each[0][0] != own and each[0][0].casefold() not in names)]


def _check_sense(files: Sequence[Placed]) -> None:
    """Raise `HandInError` for what is obviously no bot, before any check runs."""
    if not files:
        raise HandInError("there is no file in it: choose the files of your bot, or write it into the field")
    if not any(content.strip() for _, content in files):
        raise HandInError(f"{'/'.join(files[0][0])!a} is empty: choose the file of your bot")
    if any(_is_program(*each) for each in files):
        return
    for parts, _ in files:
        name = parts[-1].lower()
        if name.endswith(ARCHIVES):
            raise HandInError(f"{parts[-1]!a} is an archive of an unsupported kind: pack the bot's files as one .zip")
        if name.endswith(".ipynb"):
            raise HandInError(f"{parts[-1]!a} is a notebook: export it as a .py file, with the bot's class in it")


def _write_all(files: Sequence[Placed], own: Path) -> None:
    taken: set[str] = set()
    for parts, content in files:
        name = "/".join(parts)
        if name.casefold() in taken:
            raise HandInError(f"{name!a} is there twice, or differs from another name only in capitals: rename one")
        taken.add(name.casefold())
        path = own.joinpath(*parts)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            if content.startswith(_PROGRAMS):  # browsers, Moodle and Canvas send no modes
                path.chmod(0o755)
        except (FileExistsError, NotADirectoryError, IsADirectoryError):
            raise HandInError(f"{name!a} is a file and a folder at once: rename one") from None


def sync_folder(folder: Path) -> None:
    """Flush a folder's names to disk, on systems that can."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
