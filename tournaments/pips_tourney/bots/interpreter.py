"""The interpreter for a Python bot: the tournament's, its own, or a new environment.

An environment is installed once per interpreter, bot folder and requirements, into a
cache. No two bots share one, so nothing passes between them through it. Only wheels are
installed, and pip cannot start programs, so no code of a bot runs during installation.
The SDK is not installed. The bot uses the runner's own, through a .pth file. So no bot
speaks an older protocol than its referee, and nothing of Pips is downloaded. If the
interpreter has the runner's version, it finds the runner's packages after the bot's
own. Then most requirements need no network at all. Another version gets its own gRPC
and protobuf.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from importlib.metadata import requires, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from pips_tourney.errors import TourneyError

with suppress(ImportError):  # Windows lacks it
    import fcntl

REQUIREMENTS: Final = "requirements.txt"
LAST_LINES: Final = 12
INSTALL_S: Final = 900.0
"""Time limit for pip."""
START_S: Final = 20.0
_SDK: Final = ("pips", "pips_referee", "pips_sdk")
_SDK_NEEDS: Final = ("grpcio", "msgspec", "protobuf")
_DONE: Final = "installed"
_WHEELS: Final = Path(__file__).with_name("wheels.py")
_ASK: Final = (
    "import json, sys, sysconfig as s; print(json.dumps([sys.version, s.get_config_var('SOABI'), sys.prefix]))"
)


class InstallError(TourneyError):
    """A bot's interpreter or environment is unavailable; the text has pip's message."""


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A Python bot's interpreter, and the variables that let it import the SDK."""

    path: str = sys.executable
    env: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Requirements:
    """A bot's required packages: the text of its requirements.txt, and its folder."""

    text: str
    folder: Path
    wheels: Path | None = None
    """The only folder that wheels are taken from; None for pip's configured index."""
    most_mb: int = 512
    """The most space for all its wheels when unpacked."""

    def lines(self) -> list[str]:
        """Return the lines for pip.

        Raises `InstallError` for a line with anything but a package name or own wheel.
        """
        taken = []
        for number, line in enumerate(self.text.splitlines(), 1):
            bare = re.sub(r"(^|\s)#.*", "", line).strip()
            if not bare:
                continue
            if (wheel := _LOCAL.fullmatch(bare)) is not None and ".." not in wheel[1].split("/"):
                taken.append(str(self.folder / wheel[1]))
            elif _BY_NAME.fullmatch(bare) is not None:
                taken.append(bare)
            else:
                raise InstallError(
                    f"{self.folder / REQUIREMENTS}, line {number}: {bare[:80]!a} is not installed: write a name with "
                    "its version, such as numpy==2.1, or ./FILE.whl in the bot's folder"
                )
        return taken


_LOCAL: Final = re.compile(r"\./([A-Za-z0-9._+/-]+\.whl)")
_BY_NAME: Final = re.compile(
    r"(?!.*\s-)[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?\s*(?:\[[A-Za-z0-9._,\s-]*\])?"
    r"\s*(?:\(?\s*(?:===|[<>=!~]=|<|>)[^;@()$\\]*\)?)?\s*(?:;[^@$\\]*)?"
)
"""PEP 508 without an address: `name[extra] >=1,<2; python_version > "3.11"`.

No `$` and no backslash: pip would fill in its variables, or join two lines. No option:
pip drops one without a word, or obeys it for all lines, as `--hash`.
"""

Run = Callable[[Sequence[str], Sequence[Path], Path, bool], tuple[int, str]]
"""Runs a command within limits; returns its status and output.

The arguments: the command, paths it may read, the folder it may write to, and whether
it may use the network.
"""


def interpreter(python: str | None, wants: Requirements | None, run: Run) -> Interpreter:
    """Return `python` or the tournament's interpreter, with the requirements."""
    if wants is not None:
        return Interpreter(str(_environment(python or sys.executable, wants, run) / "bin" / "python"))
    if python is None:
        return Interpreter()
    _ask(python)
    paths = [str(_sdk_folder()), *filter(None, [os.environ.get("PYTHONPATH")])]
    return Interpreter(python, {"PYTHONPATH": os.pathsep.join(paths)})


@cache
def _ask(python: str) -> tuple[str, str, str]:
    """Return an interpreter's version, its ABI name, and where it is installed."""
    try:
        said = subprocess.run([python, "-c", _ASK], capture_output=True, text=True, timeout=START_S, check=True).stdout
        version, interface, prefix = json.loads(said)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        raise InstallError(f"python = {python!r} is no Python that can be started: {error}") from None
    return version, interface, prefix


def cache_folder() -> Path:
    """Return the folder of all environments. It may be deleted between two nights."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "pips"


def _environment(python: str, wants: Requirements, run: Run) -> Path:
    """Return the environment for a bot's requirements; install it if it is missing."""
    what = [*_ask(python), sys.version, sys.prefix, version("pips-tourney"), str(wants.folder), wants.text]
    folder = cache_folder() / "environments" / sha256(json.dumps(what).encode()).hexdigest()[:16]
    if not (folder / _DONE).is_file():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with _locked(folder.with_suffix(".lock")):
            if not (folder / _DONE).is_file():
                _install(python, wants, folder, run)
    return folder


def _install(python: str, wants: Requirements, folder: Path, run: Run) -> None:
    lines, file = wants.lines(), wants.folder / REQUIREMENTS
    shutil.rmtree(folder, ignore_errors=True)
    _run([python, "-m", "venv", "--without-pip", str(folder)], file, f"{python} cannot make an environment")
    same = _ask(python)[:2] == _ask(sys.executable)[:2]
    packages = _run(
        [str(folder / "bin" / "python"), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], file, "venv"
    ).strip()
    paths = [str(_sdk_folder())]
    if same:  # unlike a plain line, `addsitedir` follows the .pth files there, even those of editable installs
        paths += [f"import site; site.addsitedir({place!r})" for place in _own_packages()]
    (Path(packages) / "pips.pth").write_text("\n".join(paths) + "\n", encoding="utf-8")
    needs, wanted = folder / "sdk-needs.txt", folder / REQUIREMENTS
    needs.write_text("\n".join(_sdk_needs()) + "\n", encoding="utf-8")
    wanted.write_text("\n".join(lines) + "\n", encoding="utf-8")
    # The SDK's needs constrain the bot's wishes. If no package of the runner fits, they
    # are installed too.
    asked = ["--requirement", str(wanted), "--constraint" if same else "--requirement", str(needs)]
    _Pip(folder, wants, [wants.folder, Path(_ask(python)[2])], run).install(asked)
    (folder / _DONE).touch()


@dataclass(frozen=True, slots=True)
class _Pip:
    """pip for one environment: resolves, fetches and installs in three separate runs.

    None of the three builds or runs anything. The first two may have a network and the
    organiser's settings for it. The last has neither.
    """

    folder: Path
    wants: Requirements
    reads: Sequence[Path]
    run: Run

    def install(self, asked: Sequence[str]) -> None:
        own = [line for line in self.wants.lines() if line.startswith("/")]
        report, fetched = self.folder / "resolved.json", self.folder / "wheels"
        self._do(["install", "--dry-run", "--report", str(report), *self._index(), *asked], own)
        local, named = self._resolved(json.loads(report.read_text(encoding="utf-8")), own)
        if named:
            self._do(["download", "--no-deps", "--dest", str(fetched), *self._index(), *named])
            local += map(str, sorted(fetched.iterdir()))
        if local:
            self._do(["install", "--no-deps", "--no-index", "--ignore-installed", *local], local, network=False)
        shutil.rmtree(fetched, ignore_errors=True)

    def _index(self) -> list[str]:
        wheels = self.wants.wheels
        return [] if wheels is None else ["--no-index", "--find-links", str(wheels)]

    def _resolved(self, report: Mapping[str, Any], own: Sequence[str]) -> tuple[list[str], list[str]]:
        """Return the local wheels, and the packages to fetch by name."""
        local, named = [], []
        for package in report["install"]:
            data, url = package["metadata"], urlsplit(package["download_info"]["url"])
            path = unquote(url.path) if url.scheme == "file" else ""
            if package["is_direct"] and path not in own:
                raise InstallError(
                    f"{self.wants.folder / REQUIREMENTS}: {data['name']} is required by its address, "
                    "which is not installed: only names and the bot's own wheels are"
                )
            local += [path] if path else []
            named += [] if path else [f"{data['name']}=={data['version']}"]
        return local, named

    def _do(self, words: Sequence[str], wheels: Sequence[str] = (), network: bool = True) -> None:
        """Check the wheels, then run a command of pip."""
        found = find_spec("pip")
        if found is None or found.origin is None:
            raise InstallError(
                f"{sys.executable} has no pip, which installs what bots need: {sys.executable} -m ensurepip"
            )
        runner = Path(found.origin).with_name("__pip-runner__.py")
        command = [str(self.folder / "bin" / "python"), "-I", "-c", _WHEELS.read_text(encoding="utf-8")]
        command += [str(self.wants.most_mb << 20), str(len(wheels)), *wheels, str(runner), *words]
        command += ["--no-input", "--disable-pip-version-check", "--only-binary", ":all:"]
        reads = [*self.reads, *([] if self.wants.wheels is None else [self.wants.wheels])]
        status, told = self.run(command, reads, self.folder, network and self.wants.wheels is None)
        if status:
            file = self.wants.folder / REQUIREMENTS
            raise InstallError(_told(file, "pip could not install it, from wheels alone", told))


def _run(words: Sequence[str], file: Path, what: str) -> str:
    try:
        ended = subprocess.run(
            words, cwd=file.parent, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, errors="replace", timeout=INSTALL_S, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise InstallError(f"{file}: {what}: it took more than {INSTALL_S:g} s") from None
    if ended.returncode != 0:
        raise InstallError(_told(file, what, ended.stdout))
    return ended.stdout


def _told(file: Path, what: str, output: str) -> str:
    last = [f"    | {line}" for line in output.rstrip().splitlines()[-LAST_LINES:]]
    return "\n".join([f"{file}: {what}:", *last])


def _sdk_needs() -> Iterator[str]:
    """Yield the SDK's requirements."""
    for need in requires("pips-tourney") or ():
        if re.split(r"[^A-Za-z0-9-]", need)[0] in _SDK_NEEDS:
            yield need


def _own_packages() -> list[str]:
    """Return the folders of the runner's own packages."""
    found = find_spec("grpc")
    assert found is not None and found.origin is not None
    places = [sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), str(Path(found.origin).parents[1])]
    return list(dict.fromkeys(places))


def _sdk_folder() -> Path:
    """Return a folder with only the SDK, for an interpreter with other packages."""
    places = {}
    for name in _SDK:
        found = find_spec(name)
        assert found is not None and found.origin is not None
        places[name] = Path(found.origin).parent
    folder = (
        cache_folder() / "sdk" / sha256(json.dumps([str(place) for place in places.values()]).encode()).hexdigest()[:16]
    )
    folder.mkdir(parents=True, exist_ok=True)
    for name, place in places.items():
        link = folder / name
        if not link.is_symlink():
            try:
                link.symlink_to(place, target_is_directory=True)
            except FileExistsError:  # another runner did it first
                continue
    return folder


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold a lock: one process installs, others wait."""
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def node_sdk() -> Path | None:
    """Return the JavaScript SDK if it lies beside the Python one, as in a checkout."""
    spec = find_spec("pips_sdk")
    for place in (spec and spec.submodule_search_locations) or ():
        beside = Path(place).absolute().parent / "js"
        if (beside / "package.json").is_file():
            return beside
    return None
