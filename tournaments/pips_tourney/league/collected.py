"""Submissions downloaded from Moodle or Canvas: their authors, and unpacking.

Moodle gives a folder, or files, whose names begin with the person's; Canvas gives
files. Either may come as one zip. Whatever has to be unpacked goes into `.unpacked` in
the league's folder, named by its hash: an unchanged zip is unpacked only once.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import stat
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple, TypeVar

from pips_tourney.bots.archives import (
    HandInError,
    Most,
    Unpacking,
    Upload,
    is_left_out,
    name_in,
    opened_zip,
    read_entry,
    sync_folder,
    write_bot,
)

UNPACKED: Final = ".unpacked"
_MOODLE: Final = re.compile(r"(?P<name>.+?)_(?P<number>\d+)_assignsubmission_(?P<kind>[a-z]+)_?(?P<file>.*)")
_CANVAS: Final = re.compile(r"(?P<name>[^_]+)(?:_LATE|_late)?_(?P<number>\d{2,})_\d{2,}_(?P<file>.+)")
_SENT_AGAIN: Final = re.compile(r"-\d+(?=\.\w+$)")
"""What Canvas appends to the name of a file that was handed in again."""
_NO_NAME: Final = re.compile(r'[_/\\:*?"<>|]')
"""Characters that Moodle or a disk has no place for in an author's name."""
_TEXT: Final = "onlinetext"
_PREFIX_BYTES: Final = 150
"""The most bytes of a name's prefix: a file name has 255, and the bot needs some."""
_PLAINLY: Final = os.O_RDONLY | sum(getattr(os, f"O_{how}", 0) for how in ("NOFOLLOW", "NONBLOCK", "BINARY", "CLOEXEC"))
"""Flags for opening a stranger's file: no link is followed, and no pipe blocks."""
T = TypeVar("T")


class Participant(NamedTuple):
    """The author of a submission, as Moodle or Canvas names them."""

    name: str
    number: str


class _PathPart(NamedTuple):
    """A part of a path that names a participant."""

    who: Participant
    file: str
    """The file's name as it was handed in; empty for a folder."""
    is_text: bool = False


class _ZippedFile(NamedTuple):
    """One person's file in a zip, and its index in the zip."""

    top: str
    name: str
    at: int
    is_text: bool


@dataclass(frozen=True, slots=True)
class Item:
    """A submission; if it must be unpacked, `uploads` reads it, `key` is its hash."""

    shown: Path
    """Its path for messages to the person who collected it."""
    called: str
    key: str = ""
    uploads: Callable[[], Iterable[Upload]] | None = None


def participant(place: str) -> Participant | None:
    """The author of the submission at this path, from any part of it.

    Moodle: `NAME_1234567_assignsubmission_file_` (the participant's number), and the
    file's name after it if there are no folders. Canvas: `name_12345_67890_bot.py` (the
    user's number).
    """
    return next((found.who for part in PurePosixPath(place).parts if (found := _read(part))), None)


def prefix_in(place: str) -> str:
    """The `moodle_prefix` for the author of a submission; "" if it is not Moodle's."""
    found = next(filter(None, map(_MOODLE.fullmatch, PurePosixPath(place).parts)), None)
    return moodle_prefix(found["name"], found["number"]) if found else ""


def moodle_prefix(name: str, number: str) -> str:
    """The prefix that Moodle requires of an author's files; "" if none may have it."""
    prefix = f"{_NO_NAME.sub(' ', name)}_{number}_assignsubmission_file_"
    return prefix if prefix.isprintable() and len(os.fsencode(prefix)) <= _PREFIX_BYTES else ""


def _read(part: str) -> _PathPart | None:
    """The author and file in a part of a path; people choose only the end of it."""
    if found := _CANVAS.fullmatch(part):
        return _PathPart(Participant(found["name"], found["number"]), found["file"])
    if found := _MOODLE.fullmatch(part):
        return _PathPart(Participant(found["name"], found["number"]), found["file"], found["kind"] == _TEXT)
    return None


def items(paths: Sequence[Path], stem_of: Callable[[Path], str], most: Most) -> list[Item]:
    """The submissions at these paths, in their order; one person's files are one."""
    found: list[Item] = []
    flat: defaultdict[Participant, list[tuple[str, Path]]] = defaultdict(list)
    people = {said.who for path in paths if (said := _read(path.name)) and not said.is_text}
    for path in paths:
        said, is_folder = _read(path.name), os.path.isdir(path)  # noqa: PTH112 - raises nothing
        if said is not None and said.is_text and said.who in people:
            continue
        if said is not None and not is_folder:
            flat[said.who].append((said.file or path.name, path))
        elif path.suffix.lower() == ".zip" and not is_folder:
            found.append(_packed(path, stem_of(path), [(path.name, path)], most))
        else:
            found.append(Item(path, said.who.name if said else stem_of(path)))
    for who, files in flat.items():
        (name, path), *more = files
        if more or name.lower().endswith(".zip"):
            found.append(_packed(path, who.name, _as_sent(files), most))
        else:
            found.append(Item(path, who.name))
    return sorted(found, key=lambda item: item.shown)


def in_zip(path: Path, most: Most) -> list[Item]:
    """The submissions in a zip that Moodle or Canvas made; none in any other zip."""
    groups: defaultdict[Participant, list[_ZippedFile]] = defaultdict(list)
    with suppress(HandInError, OSError), path.open("rb") as file, opened_zip(file) as archive:
        names = [(at, name_in(each)) for at, each in enumerate(archive.infolist())]
        names = [(at, name) for at, name in names if not (name.endswith("/") or is_left_out(name))]
        tops = {name.partition("/")[0] for _, name in names}
        within = f"{next(iter(tops))}/" if len(tops) == 1 and not _read(next(iter(tops))) else ""
        for at, name in names:
            top, _, rest = name.removeprefix(within).partition("/")
            if said := _read(top):
                groups[said.who].append(_ZippedFile(top, rest or said.file or top, at, said.is_text))
    found = []
    for who, parts in groups.items():
        sent = [each for each in parts if not each.is_text] or parts
        files = _as_sent([(each.name, each.at) for each in sent])
        found.append(_item(path / sent[0].top, who.name, _reader_of_zip(path, files, most)))
    return found


def _reader_of_zip(path: Path, names: Sequence[tuple[str, int]], most: Most) -> Callable[[], Iterable[Upload]]:
    def read() -> Iterator[Upload]:
        tally = Unpacking(most)
        with path.open("rb") as file, opened_zip(file) as archive:
            entries = archive.infolist()
            for name, at in names:
                yield name, read_entry(archive, entries[at], tally)

    return read


def _as_sent(files: Sequence[tuple[str, T]]) -> list[tuple[str, T]]:
    """The files under their original names, if these are distinct."""
    before = [(_SENT_AGAIN.sub("", name), what) for name, what in files]
    return before if len({name for name, _ in before}) == len(before) else [*files]


def _packed(shown: Path, called: str, files: Sequence[tuple[str, Path]], most: Most) -> Item:
    """A submission of separate files, which may include zips."""

    def read() -> Iterator[Upload]:
        tally = Unpacking(most)
        for name, path in files:
            content = _content(path, most)
            tally.add(len(content))
            yield name, content

    return _item(shown, called, read)


def _item(shown: Path, called: str, read: Callable[[], Iterable[Upload]]) -> Item:
    """A submission that has to be unpacked, with a hash of its contents as its key."""
    whole = sha256()
    try:
        for name, content in read():
            whole.update(f"{name} {sha256(content).hexdigest()}\n".encode(errors="surrogateescape"))
    except (HandInError, OSError) as error:
        return Item(shown, called, "-", _refusing(str(error)))
    return Item(shown, called, whole.hexdigest()[:16], read)


def _refusing(why: str) -> Callable[[], Iterable[Upload]]:
    def read() -> Iterable[Upload]:
        raise HandInError(why)

    return read


def in_folder(folder: Path, called: str, most: Most) -> Item:
    """A submission whose folder contains its bot in a zip or in another folder."""
    files = []
    for place, folders, names in os.walk(folder):
        folders.sort()
        files += [(str((Path(place) / name).relative_to(folder)), Path(place) / name) for name in sorted(names)]
        if len(files) > most.files:
            break  # the unpacker reports it
    return _packed(folder, called, [each for each in files if not is_left_out(each[0])], most)


def _content(path: Path, most: Most) -> bytes:
    """The content of a stranger's file. Raises `HandInError` for a link or a pipe."""
    try:
        descriptor = os.open(path, _PLAINLY)
        with open(descriptor, "rb") as file:  # noqa: PTH123 - a descriptor
            seen = os.fstat(descriptor)
            if not stat.S_ISREG(seen.st_mode) or seen.st_size > most.unpacked:
                raise HandInError(f"{path.name!a} is no plain file of at most {most.unpacked >> 20} MB: pack it again")
            return file.read(most.unpacked)
    except OSError as error:
        raise HandInError(f"{path.name!a} cannot be read: {error.strerror}") from None


def unpack(item: Item, name: str, folder: Path, most: Most) -> Path:
    """Unpack a submission below the league's folder, only once; return its folder.

    Raises `HandInError`.
    """
    assert item.uploads is not None
    whole = folder / UNPACKED / item.key
    if (own := whole / name).is_dir():
        return own
    making = whole.with_suffix(f".{secrets.token_hex(4)}.part")
    try:
        (making / name).mkdir(parents=True)
        write_bot(item.uploads(), making / name, most)
        if whole.is_dir():  # the same files under another name
            (making / name).rename(own)
        else:
            making.rename(whole)
        sync_folder(whole)
    except OSError as error:
        raise HandInError(f"it cannot be unpacked into {folder / UNPACKED}: {error.strerror}") from None
    finally:
        shutil.rmtree(making, ignore_errors=True)
    return own
