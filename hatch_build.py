"""The contract as Python: generates `proto/pips/v1/*_pb2*` for installs and wheels.

By hand, after a change under proto/: `python hatch_build.py`, or `make proto`.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from runpy import run_path
from tempfile import TemporaryDirectory
from typing import Any

import grpc_tools
from grpc_tools import protoc
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_SERVICE = re.compile(r"^service\s", re.MULTILINE)
HOUSE_FILES = "tournaments/pips_tourney/workshop/house_files.py"
_WELL_KNOWN = Path(grpc_tools.__file__).parent / "_proto"


class GenerateContract(BuildHookInterface):  # type: ignore[type-arg]  # hatchling does not export its configuration's type
    """Generates the code, and adds deal suites and league files to the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        root = Path(self.root)
        generate(root / "proto")
        if version == "standard":
            house_files = run_path(str(root / HOUSE_FILES))["house_files"]
            build_data["force_include"].update({str(file): name for name, file in house_files(root).items()})


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


def _run_protoc(proto: Path, sources: list[Path], folder: str, *outputs: str) -> None:
    # The plugins of mypy-protobuf are scripts of the build's environment, which need
    # not be activated.
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    options = [f"-I{proto}", f"-I{_WELL_KNOWN}", *[f"--{output}_out={folder}" for output in outputs]]
    if status := protoc.main(["protoc", *options, *map(str, sources)]):
        raise SystemExit(f"protoc ended with status {status}")


if __name__ == "__main__":
    generate(Path(__file__).parent / "proto")
