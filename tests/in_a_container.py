"""Runs tests as root in a container: `python -m tests.in_a_container PYTEST-ARGUMENTS`.

A container has no user namespaces, so no bubblewrap (tests/machines/container.py).
Ways to the interpreter are open to others, as in its images.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.as_another_user import ROOT, view
from tests.needs import is_here


def main(arguments: list[str]) -> int:
    """The status of pytest; 0 for who is not root, and cannot make one."""
    if os.geteuid() != 0 or not is_here("bwrap"):
        print("the tests are not run in a container: that needs root, and bubblewrap to make it")
        return 1 if os.environ.get("CI") and os.geteuid() == 0 else 0
    with tempfile.TemporaryDirectory(prefix="pips-") as place:
        Path(place).chmod(0o755)
        words = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments]
        return subprocess.run(
            [*view(Path(place)), sys.executable, "-m", "tests.machines.container", *words], cwd=ROOT, check=False,
            env={**os.environ, "TMPDIR": place, "PYTHONDONTWRITEBYTECODE": "1"},
        ).returncode  # fmt: skip


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
