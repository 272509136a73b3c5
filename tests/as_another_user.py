"""Runs tests as a user without rights:
`python -m tests.as_another_user PYTEST-ARGUMENTS`, started by root.

Where folders on the way to the interpreter or to this checkout are closed to others,
the tests get a view of the disk in which these ways are open, and nothing else of the
closed folders.
"""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.needs import is_here

USER: Final = 60_999
"""Nobody's: no user of the system has it."""
ROOT: Final = Path(__file__).parent.parent


def main(arguments: list[str]) -> int:
    """The status of pytest; 0 where this is no root, for then the tests have been run
    so already.
    """
    if os.geteuid() != 0:
        print("the tests have been run as a user without rights already")
        return 0
    if absent := [name for name in ("bwrap", "setpriv") if not is_here(name)]:
        print(f"the tests are not run as a user without rights: that needs {', '.join(absent)}")
        return 1 if os.environ.get("CI") else 0
    with tempfile.TemporaryDirectory(prefix="pips-as-user-") as place:
        home, temporary = Path(place, "home"), Path(place, "tmp")
        for folder in (home, temporary):
            folder.mkdir()
            os.chown(folder, USER, USER)
        Path(place).chmod(0o755)
        short = f"--basetemp={temporary / 't'}"  # the name of a socket has 107 bytes
        words = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", short, *arguments]
        return subprocess.run(
            [*view(Path(place)), *_changing_user(), *words], cwd=ROOT, check=False,
            env={**os.environ, "HOME": str(home), "TMPDIR": str(temporary), "LOGNAME": "tester",
                 "PYTHONDONTWRITEBYTECODE": "1"},
        ).returncode  # fmt: skip


def view(own: Path) -> Iterator[str]:
    """Bubblewrap, if a closed folder is on the way; the same disk, with the
    ways open.
    """
    needed = [Path(place).resolve() for place in (sys.prefix, sys.base_prefix, ROOT)]
    closed = {top for place in needed for top in place.parents if not _is_open(top)}
    if not closed:
        return
    yield from ("bwrap", "--dev-bind", "/", "/", "--die-with-parent")
    for folder in sorted(closed, key=lambda folder: len(folder.parts)):
        yield from ("--tmpfs", str(folder))
    for place in sorted(needed, key=lambda place: len(place.parts)):
        above = [folder for folder in reversed(place.parents) if folder not in closed]
        yield from (word for folder in above if folder != Path("/") for word in ("--dir", str(folder)))
        yield from ("--bind", str(place), str(place))
    yield from ("--bind", str(own), str(own), "--")


def _is_open(folder: Path) -> bool:
    return bool(folder.stat().st_mode & stat.S_IXOTH)


def _changing_user() -> list[str]:
    return ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", "--"]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
