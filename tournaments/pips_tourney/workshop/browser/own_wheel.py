"""Build a wheel of the running version, from its own files."""

from __future__ import annotations

import io
import subprocess
import zipfile
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from hashlib import sha256
from importlib.metadata import distribution, version
from pathlib import Path
from typing import Final

import pips_tourney
from pips_referee.versions import PACKAGE
from pips_tourney.errors import TourneyError
from pips_tourney.workshop.house_files import house_files

PACKAGES: Final = (
    "proto/pips", "referee/pips_referee", "sdk/pips_sdk", "sample_bots/pips_sample_bots", "tournaments/pips_tourney",
)  # fmt: skip
"""The folders of a checkout that are packages."""
ROOT: Final = Path(pips_tourney.__file__).parents[2]
"""The root of the checkout, if Pips runs from one."""
STEM: Final = f"{PACKAGE.replace('-', '_')}-{version(PACKAGE)}"
WHEEL: Final = f"{STEM}-py3-none-any.whl"
_TAGS: Final = f"Wheel-Version: 1.0\nGenerator: {PACKAGE}\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


class NoWheel(TourneyError):
    """A checkout whose own files cannot be listed."""


def wheel() -> bytes:
    """The wheel of the running version, from its own files."""
    names = {name: path.read_bytes() for name, path in own_files()}
    about, info = distribution(PACKAGE), f"{STEM}.dist-info"
    texts = {"METADATA": about.read_text("METADATA"), "WHEEL": _TAGS}
    texts |= {name: about.read_text(name) for name in ("entry_points.txt", "licenses/LICENSE")}
    names |= {f"{info}/{name}": text.encode() for name, text in texts.items() if text is not None}
    record = [f"{name},sha256={_digest(data)},{len(data)}\n" for name, data in names.items()]
    return zipped(names | {f"{info}/RECORD": "".join([*record, f"{info}/RECORD,,\n"]).encode()})


def _digest(data: bytes) -> str:
    return urlsafe_b64encode(sha256(data).digest()).rstrip(b"=").decode()


def own_files() -> Iterator[tuple[str, Path]]:
    """Our own files by their names in a wheel, without any other files beside them."""
    about, tops = distribution(PACKAGE), {Path(package).name for package in PACKAGES}
    names = {str(file): Path(str(file.locate())) for file in about.files or () if file.parts[0] in tops}
    for name, path in sorted((names or _tracked()).items()):
        if path.is_file() and "__pycache__" not in path.parts:
            yield name, path


def _tracked() -> dict[str, Path]:
    """The files that git tracks, and the code generated from the contract."""
    try:
        words = ("git", "ls-files", "-z")
        told = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        raise NoWheel("Not here: the organiser installs Pips with `pip install .`, or git.") from None
    files = {ROOT / name for name in told.split("\0") if name}
    for file in [file for file in files if file.suffix == ".proto"]:
        files |= {file.with_name(f"{file.stem}_pb2{end}") for end in (".py", ".pyi", "_grpc.py", "_grpc.pyi")}
    homes = [ROOT / package for package in PACKAGES]
    names = {file.relative_to(home.parent).as_posix(): file for home in homes for file in files if home in file.parents}
    return names | {name: file for name, file in house_files(ROOT).items() if file in files}


def zipped(files: dict[str, bytes]) -> bytes:
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return into.getvalue()
