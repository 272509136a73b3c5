"""`python3 -m tests.machines [ROW [TESTS]]`: play and test on bare machines, as root.

It clones the commit that is checked out. The standard library is enough. With
TESTS, which are words for pytest, nothing else is run.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import Final

from tests.machines.roots import KEPT, ROOT, machine
from tests.machines.rows import CONTAINED, NIGHT, PROOFS, ROWS, SOME_TESTS, WITHOUT_NAMESPACES, Row, standings

LIMIT_S: Final = 45 * 60.0
LAST_LINES: Final = 40
BUNDLE: Final = "/var/pips.bundle"
SET_UP: Final = "set up"


def main(name: str = "", tests: str = "") -> int:
    if os.geteuid() != 0 or shutil.which("debootstrap") is None:
        print("this needs root and debootstrap: apt-get install debootstrap", file=sys.stderr)
        return 2
    chosen = [row for row in ROWS if name in ("", row.name)]
    if not chosen:
        print(f"there is no row {name}, but {', '.join(row.name for row in ROWS)}", file=sys.stderr)
        return 2
    if tests:
        tests = SOME_TESTS.replace("FILES", tests)
        chosen = [replace(row, runs=(tests,), offline=()) for row in chosen]
    begun = monotonic()
    results = [_try(row) for row in chosen]
    print(f"{sum(results)} of {len(results)} machines are well, after {(monotonic() - begun) / 60:.0f} minutes")
    return 0 if all(results) else 1


def _try(row: Row) -> bool:
    """Run all of a row, and print what became of it."""
    print(f"{row.name}: {row.suite}, {row.user}; lacks {', '.join(row.lacks)}", flush=True)
    at = machine(row.name, row.suite, row.packages)
    with (KEPT / f"{row.name}.log").open("w+", encoding="utf-8") as log:
        _bundle(at.upper / BUNDLE[1:])
        for what, script, network in _steps(row):
            begun = monotonic()
            print(f"--- {what}", file=log, flush=True)
            inside = script if what == SET_UP else f"{row.always}\n{_as_user(row, script)}"
            status = at.run(inside, log, _env(row), network=network, limit_s=LIMIT_S)
            end = "well" if status == 0 else f"status {status}"
            print(f"    {what}: {end}, {monotonic() - begun:.0f} s", flush=True)
            if status:
                log.seek(0)
                print("".join(f"    | {line}" for line in log.readlines()[-LAST_LINES:]))
                return False
    at.remove()
    return True


def _bundle(file: Path) -> None:
    """Write what is committed, for machines to clone."""
    file.parent.mkdir(parents=True)
    subprocess.run(["git", "bundle", "create", "--quiet", str(file), "HEAD"], cwd=ROOT, check=True)


def _steps(row: Row) -> Iterator[tuple[str, str, bool]]:
    """Yield what is done, its script, and whether there is a network."""
    folder = shlex.quote(row.checkout)
    owner = f"useradd --create-home {row.user}\n" if row.user != "root" else ""
    clone = f"git clone -q {BUNDLE} {folder}\nchown -R {row.user}: {folder}"
    yield SET_UP, f"{owner}{row.once}\n{clone}", True
    for lack in row.lacks:
        yield f"proof that it lacks: {lack}", PROOFS[lack], True
    for command in row.runs:
        yield command, command, True
    for command in row.offline:
        yield f"{command}, without a network", f"{PROOFS['network']}\n{command}", False
    if NIGHT in row.runs:
        yield "standings of four games", standings(with_node="npm" in row.packages), True


def _as_user(row: Row, script: str) -> str:
    """Return what root runs, so that the row's user runs the script.

    The first process stays root's: one that changes its user outlives a Ctrl-C.
    """
    words = ["setpriv", f"--reuid={row.user}", f"--regid={row.user}", "--clear-groups"] if row.user != "root" else []
    if CONTAINED in row.lacks:
        path = f"PYTHONPATH={row.checkout}:{row.checkout}/tournaments"
        words = ["env", path, "python3", "-m", "tests.machines.container", "env", "-u", "PYTHONPATH"]
    command = shlex.join([*words, "sh", "-ec", f"cd {shlex.quote(row.checkout)}\n{row.before}\n{script}"])
    if CONTAINED in row.lacks:
        return f"{command}\n:"
    return WITHOUT_NAMESPACES.replace("COMMAND", command) if "user namespaces" in row.lacks else f"{command}\n:"


def _env(row: Row) -> dict[str, str]:
    home = "/root" if row.user == "root" else f"/home/{row.user}"
    return {"HOME": home, "USER": row.user, **row.env}


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
