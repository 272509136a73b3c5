"""Control groups: found, written, removed; real ones if the machine has them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pips_tourney.sandbox import resources
from pips_tourney.sandbox.counting.groups import (
    FILES,
    MB,
    RUNNER,
    BotGroup,
    GroupError,
    KeeperGroup,
    clear_dead_groups,
    find_base,
)
from pips_tourney.sandbox.counting.processes import own_mark, own_namespace
from pips_tourney.sandbox.limits import Limits
from pips_tourney.sandbox.tiers import NO_SANDBOX, Sandbox, SandboxError, Tier
from tests.hoards import FOR_ROOT_ALONE, HOARDS
from tests.needs import need
from tests.patience import until
from tests.pips_tourney.arena.test_keeper import Keeper
from tests.pips_tourney.sandbox.fake_groups import CONTROLLERS, FakeFiles

SCOPE = "/user.slice/user-1000.slice/user@1000.service/app.slice/run-u7.scope"
AT = "/sys/fs/cgroup"
STUDENT = 1000
OTHER = 2**22 + 5
"""The number of a process that does not exist."""


def delegated(**more: object) -> FakeFiles:
    """A user's scope, as `systemd-run --user --scope -p Delegate=yes` makes it."""
    return FakeFiles(SCOPE, writable=SCOPE, **more)  # type: ignore[arg-type]


def test_a_delegated_scope_is_found_and_made_ready() -> None:
    files = delegated()
    base, controllers = find_base(files=files, user=STUDENT)
    assert base == AT + SCOPE and set(controllers) == set(CONTROLLERS)
    assert files.groups[SCOPE].procs == [] and files.groups[f"{SCOPE}/{RUNNER}"].procs == [os.getpid()]
    files.own = f"{SCOPE}/{RUNNER}"  # where the next run finds itself
    assert find_base(files=files, user=STUDENT)[0] == base


def test_in_a_container_the_mount_shows_a_part_of_the_tree() -> None:
    files = FakeFiles("/docker/abc", writable="/docker/abc", root="/docker/abc")
    files.groups["/docker/abc"].enabled.clear()
    base, _ = find_base(files=files, user=0)
    assert base == AT
    assert files.groups[f"/docker/abc/{RUNNER}"].procs == [os.getpid()]


def test_root_makes_one_below_the_first_where_its_own_is_shared() -> None:
    files = FakeFiles("/system.slice/ssh.service")
    files.groups["/system.slice/ssh.service"].procs.append(OTHER)
    base, _ = find_base(files=files, user=0)
    assert base == AT and files.groups["/system.slice/ssh.service"].procs == [os.getpid(), OTHER]


@pytest.mark.parametrize(
    ("files", "given", "why"),
    [
        (FakeFiles(SCOPE, writable="/nowhere"), "", "was not delegated to this user (Permission denied)"),
        (FakeFiles("/", ("hugetlb",)), "", "has no controller memory and pids"),
        (FakeFiles(SCOPE, ("memory",), writable=SCOPE), "", "has no controller pids"),
        (delegated(), "/home/ada/groups", "/home/ada/groups is not below /sys/fs/cgroup"),
        (delegated(), AT + SCOPE + "/none", "is no control group that can be read (No such file or directory)"),
    ],
    ids=["not delegated", "no controllers", "one is missing", "given elsewhere", "given and not there"],
)
def test_why_there_is_none_is_said(files: FakeFiles, given: str, why: str) -> None:
    with pytest.raises(GroupError) as error:
        find_base(given, files, user=STUDENT)
    assert why in str(error.value)


def test_a_group_that_holds_others_is_left_alone() -> None:
    files = delegated()
    files.groups[SCOPE].procs.append(OTHER)
    with pytest.raises(GroupError, match="holds 1 processes that are not the runner's"):
        find_base(files=files, user=STUDENT)
    assert files.groups[SCOPE].procs == [os.getpid(), OTHER]


def test_without_the_file_system_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    files = delegated()
    monkeypatch.setattr(files, "read", lambda _: "24 1 0:22 / /sys rw - sysfs sysfs rw\n")
    with pytest.raises(GroupError, match="no cgroup v2 file system is mounted"):
        find_base(files=files, user=STUDENT)


def test_one_that_is_given_is_taken() -> None:
    files = delegated()
    files.make(f"{AT}{SCOPE}/bots")
    files.own = "/"
    with pytest.raises(GroupError, match="has no controller"):  # those above give it none
        find_base(f"{AT}{SCOPE}/bots", files, user=STUDENT)
    files.groups[SCOPE].enabled |= {"memory", "pids"}
    base, controllers = find_base(f"{AT}{SCOPE}/bots", files, user=STUDENT)
    assert base == f"{AT}{SCOPE}/bots" and set(controllers) == {"memory", "pids"}


@pytest.fixture
def base() -> tuple[FakeFiles, str]:
    files = delegated()
    return files, find_base(files=files, user=STUDENT)[0]


def test_a_bot_s_group_has_its_limits_and_goes_with_it(base: tuple[FakeFiles, str]) -> None:
    files, path = base
    keeper = KeeperGroup.begin(path, own_mark(), 3, files)
    group = keeper.new(256, 40)
    wanted = {"memory.max": str(256 * MB), "pids.max": "40", "memory.swap.max": "0", "memory.oom.group": "1",
              "cpuset.cpus": "3"}  # fmt: skip
    assert {name: files.read(f"{group.path}/{name}") for name in wanted} == wanted
    group.enter()
    assert group.pids() == [os.getpid()]
    files.groups[group.path.removeprefix(AT)].usage_usec = 1_500_000
    assert group.cpu_s() == 1.5 and not group.was_out_of_memory()
    files.write(f"{group.path}/memory.events", "oom_kill 2\n")
    files.write(f"{group.path}/memory.peak", str(256 * MB))
    assert group.was_out_of_memory() and group.peak_mb() == 256
    keeper.end(group)
    assert group.path.removeprefix(AT) in files.killed and group.remove()
    assert keeper.new(256, 40).path != group.path
    keeper.close()
    assert not [name for name in files.groups if own_mark() in name]


@pytest.mark.parametrize("controllers", [CONTROLLERS, ("memory", "pids")])
def test_a_keeper_s_group_weighs_what_its_niceness_says(
    controllers: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "getpriority", lambda *_: 7)
    files = FakeFiles(SCOPE, controllers, writable=SCOPE)
    group = KeeperGroup.begin(find_base(files=files, user=STUDENT)[0], own_mark(), 3, files)
    assert files.groups[group.path.removeprefix(AT)].values.get("cpu.weight.nice") == (
        "7" if "cpu" in controllers else None
    )


def test_one_whose_processes_take_their_time_goes_later(base: tuple[FakeFiles, str]) -> None:
    files, path = base
    keeper = KeeperGroup.begin(path, own_mark(), 3, files)
    group = keeper.new(256, 40)
    name = group.path.removeprefix(AT)
    inside, group.files = files.groups[name].procs, files
    inside.append(12345)
    files.write = lambda *_: None  # type: ignore[method-assign]  # what was killed has not gone yet
    keeper.end(group)
    assert name in files.groups
    inside.clear()
    keeper.sweep()
    assert name not in files.groups


def test_a_kernel_that_has_no_room_for_one_leaves_none_behind(base: tuple[FakeFiles, str]) -> None:
    files, path = base
    keeper = KeeperGroup.begin(path, own_mark(), 3, files)
    before, write = set(files.groups), files.write

    def full(path: str, text: str) -> None:
        if path.endswith("pids.max"):
            raise OSError(28, "No space left on device")
        write(path, text)

    files.write = full  # type: ignore[method-assign]
    with pytest.raises(OSError, match="No space left"):
        keeper.new(256, 40)
    assert set(files.groups) == before


def test_the_next_run_removes_what_a_killed_keeper_left_and_nothing_else(base: tuple[FakeFiles, str]) -> None:
    files, path = base
    for mark in (f"{2**22 + 1}.1.{own_namespace()}", own_mark()):
        KeeperGroup.begin(path, mark, 0, files).new(256, 40)
    files.make(f"{path}/other")
    assert clear_dead_groups(path, files) == [f"{path}/pips-{2**22 + 1}.1.{own_namespace()}"]
    left = {name.removeprefix(SCOPE) for name in files.groups if name.startswith(SCOPE + "/")}
    assert left == {f"/{RUNNER}", f"/pips-{own_mark()}", f"/pips-{own_mark()}/1", "/other"}


def test_a_kernel_without_cgroup_kill_has_them_killed_one_by_one() -> None:
    """Linux before 5.14 has no cgroup.kill."""
    files = FakeFiles()
    write = files.write

    def older(path: str, text: str) -> None:
        if path.endswith("cgroup.kill"):
            raise FileNotFoundError(path)
        write(path, text)

    files.write = older  # type: ignore[method-assign]
    files.make(f"{AT}/bot")
    with subprocess.Popen(["sleep", "600"]) as process:
        files.groups["/bot"].procs.append(process.pid)
        BotGroup(f"{AT}/bot", files).kill()
        assert process.wait() == -9


def test_the_first_lines_of_a_night_say_which_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    sandbox = Sandbox(Tier.LIMITS, Limits(), notes=("Sandbox: limits",))
    monkeypatch.setattr(resources, "find_base", lambda _: ("/g", ("memory", "pids", "cpuset")))
    chosen = resources.with_resources(sandbox)
    assert chosen.group == "/g" and chosen.notes[0] == "Sandbox: limits"
    assert "the kernel keeps bots to their limits" in chosen.notes[1] and "the core itself" in chosen.notes[1]
    assert "fair share" not in chosen.notes[1]

    def none(_: str) -> tuple[str, tuple[str, ...]]:
        raise GroupError("/g has no controller memory")

    monkeypatch.setattr(resources, "find_base", none)
    watched = resources.with_resources(sandbox)
    assert not watched.group and "no control group (/g has no controller memory)" in watched.notes[1]
    assert "So are threads" in watched.notes[1]
    assert "The kernel counts threads" in resources.with_resources(replace(sandbox, as_another_user=True)).notes[1]
    with pytest.raises(SandboxError, match=r"cgroup = '/g': /g has no controller memory; start the night with"):
        resources.with_resources(sandbox, "/g")
    assert resources.with_resources(NO_SANDBOX) is NO_SANDBOX


@pytest.fixture(scope="module")
def real() -> str:
    """A real group of this machine in which bots can have theirs."""
    try:
        return find_base()[0]
    except GroupError as error:
        pytest.skip(f"this machine delegates no control group, so real ones are not tried: {error}")


@pytest.fixture
def grouped(real: str, tmp_path: Path) -> Iterator[Keeper]:
    keeper = Keeper(tmp_path / "arena", group=real)
    yield keeper
    keeper.close()
    until(lambda: not [name for name in FILES.folders(real) if str(keeper.process.pid) in name], "its group stays")


LIMIT_MB = 60


@pytest.mark.unmeasured
@pytest.mark.parametrize("way", HOARDS)
def test_in_a_real_group_memory_ends_at_its_limit(grouped: Keeper, way: str) -> None:
    if way in FOR_ROOT_ALONE:
        need("root")
    grouped.start("a", HOARDS[way], str(4 * LIMIT_MB), limits=Limits(memory_mb=LIMIT_MB, file_mb=4096))
    event = grouped.hear()
    if event["event"] == "condemned":
        event = grouped.hear()
    assert event["event"] == "ended" and f"MB of memory and may take {LIMIT_MB}" in event["how"], event
    took_mb = int(event["how"].partition("it took ")[2].split()[0])
    assert LIMIT_MB <= took_mb <= 1.2 * LIMIT_MB
    assert event["lack"] == ""


def test_in_a_real_group_threads_end_at_theirs_and_a_bot_lives_on(grouped: Keeper) -> None:
    counted = """
import threading, time
n = 0
try:
    while True:
        threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
        n += 1
except RuntimeError:
    print(n, flush=True)
import os; os._exit(0)
"""
    grouped.start("a", counted, limits=Limits(threads=40))
    assert grouped.hear()["printed"].strip() == "39"


def test_from_a_real_group_nothing_escapes_and_all_is_counted(grouped: Keeper, tmp_path: Path) -> None:
    """Unreaped children count in the group's CPU time; daemons end with the bot."""
    code = """
import os, signal, sys, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for _ in range(20):
    if os.fork() == 0:
        began = time.process_time()
        while time.process_time() - began < 0.1: pass
        os._exit(0)
    time.sleep(0.12)
if os.fork() == 0:
    os.setsid()
    time.sleep(600)
print("done", flush=True)
time.sleep(600)
"""
    grouped.start("a", code, listen=True, limits=Limits(cpu_s=1))
    assert [grouped.hear()["event"] for _ in range(2)] == ["condemned", "ended"]


def test_in_a_real_group_a_bot_stays_on_its_core(grouped: Keeper, real: str) -> None:
    if "cpuset" not in FILES.read(f"{real}/cgroup.subtree_control").split():
        pytest.skip("this machine's group has no controller cpuset")
    code = "import os\nos.sched_setaffinity(0, range(os.cpu_count())); print(len(os.sched_getaffinity(0)))"
    grouped.start("a", code, limits=Limits())
    assert grouped.hear()["printed"].strip() == "1"


def test_what_a_killed_keeper_left_of_real_groups_the_next_run_removes(real: str, tmp_path: Path) -> None:
    keeper = Keeper(tmp_path / "arena", group=real)
    keeper.start("a", "import time; print(flush=True); time.sleep(600)", listen=True, limits=Limits())
    assert keeper.hear()["event"] == "said"
    keeper.process.kill()
    keeper.process.wait()
    keeper.close()
    (left,) = [name for name in FILES.folders(real) if f"-{keeper.process.pid}." in name]
    assert clear_dead_groups(real) == [f"{real}/{left}"]
    assert left not in FILES.folders(real)
