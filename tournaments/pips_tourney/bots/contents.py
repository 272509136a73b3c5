"""Read a bot's folder with care: its file names, its bot.toml, its fingerprint.

A submission is a stranger's. Anything odd in it is reported in one sentence
(`Unreadable`). Nothing in it is followed, imported or started. Run as a file, this
reads many submissions in turn for sandbox/reading.py. So it imports only the standard
library.

Standard input is one JSON object with `caps`, `allowed` and `jobs`. A job has a
`place`, and `do` (`look`, `print` or `text`). It also has the arguments of that
function below. Standard output is a line `{}` at the start, then a line of JSON for
each job in order. That line is `{"error": text}` or the function's result.
"""

# No pathlib: importing it would take longer than most of the other imports.
# ruff: noqa: PTH113, PTH116, PTH118

from __future__ import annotations

import errno
import json
import os
import signal
import stat
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from typing import Any, Final, NamedTuple, NoReturn

with suppress(ImportError):  # Windows lacks it
    import resource

BOT_FILE: Final = "bot.toml"
"""The file in a bot's folder that says how it is started."""
ARCHIVES: Final = (".zip", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".7z", ".rar")
"""Suffixes of archives, as Moodle and Canvas hand them out; no bot until unpacked."""
SOURCES: Final = (".py", ".js", ".mjs", ".cjs")
"""Suffixes of files that a runner can run."""
PROSE: Final = (".md", ".rst", ".pdf")
"""Suffixes of files that describe a bot and never run."""
NO_PART: Final = frozenset(
    {"__MACOSX", "__pycache__", ".git", ".hg", ".hypothesis", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".svn"}
)
"""Folders that tools make. They do not belong to a bot; private copies omit them."""
SYSTEM: Final = ("/usr/", "/bin/", "/sbin/", "/lib/", "/lib64/", "/nix/store/", "/gnu/store/")
"""Links may lead into these folders: every bot sees the system's files."""
_MOST_TEXT: Final = 64 << 10
_MOST_DOTS: Final = 256
_MOST_WORDS: Final = 64
_LONGEST_WORD: Final = 4096
_MOST_SOURCES: Final = 200
_CHUNK: Final = 1 << 20
_MEMORY: Final = 1 << 30
_CPU_S: Final = 600
_REFUSED: Final = ("LD_", "DYLD_", "GLIBC_", "GCONV_", "MALLOC_")
_REFUSED_NAMES: Final = frozenset({
    "GETCONF_DIR", "HOSTALIASES", "LOCALDOMAIN", "LOCPATH", "NIS_PATH", "NLSPATH", "RESOLV_HOST_CONF",
    "RES_OPTIONS", "TZDIR",
})  # fmt: skip
"""Variables that make the system's loader and libraries read files (ld.so(8))."""


class Caps(NamedTuple):
    """Size and time limits of one submission."""

    files: int = 20_000
    mb: int = 512
    depth: int = 32
    name_bytes: int = 1000
    seconds: float = 30.0
    """Timeout for reading one submission."""


class Unreadable(Exception):
    """A defect of a submission; the text says what, where, and what to do."""


class Found(NamedTuple):
    """A file of a bot, or a link in its folder."""

    name: str
    """Path relative to the folder."""
    path: str
    target: str | None
    """Target of a link; None for a file."""
    mark: str = ""
    """Identity of the file and time of its last change: see `mark_of`."""


def mark_of(seen: os.stat_result) -> str:
    """Return a mark that changes if the file is written or replaced.

    It includes the time of the last change, which no program can set.
    """
    return f"{seen.st_dev}.{seen.st_ino}.{seen.st_size}.{seen.st_mtime_ns}.{seen.st_ctime_ns}"


def stamp_of(marks: Mapping[str, str]) -> str:
    """Return a folder's stamp: equal while no file or link in it changes its mark."""
    return sha256(json.dumps(sorted(marks.items())).encode()).hexdigest()


def look(place: str, caps: Caps = Caps(), allowed: Sequence[str] = ()) -> dict[str, Any]:  # noqa: B008 - a constant
    """Look at every file of a folder; return how it describes its bot.

    The result has `toml` with `command`, `env` and `games`, or None, the top-level
    `files`, and the `folders` with sources. Raises `Unreadable`.
    """
    all_names = [found.name for found in walk(place, caps, allowed) if found.target is None]
    names = [name for name in all_names if os.sep not in name]
    folders = {name.partition(os.sep)[0] for name in all_names if os.sep in name and name.endswith(SOURCES)}
    said = bot_toml(place) if BOT_FILE in names else None
    return {"toml": said, "files": sorted(names)[:_MOST_SOURCES], "folders": sorted(folders)[:_MOST_SOURCES]}


def contents(job: Mapping[str, Any], caps: Caps, allowed: Sequence[str] = ()) -> dict[str, Any]:
    """Return the hashes that identify a bot.

    `tree` is the hash of its files. The `stamp` of its folder shows later whether a
    copy is still the same. `alike` is equal for bots that play alike: their arguments
    and files are the same, apart from names. Tests, prose and bot.toml do not count.

    A job's `words` name files in its `place`. With `tree`, all files below it belong to
    the bot. Only `trusted` words, from a league file, may name files outside.
    """
    place, trusted = str(job["place"]), bool(job["trusted"])
    digests, marks = {}, {}
    for word, path in _named(place, job["words"], trusted=trusted):
        digests[word] = _digest(path, caps)
    for found in walk(place, caps, None if trusted else allowed) if job["tree"] else ():
        marks[found.name] = found.mark
        is_read = found.target is None or (trusted and os.path.isfile(found.path))
        linked = [] if found.target is None else [f"link to {found.target}"]
        digests[found.name] = " ".join([*linked, *([_digest(found.path, caps)] if is_read else [])])
    listed = json.dumps(sorted(digests.items()), ensure_ascii=False).encode()
    idle = {name for name in digests if name.endswith(PROSE) or is_test(name) or name == BOT_FILE}
    played = [[digests.get(word, word) for word in job["words"]], sorted({digests[name] for name in {*digests} - idle})]
    alike = sha256(json.dumps(played).encode()).hexdigest()
    return {"tree": sha256(listed).hexdigest(), "stamp": stamp_of(marks), "alike": alike}


def walk(top: str, caps: Caps, allowed: Sequence[str] | None = ()) -> Iterator[Found]:
    """Yield all files and links below a folder, except those that no bot needs.

    Links may lead into the folder, the system, and `allowed` folders. Raises
    `Unreadable` for other links, for anything that is neither file nor folder, and
    beyond the caps. If `allowed` is None, links may lead anywhere, and pipes, sockets
    and devices are skipped.
    """
    try:
        descriptor = os.open(top, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        _cannot_be_read(top, error)
    within = None if allowed is None else (os.path.realpath(top) + os.sep, *SYSTEM, *allowed)
    yield from _walk(descriptor, top, "", _ContentsTally(caps), within)


class _ContentsTally:
    """Counts files and bytes, and raises `Unreadable` beyond the caps."""

    def __init__(self, caps: Caps) -> None:
        self.caps, self.entries, self.bytes = caps, 0, 0

    def entry(self, name: str) -> None:
        self.entries += 1
        if self.entries > self.caps.files:
            raise Unreadable(
                f"it holds more than {self.caps.files} files and folders: leave out what the bot does not need"
            )
        try:
            length = len(name.encode())
        except UnicodeEncodeError:
            shown = name.encode(errors="surrogateescape").decode(errors="backslashreplace")
            raise Unreadable(f"the name {shown} is no UTF-8: rename it") from None
        if length > self.caps.name_bytes:
            raise Unreadable(f"a name in it has {length} bytes, from {name[:40]!a} on; {self.caps.name_bytes} at most")
        if any(ord(character) < 0x20 or 0x7F <= ord(character) < 0xA0 for character in name):
            raise Unreadable(f"the name {name[:80]!a} holds a control character: rename it")
        if name.count(os.sep) >= self.caps.depth:
            raise Unreadable(f"its folders lie {self.caps.depth} deep and deeper, from {name[:40]} on")

    def size(self, name: str, size: int) -> None:
        self.bytes += size
        if self.bytes > self.caps.mb << 20:
            raise Unreadable(
                f"{name} has {size / (1 << 20):,.0f} MB: with it the bot exceeds its limit of {self.caps.mb}"
            )


def _walk(
    descriptor: int, path: str, below: str, tally: _ContentsTally, within: Sequence[str] | None
) -> Iterator[Found]:
    """Walk by descriptors: a file replaced by a link meanwhile is not followed."""
    try:
        with os.scandir(descriptor) as entries:
            for entry in entries:
                if entry.name in NO_PART and entry.is_dir(follow_symlinks=False):
                    continue
                name = below + entry.name
                tally.entry(name)
                yield from _entry(descriptor, entry.name, os.path.join(path, entry.name), name, tally, within)
    except OSError as error:
        _cannot_be_read(below or path, error)
    finally:
        os.close(descriptor)


def _entry(
    folder: int, entry: str, path: str, name: str, tally: _ContentsTally, within: Sequence[str] | None
) -> Iterator[Found]:
    try:
        seen = os.stat(entry, dir_fd=folder, follow_symlinks=False)
        if stat.S_ISLNK(seen.st_mode):
            yield Found(name, path, _target(folder, entry, path, name, within), mark_of(seen))
        elif stat.S_ISREG(seen.st_mode):
            tally.size(name, seen.st_size)
            os.close(os.open(entry, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder))
            yield Found(name, path, None, mark_of(seen))
        elif stat.S_ISDIR(seen.st_mode):
            inner = os.open(entry, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
            yield from _walk(inner, path, name + os.sep, tally, within)
        elif within is not None:
            raise Unreadable(f"{name} is {_kind(seen.st_mode)}: a bot may have only files and folders")
    except OSError as error:
        _cannot_be_read(name, error)


def _target(folder: int, entry: str, path: str, name: str, within: Sequence[str] | None) -> str:
    """Return a link's target, if the link may lead to it."""
    target = os.readlink(entry, dir_fd=folder)
    try:
        target.encode()
    except UnicodeEncodeError:
        raise Unreadable(f"the link {name} leads to a name that is no UTF-8") from None
    real = os.path.realpath(path)
    if within is not None and not any((real + os.sep).startswith(place) for place in within):
        raise Unreadable(f"{name} is a link to {target!r}, out of the bot's folder: put what it needs there itself")
    return target


def _kind(mode: int) -> str:
    if stat.S_ISFIFO(mode):
        return "a pipe"
    return "a socket" if stat.S_ISSOCK(mode) else "a device"


def _named(place: str, words: Sequence[str], *, trusted: bool) -> Iterator[tuple[str, str]]:
    """Yield the words of a command that name files, with their paths."""
    inside = os.path.realpath(place) + os.sep
    for word in words:
        path = os.path.join(place, word)
        try:
            is_file = stat.S_ISREG(os.stat(path).st_mode)
        except (OSError, ValueError):
            continue
        real = os.path.realpath(path)
        if is_file and (trusted or real.startswith(inside)):
            yield word, path


def is_test(name: str) -> bool:
    """Return whether a file is a test of a bot, by its name or path."""
    stem = os.path.splitext(os.path.basename(name))[0]  # noqa: PTH119, PTH122
    return stem.startswith(("test_", "conftest")) or stem.endswith(".test")


def _digest(path: str, caps: Caps) -> str:
    """Return the SHA-256 of a file; raise `Unreadable` if it changes meanwhile."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            before = os.fstat(descriptor)
            if not stat.S_ISREG(before.st_mode):
                raise Unreadable(f"{path} is {_kind(before.st_mode)}, but was a file a moment before")
            if before.st_size > caps.mb << 20:
                raise Unreadable(f"{path} has {before.st_size / (1 << 20):,.0f} MB: a bot may have {caps.mb}")
            hashed, left = sha256(), before.st_size
            while data := os.read(descriptor, _CHUNK):
                hashed.update(data)
                left -= len(data)
                if left < 0:
                    break
            after = os.fstat(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        _cannot_be_read(path, error)
    if left or (before.st_mtime_ns, before.st_ctime_ns) != (after.st_mtime_ns, after.st_ctime_ns):
        raise Unreadable(f"{path} changed while it was read: wait until it is complete")
    return hashed.hexdigest()


def _cannot_be_read(what: str, error: OSError) -> NoReturn:
    why = {
        errno.EACCES: "its permissions forbid it (chmod -R u+rwX,go+rX)",
        errno.EPERM: "its permissions forbid it (chmod -R u+rwX,go+rX)",
        errno.ENOENT: "it went away meanwhile",
        errno.ELOOP: "it became a link meanwhile",
        errno.ENOTDIR: "it is no folder any more",
    }.get(error.errno or 0, error.strerror or str(error))
    raise Unreadable(f"{what} cannot be read: {why}") from None


def bot_toml(place: str) -> dict[str, Any]:
    """Return the content of bot.toml; raise `Unreadable` if it has any other form."""
    path, content = os.path.join(place, BOT_FILE), text(place, BOT_FILE)["text"]
    if any(line.count(".") > _MOST_DOTS for line in content.splitlines()):  # tomllib is slow at names of many parts
        raise Unreadable(f"{path} cannot be read: a line has more than {_MOST_DOTS} dots")
    try:
        said = tomllib.loads(content)
    except RecursionError:
        raise Unreadable(f"{path} cannot be read: brackets in brackets, too many of them") from None
    except ValueError as error:  # from TOML, or from numbers with very many digits
        raise Unreadable(f"{path} cannot be read: {str(error)[:200]}") from None
    return _checked(path, said)


def text(place: str, name: str) -> dict[str, Any]:
    """Return the `text` of a small file in a folder."""
    path = os.path.join(place, name)
    flags = sum(getattr(os, flag, 0) for flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC"))
    try:
        with open(os.open(path, os.O_RDONLY | flags), "rb") as file:  # noqa: PTH123 - a descriptor
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise Unreadable(f"{path} cannot be read: it is no file")
            data = file.read(_MOST_TEXT + 1)
    except OSError as error:
        _cannot_be_read(path, error)
    if len(data) > _MOST_TEXT:
        raise Unreadable(f"{path} cannot be read: it has more than {_MOST_TEXT >> 10} KiB")
    try:
        return {"text": data.decode("utf-8-sig")}
    except UnicodeDecodeError as error:
        raise Unreadable(f"{path} cannot be read: {error}") from None


def _checked(path: str, said: dict[str, Any]) -> dict[str, Any]:
    command, env, games = said.pop("command", None), said.pop("env", {}), said.pop("games", [])
    started, protocol = command if isinstance(command, list) else [command], said.pop("protocol", "grpc")
    formed = isinstance(env, dict) and all(isinstance(value, str) for value in env.values()) and not said
    formed = formed and protocol in ("grpc", "lines") and _are_words(started) and _are_words(games)
    if not (formed and started):
        raise Unreadable(
            f"{path} says how the bot is started: `command` (a text or a list of words), and if need be "
            "`games` (a list of their names), `env` (a table of texts) and `protocol` (grpc or lines)"
            + (f"; there is no entry {', '.join(ascii(name)[1:-1] for name in said)[:200]}" if said else "")
        )
    words = [*started, *games, *env, *env.values()]
    if len(words) > _MOST_WORDS or any(len(word) > _LONGEST_WORD or "\0" in word for word in words):
        most = f"{_MOST_WORDS} words and variables, of {_LONGEST_WORD} characters at most"
        raise Unreadable(f"{path}: at most {most}, without NUL")
    for name in env:
        if not name or "=" in name or name.startswith(_REFUSED) or name in _REFUSED_NAMES:
            raise Unreadable(f"{path}: a bot may not set the variable {name[:40]!a}: leave it out of `env`")
    return {"command": command, "env": env, "games": games, "protocol": protocol}


def _are_words(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(word, str) for word in value)


@contextmanager
def _in_time(seconds: float) -> Iterator[None]:
    def too_long(*_: object) -> NoReturn:
        raise Unreadable(f"it was read for {seconds:g} seconds without coming to an end")

    signal.signal(signal.SIGALRM, too_long)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _done(job: Mapping[str, Any], caps: Caps, allowed: Sequence[str]) -> dict[str, Any]:
    try:
        with _in_time(caps.seconds):
            if job["do"] == "text":
                return text(job["place"], job["name"])
            return look(job["place"], caps, allowed) if job["do"] == "look" else contents(job, caps, allowed)
    except Unreadable as error:
        return {"error": str(error)}
    except MemoryError:
        return {"error": "it took more memory to read than there is for that"}


def main() -> None:
    """Answer the jobs on standard input."""
    for name, most in {"AS": _MEMORY, "CPU": _CPU_S, "FSIZE": 0, "CORE": 0, "NOFILE": 128}.items():
        resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (most, most))
    print("{}", flush=True)  # says that it has begun
    asked = json.load(sys.stdin)
    for job in asked["jobs"]:
        print(json.dumps(_done(job, Caps(**asked["caps"]), asked["allowed"])), flush=True)


if __name__ == "__main__":
    main()
