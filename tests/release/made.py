"""Packages and their bill of materials, made of the commit that is checked out."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

ROOT: Final = Path(__file__).parents[2]
VERSION: Final = version("pips-tourney")
EXTRAS: Final = "dask,gym,league,models"
"""All but those for who works on it, and `openspiel`, whose games are not ours."""
SILENT: Final = {"partd": "BSD-3-Clause", "protobuf": "BSD-3-Clause"}
"""Parts whose LICENSE alone says their licence, where no tool looks."""
COPY_JS: Final = """
import sys; from pathlib import Path; from pips_tourney.workshop.begin.new_bot import copy_js_sdk
copy_js_sdk(Path(sys.argv[1]))
"""


class NoRelease(Exception):
    """What is in the way of a release."""


def run(*command: str | Path, cwd: Path = ROOT, umask: int = -1, **variables: str) -> str:
    """Return what a command prints; `NoRelease` has all it said when it fails."""
    env = {**os.environ, **variables}
    ended = subprocess.run(command, cwd=cwd, env=env, umask=umask, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise NoRelease(f"{' '.join(map(str, command))}\n{ended.stdout}{ended.stderr}")
    return ended.stdout


def packages(folder: Path, umask: int, epoch: str) -> dict[str, bytes]:
    """Return wheel, sdist and JavaScript package, built from a clone in this folder."""
    source, built, js = folder / "source", folder / "built", folder / "package"
    folder.mkdir()
    run("git", "clone", "-q", ROOT, source, umask=umask)
    words = ("-m", "build", "--no-isolation", "--outdir", built, source)
    run(sys.executable, *words, umask=umask, SOURCE_DATE_EPOCH=epoch)
    [wheel] = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "wheel")
    run(sys.executable, "-c", COPY_JS, js, cwd=folder, umask=umask, PYTHONPATH=str(folder / "wheel"))
    for file in (source / "LICENSE", source / "sdk" / "js" / "README.md"):
        shutil.copy(file, js)
    run("npm", "pkg", "delete", "private", cwd=js)  # a checkout's package lacks the contract, and stays at home
    for file in (file for file in js.rglob("*") if file.is_file()):
        file.chmod(0o644)  # npm keeps what the umask gave
    run("npm", "pack", "--silent", "--ignore-scripts", "--pack-destination", built, cwd=js, umask=umask)
    return {file.name: file.read_bytes() for file in built.iterdir()}


def check_same(one: dict[str, bytes], other: dict[str, bytes]) -> None:
    """`NoRelease` names the files in which two builds differ."""
    if odd := sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name)):
        raise NoRelease(f"two builds of one commit differ in {', '.join(odd)}")


def bill(wheel: Path, epoch: str) -> dict[str, Any]:
    """Return a bill of materials in CycloneDX, a licence with every part.

    It has what an installation with all extras has, and what the JavaScript package
    stands on.
    """
    with TemporaryDirectory() as folder:
        python = Path(folder) / "bin" / "python"
        run(sys.executable, "-m", "venv", "--without-pip", folder)
        run(sys.executable, "-m", "pip", "--python", python, "install", "--no-compile", f"{wheel}[{EXTRAS}]")
        words = ("-m", "cyclonedx_py", "environment", "--output-reproducible", "--short-PURLs", python)
        listed: dict[str, Any] = json.loads(run(sys.executable, *words, SOURCE_DATE_EPOCH=epoch))
    for part in listed["components"]:
        if not part.get("licenses") and part["name"] in SILENT:
            part["licenses"] = [{"license": {"id": SILENT[part["name"]]}}]
    listed["components"] += js_parts(json.loads((ROOT / "sdk" / "js" / "package-lock.json").read_text()))
    return listed


def js_parts(lock: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what npm installs with the JavaScript package, as parts of a bill."""
    parts = []
    for place, about in lock["packages"].items():
        if place and not about.get("dev"):
            name = place.rpartition("node_modules/")[2]
            purl = f"pkg:npm/{name.replace('@', '%40')}@{about['version']}"
            licences = [{"license": {"id": about["license"]}}] if "license" in about else []
            part = {"type": "library", "bom-ref": purl, "name": name, "version": about["version"], "purl": purl}
            parts.append({**part, "licenses": licences})
    return parts


def licences(listed: dict[str, Any]) -> str:
    """Return the parts of a bill with their licences, one a line.

    `NoRelease` names a part without one.
    """
    lines = []
    for part in sorted(listed["components"], key=lambda part: str(part["name"]).lower()):
        if not (each := [_said(licence) for licence in part.get("licenses", [])]):
            raise NoRelease(f"nobody says which licence {part['name']} has")
        lines.append(f"{part['name']} {part['version']}: {'; '.join(dict.fromkeys(each))}\n")
    return "".join(lines)


def _said(licence: dict[str, Any]) -> str:
    return str(licence.get("expression") or licence["license"].get("id") or licence["license"]["name"])
