"""What an author begins with: the packages that run here, starters and rules.

Anybody gets them, for installers show no invite. Each is made once.
"""

from __future__ import annotations

import io
import subprocess
import tarfile
import zipfile
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterator
from functools import cached_property, partial
from hashlib import sha256
from importlib.metadata import distribution, version
from pathlib import Path
from shlex import quote
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Final

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

import pips_tourney
from pips_referee.game import get_game
from pips_referee.installed import wheel_of
from pips_referee.versions import PACKAGE
from pips_tourney.league.read import read_league
from pips_tourney.place.site import PlaceSite
from pips_tourney.workshop.house_files import house_files
from pips_tourney.workshop.new_bot import copy_js_sdk, new_bot

PACKAGES: Final = (
    "proto/pips", "referee/pips_referee", "sdk/pips_sdk", "sample_bots/pips_sample_bots", "tournaments/pips_tourney",
)  # fmt: skip
"""The folders of a checkout that are packages."""
ROOT: Final = Path(pips_tourney.__file__).parents[2]
"""The checkout, where this is one."""
STEM: Final = f"{PACKAGE.replace('-', '_')}-{version(PACKAGE)}"
WHEEL: Final = f"{STEM}-py3-none-any.whl"
_TAGS: Final = f"Wheel-Version: 1.0\nGenerator: {PACKAGE}\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
_KINDS: Final = {".whl": "application/zip", ".zip": "application/zip", ".tgz": "application/gzip", ".md": "text/plain"}


class Downloads:
    """Handlers for everybody, with an invite or without."""

    def __init__(self, site: PlaceSite) -> None:
        self._site, self._made, self._making = site, dict[str, bytes](), Lock()

    def routes(self) -> list[Route]:
        return [Route("/begin", self.page), Route("/files/{name}", self.file)]

    @cached_property
    def _games(self) -> list[str]:
        return [game.name for game in read_league(self._site.desk.league).file.games]

    @cached_property
    def _makers(self) -> dict[str, Callable[[], bytes]]:
        """By name of a file, what makes it."""
        games = {f"{game}-starter.zip": partial(starter, game) for game in self._games}
        rules = {f"{game}-rules.md": partial(_rules, game) for game in self._games}
        return {WHEEL: wheel, "pips-sdk.tgz": js_package, **games, **rules}

    async def page(self, request: Request) -> Response:
        wheels = [wheel_of(game) for game in self._games]
        others = ["" if wheel.startswith(f"{PACKAGE} ") else wheel for wheel in wheels]
        games = [(game, quote(game), get_game(game).title, of) for game, of in zip(self._games, others, strict=True)]
        return self._site.page(
            request, "begin.html", "How to begin", here=self._site.here(request), wheel=WHEEL, games=games
        )

    async def file(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in self._makers:
            raise HTTPException(404, "There is no such file.")
        return Response(await run_in_threadpool(self._content, name), media_type=_KINDS[Path(name).suffix])

    def _content(self, name: str) -> bytes:
        with self._making:
            if name not in self._made:
                self._made[name] = self._makers[name]()
            return self._made[name]


def wheel() -> bytes:
    """The wheel of the version that runs here, of its own files."""
    names = {name: path.read_bytes() for name, path in _files()}
    about, info = distribution(PACKAGE), f"{STEM}.dist-info"
    texts = {"METADATA": about.read_text("METADATA"), "WHEEL": _TAGS}
    texts |= {name: about.read_text(name) for name in ("entry_points.txt", "licenses/LICENSE")}
    names |= {f"{info}/{name}": text.encode() for name, text in texts.items() if text is not None}
    record = [f"{name},sha256={_digest(data)},{len(data)}\n" for name, data in names.items()]
    return _zipped(names | {f"{info}/RECORD": "".join([*record, f"{info}/RECORD,,\n"]).encode()})


def _digest(data: bytes) -> str:
    return urlsafe_b64encode(sha256(data).digest()).rstrip(b"=").decode()


def _files() -> Iterator[tuple[str, Path]]:
    """Our own files by their names in a wheel, whatever else lies beside them."""
    about, tops = distribution(PACKAGE), {Path(package).name for package in PACKAGES}
    names = {str(file): Path(str(file.locate())) for file in about.files or () if file.parts[0] in tops}
    for name, path in sorted((names or _tracked()).items()):
        if path.is_file() and "__pycache__" not in path.parts:
            yield name, path


def _tracked() -> dict[str, Path]:
    """What git tracks of a checkout, and the code that is made of the contract."""
    try:
        words = ("git", "ls-files", "-z")
        told = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        raise HTTPException(503, "Not here: the organiser installs Pips with `pip install .`, or git.") from None
    files = {ROOT / name for name in told.split("\0") if name}
    for file in [file for file in files if file.suffix == ".proto"]:
        files |= {file.with_name(f"{file.stem}_pb2{end}") for end in (".py", ".pyi", "_grpc.py", "_grpc.pyi")}
    homes = [ROOT / package for package in PACKAGES]
    names = {file.relative_to(home.parent).as_posix(): file for home in homes for file in files if home in file.parents}
    return names | {name: file for name, file in house_files(ROOT).items() if file in files}


def js_package() -> bytes:
    """The JavaScript SDK, as `npm install` takes it."""
    into, own = io.BytesIO(), {f"package/{name.removeprefix('pips_sdk/js/')}" for name, _ in _files()}
    with TemporaryDirectory() as folder, tarfile.open(fileobj=into, mode="w:gz") as archive:
        copy_js_sdk(Path(folder) / "package")
        archive.add(
            Path(folder) / "package", "package", filter=lambda each: each if each.isdir() or each.name in own else None
        )
    return into.getvalue()


def starter(game: str) -> bytes:
    """A bot to begin with, as `pips-bot new` writes it."""
    with TemporaryDirectory() as folder:
        paths = new_bot(Path(folder) / "my_bot", game, "python")
        return _zipped({f"my_bot/{path.name}": path.read_bytes() for path in paths})


def _rules(game: str) -> bytes:
    return get_game(game).rulebook().encode()


def _zipped(files: dict[str, bytes]) -> bytes:
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return into.getvalue()
