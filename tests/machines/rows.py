"""The machines to try, and how each proves what it lacks."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from tests.machines.containerfile import container, suite

CLOSED: Final = (
    "python3 -c 'import pathlib, sys; "
    "sys.exit(all(folder.stat().st_mode & 1 for folder in pathlib.Path(sys.argv[1]).resolve().parents))'"
)
"""Ends well if others cannot come to a file."""

CONTAINED: Final = "what Docker takes from root"
PROOFS: Final = {
    "bubblewrap": "! command -v bwrap",
    "Chromium": "! command -v chromium",
    "Node": "! command -v node",
    "npm": "! command -v npm",
    "compilers": "! command -v g++ && ! command -v gcc",
    "root's rights": 'test "$(id -u)" != 0 && ! command -v sudo',
    "user namespaces": "! unshare --user true",
    CONTAINED: "grep -q '^CapEff:.*00000000a80425fb' /proc/self/status",
    "network": "! grep : /proc/net/dev | grep -v ' lo:'",
    "home": '! test -e "$HOME"',
    "writable home": '! touch "$HOME/x"',
    "readable interpreter": f'{CLOSED} "$(command -v python3)"',
    "readable checkout": f"{CLOSED} Makefile",
    "plain path": "pwd | grep ' '",
    "usual umask": 'test "$(umask)" = 0077',
    "usual TMPDIR": 'test "$TMPDIR" != /tmp',
    "UTF-8": 'test "$(locale charmap)" = ANSI_X3.4-1968',
    "tarfile's filters": "! python3 -c 'import tarfile; tarfile.data_filter'",
}
"""By what a machine lacks: a command of its shell that ends well if so."""

SHUT_PYTHON: Final = """
mkdir -p /root/python/bin /root/python/lib
cp /usr/bin/python3 /root/python/bin/
cp -r /usr/lib/python3.* /root/python/lib/
chmod 700 /root
"""
"""An interpreter below root's home, where pyenv puts it."""

_README: Final = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
_INSTALL: Final = _README.partition("## Install")[2].split("```")[1].strip().splitlines()
COMMANDS: Final = tuple(line.partition(" #")[0].strip() for line in _INSTALL)
"""What the README tells to do first, as it stands there."""
NIGHT: Final = "make league-night"
TEST: Final = "make test"
FENCED_TESTS: Final = "make install && .venv/bin/pytest -q -k landlock tests/pips_tourney/sandbox tests/faults"
WITHOUT_MAKE: Final = tuple(command for command in COMMANDS if not command.startswith("make "))
SOME_TESTS: Final = "make test-begin install && { ! command -v npm || make js; } && .venv/bin/pytest -q FILES"
BENCH: Final = ".venv/bin/python -m tests.lab bench --quick"

WITHOUT_NAMESPACES: Final = """
mkfifo /run/mapped
unshare --user --keep-caps sh -ec 'cat /run/mapped; echo 0 >/proc/sys/user/max_user_namespaces; exec "$@"' sh COMMAND &
exec 3>/run/mapped
for map in uid_map gid_map; do echo "0 0 65536" >/proc/$!/$map; done
exec 3>&-
wait $!
"""
"""A namespace that may have none below it; the machine's own limit stays as it is."""


@dataclass(frozen=True)
class Row:
    """A machine: what it has beside Python with venv, make and git, and what is run."""

    name: str
    suite: str
    lacks: tuple[str, ...]
    user: str = "ann"
    packages: tuple[str, ...] = ()
    checkout: str = "/home/ann/pips"
    env: dict[str, str] = field(default_factory=dict)
    once: str = ""
    """What root does there before the clone."""
    always: str = ""
    """What root does there before each command that follows."""
    before: str = ""
    """What the user's shell does before each command."""
    runs: tuple[str, ...] = (NIGHT,)
    offline: tuple[str, ...] = ()
    """What is run after that, without a network."""


NOTHING: Final = ("bubblewrap", "Chromium", "Node", "npm", "compilers")
ROOT_SHUT: Final = Row(
    "root-shut", "bookworm", (*NOTHING, "readable interpreter", "readable checkout"), user="root",
    checkout="/root/pips", once=SHUT_PYTHON, env={"PATH": "/root/python/bin:/usr/sbin:/usr/bin:/sbin:/bin"},
)  # fmt: skip

ROWS: Final = [
    replace(ROOT_SHUT, name="root-shut-node", lacks=("bubblewrap", "Chromium", *ROOT_SHUT.lacks[-2:]),
            packages=("nodejs", "npm"), runs=(NIGHT, TEST, BENCH)),
    ROOT_SHUT,
    Row("root-open", "trixie", NOTHING, user="root", checkout="/srv/pips"),
    Row("contained", "trixie", (*NOTHING, "user namespaces", CONTAINED), user="root", checkout="/srv/pips",
        runs=(NIGHT, FENCED_TESTS)),
    Row("root-fenced", "bookworm", ("Node", "readable checkout"), user="root", checkout="/root/pips",
        packages=("bubblewrap",), once="chmod 700 /root"),
    Row("user", "bookworm", (*NOTHING, "root's rights", "tarfile's filters"), runs=(NIGHT, TEST)),
    Row("user-13", "trixie", ("bubblewrap", "Chromium", "root's rights"), packages=("nodejs", "npm"),
        runs=(NIGHT, TEST)),
    Row("fenced", "trixie", ("Chromium", "root's rights", "readable checkout"),
        packages=("bubblewrap", "nodejs", "npm"), once="chmod 700 /home/ann"),
    Row("no-namespaces", "bookworm", ("user namespaces", "root's rights"), packages=("bubblewrap",)),
    Row("odd", "bookworm", ("plain path", "usual umask", "usual TMPDIR", "UTF-8", "root's rights"),
        checkout="/home/ann/my games/pips", env={"LC_ALL": "C", "LANG": "C", "TMPDIR": "/home/ann/my tmp"},
        before='umask 077; mkdir -p "$TMPDIR"'),
    Row("odd-fenced", "trixie", ("plain path", "usual umask", "usual TMPDIR", "UTF-8", "root's rights"),
        checkout="/home/ann/my games/pips", env={"LC_ALL": "C", "LANG": "C", "TMPDIR": "/home/ann/my tmp"},
        before='umask 077; mkdir -p "$TMPDIR"', packages=("bubblewrap",)),
    Row("pip", "bookworm", (*NOTHING, "root's rights"), runs=WITHOUT_MAKE,
        before="[ -d ../venv ] || python3 -m venv ../venv; . ../venv/bin/activate"),
    Row("offline", "trixie", NOTHING, offline=(NIGHT,)),
    Row("homeless", "bookworm", (*NOTHING, "home"), checkout="/srv/pips", env={"HOME": "/nonexistent"}),
    Row("read-only-home", "trixie", ("writable home", "root's rights"), packages=("bubblewrap", "nodejs", "npm"),
        checkout="/srv/pips", always="mount -t tmpfs -o ro tmpfs /home/ann"),
    Row("containerfile", suite(), NOTHING, user="root", checkout="/srv/pips", runs=(container(),)),
]  # fmt: skip


def standings(*, with_node: bool) -> str:
    """Return what ends well if all four games and all bots of the night are told."""
    bots = "random greedy cautious search" + (" random-js cautious-js" if with_node else "")
    return f"""
.venv/bin/pips-tourney standings league_night.db --json | .venv/bin/python -c '
import json, sys
night = json.load(sys.stdin)
games = {{table["label"] for table in night["tables"]}}
bots = {{row["bot"] for table in night["tables"] for row in table["rows"] if row["faults"].keys() <= {{"timeout"}}}}
here = games >= set("serpent wichita pippip dominion".split()) and bots >= set("{bots}".split())
sys.exit(not night["complete"] or not here)'
"""
