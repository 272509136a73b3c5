"""A hand-in becomes a folder: files, a zip or a text, within limits.

Everything is refused that could land outside of the folder, or be something other than
a file. Sizes are counted as files are unpacked: what an archive says of itself counts
for nothing.
"""

from __future__ import annotations

import io
import os
import secrets
import shutil
import stat
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pips_tourney.errors import TourneyError

MOST_FILES: Final = 500
PACKED: Final = "version.zip"
UPLOAD_BYTES: Final = 8 << 20
UNPACKED_BYTES: Final = 32 << 20
NAME_BYTES: Final = 200
DEPTH: Final = 8
_CHUNK: Final = 1 << 16
_LEFT_OUT: Final = ("__MACOSX", ".DS_Store", "__pycache__", ".git")
"""Parts of names that are no part of a bot."""
_PACKED: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED: Final = 1
_PROGRAMS: Final = (b"#!", b"\x7fELF")
"""How a file begins that a `command` may start."""
_RESERVED: Final = ':*?"<>|\\'


class HandInError(TourneyError):
    """A hand-in that is refused: what, and what to do."""


@dataclass(slots=True)
class _Unpacking:
    files: int = 0
    total: int = 0

    def add_file(self) -> None:
        self.files += 1
        if self.files > MOST_FILES:
            raise HandInError(f"there are more than {MOST_FILES} files: leave out what the bot does not need")

    def add(self, size: int) -> None:
        self.total += size
        if self.total > UNPACKED_BYTES:
            raise HandInError(f"unpacked it has more than {UNPACKED_BYTES >> 20} MB: leave out what is not needed")

    def add_wheel(self, name: str, content: bytes) -> None:
        """Count what a wheel unpacks to; its reader takes no more than it says."""
        if name.lower().endswith(".whl"):
            try:
                with zipfile.ZipFile(io.BytesIO(content)) as wheel:
                    self.add(sum(entry.file_size for entry in wheel.infolist()))
            except (zipfile.BadZipFile, ValueError) as error:
                raise HandInError(f"{name!a} is no wheel ({error}): download it again") from None


def keep_files(uploads: Sequence[tuple[str, bytes]], place: Path, bot: str) -> str:
    """Write a hand-in below `place`; returns the name of its new folder.

    The bot lies in `place/FOLDER/BOT`, on the disk when this returns. Raises
    `HandInError`; then nothing is left.
    """
    folder = place / secrets.token_hex(8)
    making = folder.with_suffix(".part")
    own = making / bot
    own.mkdir(parents=True, mode=0o700)
    try:
        _write_all(list(_files_of(uploads)), own)
        making.rename(folder)
        _sync_folder(place)
    except BaseException:
        shutil.rmtree(making, ignore_errors=True)
        raise
    return folder.name


def clear_parts(place: Path) -> None:
    """Remove what was being written when the place was killed."""
    for part in place.glob("*.part"):
        shutil.rmtree(part, ignore_errors=True)


def packed(folder: Path) -> Path:
    """A version as a zip, for its author: made once, and kept beside the version."""
    kept = folder.parent / PACKED
    if not kept.exists():
        part = kept.with_suffix(f".{secrets.token_hex(4)}.part")
        with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted(folder.rglob("*")):
                if path.is_file() and not path.is_symlink():
                    archive.write(path, path.relative_to(folder))
        part.rename(kept)
    return kept


def _files_of(uploads: Sequence[tuple[str, bytes]]) -> Iterator[tuple[str, bytes]]:
    tally = _Unpacking()
    for name, content in uploads:
        if name.lower().endswith(".zip"):
            yield from _unpacked(content, tally)
        elif content[:4] == b"PK\x03\x04":
            raise HandInError(f"{name!a} is an archive: give it the ending .zip")
        else:
            tally.add_file()
            tally.add(len(content))
            tally.add_wheel(name, content)
            yield name, content


def _unpacked(content: bytes, tally: _Unpacking) -> Iterator[tuple[str, bytes]]:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for entry in archive.infolist():
                name = entry.filename.replace("\\", "/")  # older packers of Windows write it so
                if not name.endswith("/") and not _is_left_out(name):
                    tally.add_file()
                    file = _read_entry(archive, entry, tally)
                    tally.add_wheel(name, file)
                    yield name, file
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError, OverflowError) as error:
        raise HandInError(f"the zip is broken ({error}): pack it again") from None


def _read_entry(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, tally: _Unpacking) -> bytes:
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind not in (0, stat.S_IFREG):
        raise HandInError(f"{entry.filename!a} in the zip is a link or no plain file: pack the file itself")
    if entry.flag_bits & _ENCRYPTED:
        raise HandInError(f"{entry.filename!a} in the zip is encrypted: pack it without a password")
    if entry.compress_type not in _PACKED:
        raise HandInError(f"{entry.filename!a} is packed in an unusual way: pack with deflate, as most tools do")
    parts = []
    with archive.open(entry) as file:
        while part := file.read(_CHUNK):
            tally.add(len(part))
            parts.append(part)
    return b"".join(parts)


def _is_left_out(name: str) -> bool:
    return any(part in _LEFT_OUT for part in name.split("/"))


def _write_all(files: Sequence[tuple[str, bytes]], own: Path) -> None:
    if not files:
        raise HandInError("there is no file in it: choose the files of your bot, or write it into the field")
    places = _without_shared_folder([_parts(name) for name, _ in files])
    taken: set[str] = set()
    for parts, (name, content) in zip(places, files, strict=True):
        if (key := "/".join(parts).casefold()) in taken:
            raise HandInError(f"{name!a} is there twice, or differs from another in capitals alone: rename one")
        taken.add(key)
        path = own.joinpath(*parts)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as file:
                if content.startswith(_PROGRAMS):  # a browser sends no modes
                    os.fchmod(file.fileno(), 0o755)
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
        except (FileExistsError, NotADirectoryError, IsADirectoryError):
            raise HandInError(f"{name!a} is a file and a folder at once: rename one") from None


def _parts(name: str) -> tuple[str, ...]:
    """The parts of a name that is safe anywhere. Raises `HandInError`."""
    try:
        length = len(name.encode())
    except UnicodeEncodeError:
        raise HandInError(f"the name {name!a} is no UTF-8: rename it") from None
    parts = tuple(name.split("/"))
    if length > NAME_BYTES or len(parts) > DEPTH:
        raise HandInError(f"the name {name[:40]!a} is too long: {NAME_BYTES} bytes and {DEPTH} folders may be")
    if not name.isprintable() or any(sign in _RESERVED for sign in name):
        raise HandInError(f"the name {name!a} holds a character that no file should: rename it")
    if any(not part or part in (".", "..") or part != part.strip() for part in parts):
        raise HandInError(f"the name {name!a} leads out of the folder or has an empty part: rename it")
    return parts


def _without_shared_folder(places: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Names without the one folder that all of them lie in."""
    if len({parts[0] for parts in places}) == 1 and all(len(parts) > 1 for parts in places):
        return [parts[1:] for parts in places]
    return places


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
