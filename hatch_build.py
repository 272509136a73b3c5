"""The contract as Python: generates `proto/pips/v1/*_pb2*` for installs and wheels.

By hand, after a change under proto/: `python hatch_build.py`, or `make proto`.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import grpc_tools
from grpc_tools import protoc
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_SERVICE = re.compile(r"^service\s", re.MULTILINE)
_WELL_KNOWN = Path(grpc_tools.__file__).parent / "_proto"


class GenerateContract(BuildHookInterface):  # type: ignore[type-arg]  # hatchling does not export its configuration's type
    """Generates the code, and adds deal suites and league files to the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        root = Path(self.root)
        generate(root / "proto")
        if version == "standard":
            build_data["force_include"].update(house_files(root))


def generate(proto: Path) -> None:
    """Messages and stubs for every `.proto` file below; gRPC code for services.

    Only files that differ are written, so that a process that imports the code
    meanwhile is not disturbed.
    """
    sources = sorted(proto.glob("pips/v1/*.proto"))
    services = [source for source in sources if _SERVICE.search(source.read_text(encoding="utf-8"))]
    with TemporaryDirectory() as folder:
        _run_protoc(proto, sources, folder, "python", "mypy")
        _run_protoc(proto, services, folder, "grpc_python", "mypy_grpc")
        made = {proto / file.relative_to(folder): file.read_bytes() for file in Path(folder).rglob("*_pb2*")}
    for file, code in made.items():
        if not file.exists() or file.read_bytes() != code:
            file.write_bytes(code)
    for stale in set(proto.glob("pips/v1/*_pb2*")) - set(made):
        stale.unlink()


def house_files(root: Path) -> dict[str, str]:
    """Deal suites, leagues, JavaScript SDK, kits, a learner: here, and in a wheel."""
    found = {
        "pips_tourney/seeds": root.glob("seeds/*.deals"),
        "pips_tourney/leagues": root.glob("tournaments/*.toml"),
        "pips_sdk/js": root.glob("sdk/js/*.*"),
        "pips_tourney/learned": root.glob("sample_bots/learned/*.py"),
    } | {
        f"pips_tourney/languages/{kit.parent.name}": (
            file for file in kit.parent.glob("*.*") if file.name[0] != "." and file.suffix not in (".class", ".exe")
        )
        for kit in root.glob("sample_bots/languages/*/bot.toml")
    }
    return {str(file): f"{folder}/{file.name}" for folder, files in found.items() for file in files}


def _run_protoc(proto: Path, sources: list[Path], folder: str, *outputs: str) -> None:
    # The plugins of mypy-protobuf are scripts of the build's environment, which need
    # not be activated.
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    options = [f"-I{proto}", f"-I{_WELL_KNOWN}", *[f"--{output}_out={folder}" for output in outputs]]
    if status := protoc.main(["protoc", *options, *map(str, sources)]):
        raise SystemExit(f"protoc ended with status {status}")


if __name__ == "__main__":
    generate(Path(__file__).parent / "proto")
