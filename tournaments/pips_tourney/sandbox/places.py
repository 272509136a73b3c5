"""What of the disk a bot is shown: the system, its interpreter, what the league file
names, nothing else.

Nothing that a submission contains decides on it: its words and variables count only for
a bot whose entry stands in the league file itself.
"""

from __future__ import annotations

import errno
import os
import shutil
import site
import sys
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from pips_tourney.bots.executable import SYSTEM, Executable, environment
from pips_tourney.bots.interpreter import cache_folder, node_sdk

_SETTINGS: Final = (
    "alternatives", "group", "hosts", "java", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime", "nsswitch.conf",
    "passwd", "pki/ca-trust/extracted", "pki/java", "pki/tls/cert.pem", "pki/tls/certs", "ssl/cert.pem", "ssl/certs",
    "ssl/openssl.cnf", "timezone",
)  # fmt: skip
"""Of /etc. Not the folders that hold private keys."""
_JAVA_SETTINGS: Final = "java-*"
_PACKAGES: Final = ("pips", "pips_referee", "pips_sdk", "pips_sample_bots")
_PLACES_NAMED: Final = ("JAVA_HOME", "LD_LIBRARY_PATH", "NODE_PATH", "PYTHONPATH", "VIRTUAL_ENV")
"""Variables that hold places which a bot reads from."""
_RUNTIMES: Final = frozenset({"bun", "deno", "dotnet", "go", "java", "julia", "mono", "node", "perl", "php", "ruby"})
"""Programs that run bots: where the organiser has one of them, a submission is shown
it.
"""


def system_places() -> list[str]:
    """Folders of the system that are no links."""
    return [place for place in SYSTEM if Path(place).is_dir() and not Path(place).is_symlink()]


def system_links() -> list[tuple[str, str]]:
    """Folders of the system that are links, and what they say."""
    return [(place, str(Path(place).readlink())) for place in SYSTEM if Path(place).is_symlink()]


def settings() -> list[str]:
    """Files and folders of /etc that programs read."""
    etc = Path("/etc")
    found = [*(etc / name for name in _SETTINGS), *etc.glob(_JAVA_SETTINGS)]
    return [str(path) for path in found if path.exists()]


def readable(program: Executable, more: Iterable[str]) -> Iterator[str]:
    """What a bot reads that is no part of the system and not its own;
    `FileNotFoundError` without its command.
    """
    yield from _node_modules(program)
    yield from interpreter()
    yield from _executable(program)
    env = environment() if program.submitted else program.env
    for name in _PLACES_NAMED:
        yield from (place for place in env.get(name, "").split(os.pathsep) if Path(place).is_absolute())
    yield from more


def interpreter() -> Iterator[str]:
    """The interpreter that runs the tournament, and what it imports from."""
    yield from (sys.prefix, sys.base_prefix)
    yield from _around(sys.executable)
    yield str(cache_folder() / "sdk")
    if site.ENABLE_USER_SITE:
        yield site.getusersitepackages()
    for package in _PACKAGES:
        spec = find_spec(package)
        yield from (str(Path(place).absolute()) for place in (spec and spec.submodule_search_locations) or ())


def _node_modules(program: Executable) -> Iterator[str]:
    """Where Node looks for what a file imports: above it, and where the packages there
    are links to.

    What lies in the bot's own folder comes with it. Of a submission no link is
    followed, but the SDK is shown.
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
    """The program itself, with what was installed with it."""
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
    """A program, the files that it is a link to, and the folder above the `bin` that
    each of them is in.

    Not a whole home, nor the folder in one where users' programs lie beside their keys
    and settings.
    """
    kept = (Path.home(), Path(site.getuserbase()))
    link: Path | None = Path(executable).absolute()
    while link is not None:
        yield str(link)
        above = link.parent.parent
        if link.parent.name == "bin" and not any(home.is_relative_to(above) for home in kept):
            yield str(above)
        link = Path(os.path.normpath(link.parent / link.readlink())) if link.is_symlink() else None
