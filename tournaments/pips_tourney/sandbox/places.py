"""The disk as a bot sees it: the visible places, and the mounts that show them.

Places are the system, the interpreter, and what the league file names. A submission
cannot add any: a bot's arguments and variables count only if its entry is in the league
file itself.

Deeper places are mounted later. A place that contains something hidden is not shown as
a unit. Instead each of its entries is shown separately, except the hidden ones, and so
on downwards. So files that appear there later, such as a database's journal, stay
invisible too. Mounted paths are compared as texts, because `pathlib` took most of a
start's time.
"""

from __future__ import annotations

import errno
import os
import shutil
import site
import sys
from collections.abc import Collection, Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from pips_referee.installed import REGISTRY, package_of
from pips_tourney.bots.executable import SYSTEM, Executable, environment
from pips_tourney.bots.interpreter import cache_folder, node_sdk

_SETTINGS: Final = (
    "alternatives", "group", "hosts", "java", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime", "nsswitch.conf",
    "passwd", "pki/ca-trust/extracted", "pki/java", "pki/tls/cert.pem", "pki/tls/certs", "ssl/cert.pem", "ssl/certs",
    "ssl/openssl.cnf", "timezone",
)  # fmt: skip
"""Parts of /etc, without the folders that hold private keys."""
_JAVA_SETTINGS: Final = "java-*"
_PACKAGES: Final = ("pips", "pips_referee", "pips_sdk", "pips_sample_bots")
_PLACES_NAMED: Final = ("JAVA_HOME", "LD_LIBRARY_PATH", "NODE_PATH", "PYTHONPATH", "VIRTUAL_ENV")
"""Variables that name places from which a bot reads."""
_RUNTIMES: Final = frozenset({"bun", "deno", "dotnet", "go", "java", "julia", "mono", "node", "perl", "php", "ruby"})
"""Programs that run bots; a submission sees the ones that the organiser has."""


_IN_SYSTEM: Final = tuple(f"{place}/" for place in SYSTEM)
WRITABLE: Final = ("/tmp", "/dev/shm")  # noqa: S108 - the bot's own


def system_places() -> list[str]:
    """Return the folders of the system that are not links."""
    return [place for place in SYSTEM if Path(place).is_dir() and not Path(place).is_symlink()]


def system_links() -> list[tuple[str, str]]:
    """Return the folders of the system that are links, and their targets."""
    return [(place, str(Path(place).readlink())) for place in SYSTEM if Path(place).is_symlink()]


def settings() -> list[str]:
    """Return the files and folders of /etc that programs read."""
    etc = Path("/etc")
    found = [*(etc / name for name in _SETTINGS), *etc.glob(_JAVA_SETTINGS)]
    return [str(path) for path in found if path.exists()]


def readable(program: Executable, more: Iterable[str]) -> Iterator[str]:
    """Yield what a bot reads apart from the system and its own files.

    Raises `FileNotFoundError` if its command does not exist.
    """
    yield from _node_modules(program)
    yield from interpreter()
    yield from _executable(program)
    env = environment() if program.submitted else program.env
    for name in _PLACES_NAMED:
        yield from (place for place in env.get(name, "").split(os.pathsep) if Path(place).is_absolute())
    yield from more


def interpreter() -> Iterator[str]:
    """Yield the interpreter that runs the tournament, and the places of its imports."""
    yield from (sys.prefix, sys.base_prefix)
    yield from _around(sys.executable)
    yield str(cache_folder() / "sdk")
    if site.ENABLE_USER_SITE:
        yield site.getusersitepackages()
    yield from packages()


def packages() -> Iterator[str]:
    """Yield the folders of the packages that bots import."""
    for package in (*_PACKAGES, *(package_of(game).partition(".")[0] for game in REGISTRY)):
        spec = find_spec(package)
        yield from (str(Path(place).absolute()) for place in (spec and spec.submodule_search_locations) or ())


def _node_modules(program: Executable) -> Iterator[str]:
    """Yield where Node looks for imports: folders above, and their link targets.

    The content of the bot's own folder is copied with the bot. In a submission no link
    is followed, but the SDK is shown.
    """
    if (sdk := node_sdk()) is not None:
        yield str(sdk)
    for folder in {folder for file in program.files for folder in Path(file).parents}:
        modules = folder / "node_modules"
        if modules.is_dir() and not modules.is_symlink():
            yield str(modules)
            if not program.submitted:
                yield from _linked(modules)
    if not program.submitted:
        for file in program.files:
            yield from _linked(Path(file) / "node_modules")


def _linked(modules: Path) -> Iterator[str]:
    if modules.is_dir():
        yield from (os.path.realpath(package) for package in modules.iterdir() if package.is_symlink())


def _executable(program: Executable) -> Iterator[str]:
    """Yield the program itself, with the files installed with it."""
    word = program.command[0]
    search = program.env.get("PATH", os.defpath)
    found = shutil.which(Path(program.cwd, word) if os.sep in word else word, path=search)
    if found is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), word)
    if program.interpreter:
        yield from _around(program.interpreter)
    elif not program.submitted:
        yield from _around(found)
    elif word in _RUNTIMES and (installed := shutil.which(word)) is not None:
        yield from _around(installed)


def _around(executable: str) -> Iterator[str]:
    """Yield a program, the files it links to, and the folder above each one's `bin`.

    Complete homes are left out. So is the folder in a home where users' programs lie
    beside their keys and settings.
    """
    kept = (Path.home(), Path(site.getuserbase()))
    link: Path | None = Path(executable).absolute()
    while link is not None:
        yield str(link)
        above = link.parent.parent
        if link.parent.name == "bin" and not any(home.is_relative_to(above) for home in kept):
            yield str(above)
        link = Path(os.path.normpath(link.parent / link.readlink())) if link.is_symlink() else None


def ways(places: Iterable[str]) -> Iterator[str]:
    """Arguments that make the folders above each place, open to everybody.

    Otherwise bubblewrap would give them the modes of their sources.
    """
    above = {folder for place in places for folder in _above(str(Path(place)))}
    for folder in sorted(above, key=lambda folder: folder.count(os.sep)):
        if not in_system(folder) and folder not in WRITABLE:
            yield from ("--dir", folder)


def mounts(shown: Collection[str], hidden: Collection[str], copied: Collection[str], copy_bytes: int) -> Iterator[str]:
    """Arguments that mount the shown places without the hidden, with room for copies.

    All paths are absolute. `copied` are the bot's own files and folders. A folder that
    receives a copy is empty at first.
    """
    show, own = {place for place in _normal(shown) if Path(place).exists()}, outermost(copied)
    room = {place if Path(place).is_dir() else str(Path(place).parent) for place in own} - {"/", *WRITABLE}
    hide = _normal(hidden) - show
    yield from ways(show | room)
    for place in sorted(show | room, key=lambda place: (place.count(os.sep), place)):
        if place in room:
            yield from ("--size", str(copy_bytes), "--tmpfs", place)
        elif not _is_seen(place, show, hide | room):
            yield from _opened(place, {path for path in hide if _is_below(path, place)})


def outermost(places: Iterable[str]) -> list[str]:
    """Return the places that lie in none of the others, in order."""
    found: list[str] = []
    for place in sorted(_normal(places), key=lambda place: (place.count(os.sep), place)):
        if not any(_is_below(place, other) for other in found):
            found.append(place)
    return found


def _normal(places: Iterable[str]) -> set[str]:
    return {os.path.normpath(place) for place in places} - {os.sep}


def _is_seen(place: str, show: Collection[str], cover: Collection[str]) -> bool:
    """Return whether `place` is visible through the nearest listed folder above it."""
    for above in _above(place):
        if above in cover:
            return False
        if above in show:
            return True
    return False


def _opened(place: str, hidden: Collection[str]) -> Iterator[str]:
    """Arguments that mount a place read-only, without the hidden places in it."""
    if not hidden:
        yield from ("--ro-bind-try", place, place)
        return
    yield from ("--dir", place)
    try:
        names = sorted(os.listdir(place))  # noqa: PTH208 - names are joined, not walked
    except OSError:
        return
    for name in names:
        path = f"{place}/{name}"
        if path in hidden:
            continue
        if Path(path).is_symlink():
            yield from ("--symlink", str(Path(path).readlink()), path)
        else:
            yield from _opened(path, {other for other in hidden if _is_below(other, path)})


def _above(place: str) -> Iterator[str]:
    """Yield the folders above a place, the nearest first, without the root."""
    while place := place.rpartition("/")[0]:
        yield place


def _is_below(path: str, place: str) -> bool:
    return path.startswith(f"{place}/")


def in_system(path: str) -> bool:
    """Return whether a path is in one of the system folders that every bot sees."""
    return path in SYSTEM or path.startswith(_IN_SYSTEM)


def closed_to_others(place: str) -> Path | None:
    """Return the first part of a path that users without rights cannot use."""
    path = Path(os.path.realpath(place))
    for part in (*reversed(path.parents), path):
        is_folder = part.is_dir()
        wanted = 0o001 if part != path else 0o005 if is_folder else 0o004
        if part.exists() and part.stat().st_mode & wanted != wanted:
            return part
    return None
