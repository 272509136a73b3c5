"""The files that a browser needs to play bots: Python, two wheels, and an editor.

One command fetches them once; web servers then have their own copies.
"""

from __future__ import annotations

import gzip
import io
import json
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import Final

from pips_tourney.bots.interpreter import cache_folder
from pips_tourney.errors import TourneyError

ARCHIVES: Final = {
    "pyodide-314.0.7.tgz": "66b7949e5a0cba2250b586d7e368bf12fb482800748d182c4618254b685ffaa0",
    "codemirror-5.65.21.tgz": "b26d9d7ae0f42e34b44a8f7667d29a3ab0d3df88d0e79c0dad39dc03ba43f6dc",
    "msgspec-0.22.0-cp314-cp314-pyemscripten_2026_0_wasm32.whl": (
        "a66b1766311e42371e509c996c3933b161c7ae0eabdf361af5316dec197e1022"
    ),
    "protobuf-6.33.6-py3-none-any.whl": "77179e006c476e69bf8e8ce866640091ec42e1beb80b213c3900006ecfba6901",
}
"""The archives from npm and PyPI, with their SHA-256, for this Pyodide's ABI."""
TAGS: Final = ("--python-version=314", "--implementation=cp", "--platform=pyemscripten_2026_0_wasm32", "--platform=any")
MEMBERS: Final = (
    "pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "lib/codemirror.js",
    "lib/codemirror.css", "mode/python/python.js",
)  # fmt: skip
"""The files used from the packages of npm."""
WHEELS: Final = tuple(name for name in ARCHIVES if name.endswith(".whl"))
FILES: Final = (*(member.rpartition("/")[2] for member in MEMBERS), *WHEELS)
"""The served files, all in one folder."""
PACKED: Final = (".js", ".mjs", ".wasm", ".css")
"""Suffixes of files also stored compressed, for a class that shares one WLAN."""
STAMP: Final = sha256(repr(ARCHIVES).encode()).hexdigest()[:12]
"""The version of the files; addresses contain it, so that browsers can cache them."""
INSTALL: Final = "pips-bot workshop --install"


LOCK: Final = {
    "info": {"abi_version": "2026_0", "arch": "wasm32", "platform": "emscripten_5_0_3", "python": "3.14.2"},
    "packages": {},
}
"""Pyodide's lock file: its version, and no packages to fetch."""
STDLIB: Final = "python_stdlib.zip"
STDLIB_HOME: Final = "/lib/python314.zip"
"""Where Pyodide puts the standard library."""
LINE: Final = 200
"""The most characters shown of each line of a program's output."""
_HERE: Final = Path(__file__)


class NoRuntime(TourneyError):
    """The files are missing and could not be fetched; the text says what to do."""


def runtime_folder() -> Path:
    """The folder of the files; it exists only when all of them do."""
    return cache_folder() / "workshop" / STAMP


def install(source: Path | None = None) -> Path:
    """Fetch the files, or take them from a folder of archives; returns their folder.

    Raises `NoRuntime`.
    """
    folder = runtime_folder()
    if folder.is_dir():
        return folder
    with TemporaryDirectory() as fetched:
        if source is None:
            _fetch(fetched)
        given = source or Path(fetched)
        if absent := [name for name in ARCHIVES if not (given / name).is_file()]:
            raise NoRuntime(f"{given} has no {', '.join(absent)}")
        archives = {name: _checked(given / name, digest) for name, digest in ARCHIVES.items()}
        try:
            _write(archives, folder)
        except OSError as error:
            raise NoRuntime(f"{folder} cannot be written: {error.strerror}") from None
    return folder


def _write(archives: Mapping[str, bytes], folder: Path) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    making = Path(mkdtemp(dir=folder.parent))
    try:
        for name, data in _contents(archives):
            (making / name).write_bytes(data)
            if name.endswith(PACKED):
                (making / f"{name}.gz").write_bytes(gzip.compress(data, mtime=0))
        making.chmod(0o755)
        making.rename(folder)
    except OSError:
        if not folder.is_dir():  # otherwise another install was faster
            raise
    finally:
        shutil.rmtree(making, ignore_errors=True)


def compiled_wheel(data: bytes) -> Path:
    """The path of the same wheel with the bytecode of its modules, if that was made."""
    return runtime_folder() / f"own-{sha256(data).hexdigest()[:12]}.whl"


def compile_modules(own: bytes) -> None:
    """Let a tab's Python compile the modules that it loads, including our own wheel.

    A tab then starts in half the time. Raises `NoRuntime` if that fails.
    """
    folder = runtime_folder()
    if compiled_wheel(own).is_file():
        return
    if (node := shutil.which("node")) is None:
        raise NoRuntime("node is not installed on this machine, so a tab takes twice the time to begin")
    try:
        with TemporaryDirectory(dir=folder) as making:
            _compile(node, Path(making), own)
    except OSError as error:
        raise NoRuntime(f"{folder} cannot be written, so a tab takes twice the time: {error.strerror}") from None


def _compile(node: str, making: Path, own: bytes) -> None:
    folder, wheel = runtime_folder(), making / compiled_wheel(own).name
    wheel.write_bytes(own)
    wanted = {wheel: ""} | {folder / name: "" for name in WHEELS}
    if not _is_compiled(folder / STDLIB):
        wanted[folder / STDLIB] = STDLIB_HOME
    made = [making / f"made-{path.name}" for path in wanted]
    words = [(str(path), str(to), home) for (path, home), to in zip(wanted.items(), made, strict=True)]
    mjs, script = (str(_HERE.with_name(name)) for name in ("compile.mjs", "compiled.py"))
    _run([node, mjs, str(folder), json.dumps(LOCK), script, *chain(*words)], "compiled", named=1)
    for older in folder.glob("own-*.whl"):
        older.unlink(missing_ok=True)
    for path, to in zip(wanted, made, strict=True):
        to.chmod(0o644)
        to.replace(folder / path.name)


def _is_compiled(path: Path) -> bool:
    with zipfile.ZipFile(path) as archive:
        return any(name.endswith(".pyc") for name in archive.namelist())


def _fetch(into: str) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise NoRuntime(
            "npm is not installed on this machine: install it (on Debian and Ubuntu: apt-get install npm), "
            f"or put {', '.join(ARCHIVES)} into a folder, and name that with --from"
        )
    packages = ["@".join(name.removesuffix(".tgz").split("-")) for name in ARCHIVES if name not in WHEELS]
    _run([npm, "pack", "--silent", f"--cache={into}/npm", "--pack-destination", into, *packages])
    wheels = ["==".join(name.split("-")[:2]) for name in WHEELS]
    words = ("download", "--quiet", "--no-deps", "--only-binary=:all:", "--dest", into)
    _run([sys.executable, "-m", "pip", *words, *TAGS, *wheels])


def _run(words: Sequence[str], done: str = "fetched", named: int = 3) -> None:
    ended = subprocess.run(
        words, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", errors="replace", check=False
    )
    if ended.returncode:
        said = "\n".join(line[:LINE] for line in (ended.stderr or ended.stdout).strip().splitlines()[-5:])
        raise NoRuntime(f"the workshop's files could not be {done}: {' '.join(words[:named])} said\n{said}")


def _checked(path: Path, digest: str) -> bytes:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise NoRuntime(f"{path} cannot be read: {error.strerror}") from None
    if sha256(data).hexdigest() != digest:
        raise NoRuntime(f"{path} is not the file that was published under this name: fetch it again")
    return data


def _contents(archives: Mapping[str, bytes]) -> Iterator[tuple[str, bytes]]:
    """The files by name, without their folders."""
    for name, data in archives.items():
        if name in WHEELS:
            yield name, data
            continue
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            for member in archive:
                if member.name.removeprefix("package/") in MEMBERS and (file := archive.extractfile(member)):
                    yield Path(member.name).name, file.read()
