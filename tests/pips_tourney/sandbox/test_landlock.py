"""The fence without namespaces: trials find what it lets through; its homes."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import socket
import subprocess
from pathlib import Path

import pytest

from pips_tourney.bots.executable import program
from pips_tourney.sandbox import bubblewrap
from pips_tourney.sandbox.bubblewrap import has_landlock
from pips_tourney.sandbox.counting.inspection import Watched, _is_closed, _written, looking_as
from pips_tourney.sandbox.counting.memory import exact_bytes
from pips_tourney.sandbox.counting.processes import look_at
from pips_tourney.sandbox.homes import BLOCK, MOST_ENTRIES, TEMPORARY, make_home, remove_tree, written_bytes
from pips_tourney.sandbox.landlock import Landlock
from pips_tourney.sandbox.limits import FIRST_USER, GROUP, MB, Allowance, Limits
from pips_tourney.sandbox.seccomp import ALONE, BY_ARGUMENT, CALLS, seccomp_filter
from pips_tourney.sandbox.tiers import Tier, choose
from tests.needs import needs
from tests.pips_tourney.sandbox.starting import told

HEADERS = {
    0: "/usr/include/x86_64-linux-gnu/asm/unistd_64.h",
    1: "/usr/include/asm-generic/unistd.h",  # those of aarch64
}
DIAL = """
import json, socket, sys
def able(name):
    try:
        return socket.socket(socket.AF_UNIX).connect(name) is None
    except PermissionError:
        return False
print(json.dumps(able("\\0" + sys.argv[1])))
"""


@pytest.mark.skipif(not has_landlock(), reason="this kernel has no Landlock")
def test_without_a_user_of_its_own_trials_get_through_to_sockets() -> None:
    """To those of others, and nowhere else."""
    why = Landlock(as_root=False).probe()
    others = "another bot's socket, another arena's socket, the organiser's socket"
    assert why == f"it does not keep a bot from {others}"


@needs("landlock")
@pytest.mark.parametrize("version", [1, 4, 6, 7])
def test_it_holds_by_the_rules_of_each_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: int) -> None:
    """Before version 6 the machine's sockets with abstract names are open."""
    if ctypes.CDLL(None).syscall(444, None, 0, 1) < version:
        pytest.skip(f"this kernel's Landlock is older than {version}")
    text, count = re.subn(r"^NEWEST = .*", f"NEWEST = {version}", _text(bubblewrap.INSIDE), flags=re.MULTILINE)
    assert count == 1
    (inside := tmp_path / "inside.py").write_text(text, encoding="utf-8")
    monkeypatch.setattr(bubblewrap, "INSIDE", str(inside))
    assert Landlock(as_root=True).probe() == ""
    name = f"pips-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX) as open_to_all:
        open_to_all.bind(f"\0{name}")
        open_to_all.listen()
        bot = program(["python", "-c", DIAL, name], tmp_path, {})
        assert told(choose(Tier.LANDLOCK, Limits()), bot) is (version < 6)


def _text(path: str) -> str:
    return Path(path).read_text(encoding="utf-8")


# --- homes


def test_a_home_goes_whatever_a_bot_made_of_it(tmp_path: Path) -> None:
    """Folders deeper than a path can say, links that lead out, closed folders."""
    (kept := tmp_path / "kept").mkdir()
    (kept / "file").touch()
    home = tmp_path / "homes" / "one"
    make_home(str(home), None)
    assert home.stat().st_mode & 0o777 == 0o700
    (home / "link").symlink_to(kept, target_is_directory=True)
    (home / "closed").mkdir(0o300 if os.geteuid() == 0 else 0o700)  # homes of bots are root's work
    here = os.open(home, os.O_RDONLY)
    for _ in range(3000):
        os.mkdir("deep", dir_fd=here)
        os.symlink(kept, "out", dir_fd=here)
        inner = os.open("deep", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(here)
    remove_tree(str(home))
    assert not home.exists() and (kept / "file").exists()


def test_what_a_bot_writes_is_bounded(tmp_path: Path) -> None:
    (temporary := tmp_path / TEMPORARY).mkdir()
    watched = Watched(Allowance(Limits()), home=str(tmp_path))
    (temporary / "file").write_bytes(bytes(60 * MB))
    assert _written(watched) == ""
    (temporary / "more").write_bytes(bytes(5 * MB))
    assert _written(watched) == "it wrote 65 MB to its TMPDIR and may write 64"
    (temporary / "file").unlink()
    for number in range(MOST_ENTRIES):
        (temporary / str(number)).touch()
    assert (_written(watched) or "").startswith(f"it has more than {MOST_ENTRIES} files and folders in its TMPDIR")
    (tmp_path / "sparse").mkdir()
    with (tmp_path / "sparse" / "file").open("wb") as sparse:
        sparse.truncate(1 << 40)
    assert written_bytes(str(tmp_path / "sparse")) in range(64 * BLOCK)


def test_a_folder_deeper_than_a_path_can_say_is_no_end_of_the_keeper(tmp_path: Path) -> None:
    here = os.open(tmp_path, os.O_RDONLY)
    for _ in range(20):
        os.mkdir("d" * 250, dir_fd=here)
        inner = os.open("d" * 250, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(here)
    assert written_bytes(str(tmp_path)) is None
    remove_tree(str(tmp_path))


@needs("root")
@pytest.mark.parametrize("mode", [0o755, 0o111])
def test_a_program_that_may_not_be_read_hides_no_memory(tmp_path: Path, mode: int) -> None:
    shutil.copy("/bin/sleep", copy := tmp_path / "sleep")
    copy.chmod(mode)
    for folder in (tmp_path, *tmp_path.parents):
        folder.chmod(folder.stat().st_mode | 0o011)
    with subprocess.Popen([copy, "600"], user=FIRST_USER, group=GROUP, extra_groups=[]) as process:
        try:
            seen = look_at(process.pid)
            assert seen is not None
            with looking_as(FIRST_USER):
                assert _is_closed(seen) == (mode == 0o111)
                assert exact_bytes([seen._replace(memory_bytes=MB)]) > 0
        finally:
            process.kill()


# --- the filter


@pytest.mark.parametrize("machine", HEADERS)
def test_its_numbers_are_the_kernel_s(machine: int) -> None:
    if not Path(HEADERS[machine]).exists():
        pytest.skip("linux-libc-dev is not installed")
    lines = re.findall(r"^#define __NR(?:3264)?_(\w+)\s+(\d+)$", _text(HEADERS[machine]), re.MULTILINE)
    theirs = {name: int(number) for name, number in lines}
    ours = {name: numbers[machine] for name, numbers in CALLS.items()}
    ours |= {name: rule.numbers[machine] for name, rule in {**BY_ARGUMENT, **ALONE}.items()}
    known = {name: number for name, number in ours.items() if name in theirs}
    assert len(known) > 120 and known == {name: theirs[name] for name in known}
    assert {name for name, number in ours.items() if name not in theirs and number >= 0} <= {"memfd_secret"}


def test_where_no_namespace_stands_beside_it_the_filter_is_stricter() -> None:
    assert set(BY_ARGUMENT) < set(ALONE)
    assert all(set(rule.values) <= set(ALONE[name].values) for name, rule in BY_ARGUMENT.items() if not rule.others)
    assert all(set(rule.values) >= set(ALONE[name].values) for name, rule in BY_ARGUMENT.items() if rule.others)
    for machine in ("x86_64", "aarch64"):
        assert len(seccomp_filter(machine, alone=True) or b"") > len(seccomp_filter(machine) or b"")
