"""`python3 -m tests.pythons`: run the tests, but for those from end to end, on the
other Pythons of this machine.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

VERSIONS: Final = ("3.12", "3.13", "3.14")
KEPT: Final = Path("build", "pythons")
TELL: Final = "import sys, ensurepip, venv; print('%d.%d' % sys.version_info[:2])"


def find(version: str) -> str | None:
    """Return an interpreter of this version that works: on the path or of pyenv."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    kept = sorted(pyenv.glob(f"{version}.*/bin/python3"), reverse=True)
    for program in [shutil.which(f"python{version}"), *map(str, kept)]:
        if program:
            told = subprocess.run([program, "-c", TELL], capture_output=True, text=True, check=False).stdout
            if told.strip() == version:
                return program
    return None


def main(pytest_words: list[str]) -> int:
    statuses = []
    for version in VERSIONS:
        if (program := find(version)) is None:
            print(f"Python {version} was not found, so nothing was tried on it", flush=True)
            continue
        print(f"Python {version}: {program}", flush=True)
        python = KEPT / version / "bin" / "python"
        words = ["-m", "pytest", "-q", "-m", "not long", "--ignore=tests/e2e", "--ignore=tests/faults", *pytest_words]
        subprocess.run([program, "-m", "venv", str(KEPT / version)], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "-e", ".[all]"], check=True)
        statuses.append(subprocess.run([python, *words], check=False).returncode)
        print(f"Python {version}: {'well' if statuses[-1] == 0 else f'status {statuses[-1]}'}", flush=True)
    return max(statuses, default=0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
