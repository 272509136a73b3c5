"""Submissions' attempts to leave bubblewrap's tier, or to see what is not theirs."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from pips_tourney.bots.executable import SYSTEM, Executable, program
from pips_tourney.bots.find import find_bot
from pips_tourney.bots.found import BotProblem
from pips_tourney.league.entries import BotEntry
from pips_tourney.league.read import read_league
from pips_tourney.sandbox import places
from pips_tourney.sandbox.bubblewrap import EnclosedProgram, has_landlock
from pips_tourney.sandbox.counting.shortage import is_refusal
from pips_tourney.sandbox.handover import Users
from pips_tourney.sandbox.limits import FIRST_USER
from pips_tourney.sandbox.pack import PackError
from pips_tourney.sandbox.places import WRITABLE
from pips_tourney.sandbox.seccomp import BY_ARGUMENT, CALLS, MACHINES, REFUSED
from pips_tourney.sandbox.tiers import Sandbox, Tier
from tests.needs import needs
from tests.pips_tourney.in_process import write_league
from tests.pips_tourney.sandbox.starting import begin, told

HOUSE = '{ name = "ada", sample = "random" }, { name = "bo", sample = "random" }'
SEE = """
import json, os, sys
def see(place):
    try:
        return sorted(os.listdir(place)) if os.path.isdir(place) else open(place).read()
    except OSError:
        return None
print(json.dumps([see(place) for place in sys.argv[1:]]))
"""


def submission(folder: Path, *seen: Path | str, env: dict[str, str] | None = None, code: str = SEE) -> Executable:
    """Return a bot whose author wrote its words: it reports what it sees."""
    folder.mkdir(parents=True, exist_ok=True)
    words = ["python", "-I", "-c", code, *map(str, seen)]
    return program(words, folder, env or {}, files=[str(folder)], submitted=True)


# --- bubblewrap's own environment


@pytest.mark.parametrize("tier", ["submitted", "the league's"])
def test_a_bot_s_variables_never_reach_bubblewrap(enclosed: Sandbox, tmp_path: Path, tier: str) -> None:
    written = tmp_path / "written"
    written.mkdir(mode=0o777)
    bwrap = tmp_path / "bot" / "bwrap"
    env = {
        "LD_DEBUG": "files", "LD_DEBUG_OUTPUT": str(written / "loader"),  # its loader writes there
        "PATH": ".:/usr/bin:/bin", "PASSWORD": "hunter2",
    }  # fmt: skip
    bot = replace(submission(tmp_path / "bot", tmp_path, env=env), submitted=tier == "submitted")
    bwrap.write_text(f"#!/bin/sh\ntouch {written}/bwrap\n", encoding="utf-8")
    bwrap.chmod(0o755)
    assert begin(enclosed, bot).returncode == 0
    assert list(written.iterdir()) == []
    found = enclosed.enclose(bot, "/dev/null", tmp_path)
    assert isinstance(found, EnclosedProgram)
    assert found.env == {} and Path(found.command[0]).is_absolute()
    assert not any("hunter2" in word for word in found.command), "other users can read it in /proc"


@pytest.mark.parametrize("name", ["LD_PRELOAD", "LD_AUDIT", "GLIBC_TUNABLES", "GCONV_PATH", "DYLD_INSERT_LIBRARIES"])
def test_variables_of_the_loader_are_refused_in_a_submission(tmp_path: Path, name: str) -> None:
    (tmp_path / "bot.toml").write_text(f'command = "python bot.py"\nenv = {{ {name} = "./evil.so" }}', encoding="utf-8")
    with pytest.raises(BotProblem, match=f"may not set the variable '{name}'"):
        find_bot(str(tmp_path))


# --- what is shown


def test_nothing_is_shown_for_the_sake_of_a_submission(enclosed: Sandbox, tmp_path: Path) -> None:
    """Neither its links, variables and words nor its file names show it anything."""
    secret = tmp_path / "secret"
    for name in ("linked", "java", "python", "node", "word", "bin"):
        (secret / name).mkdir(parents=True)
        (secret / name / "file").touch(0o755)
    bot = tmp_path / "bot"
    (bot / "node_modules").mkdir(parents=True)
    (bot / "node_modules" / "x").symlink_to(secret / "linked")
    (bot / "link").symlink_to(secret / "linked", target_is_directory=True)
    env = {"JAVA_HOME": f"{secret}/java", "PYTHONPATH": f"{secret}/python", "NODE_PATH": f"{secret}/node"}
    env |= {"LD_LIBRARY_PATH": str(secret), "VIRTUAL_ENV": str(secret), "HOME": str(secret)}
    names = [secret, *secret.iterdir(), bot / "link", bot / "node_modules" / "x", secret / "word" / "file"]
    assert told(enclosed, submission(bot, *names, env=env)) == [None] * len(names)
    own = submission(bot, env=env)
    for command in (f"{secret}/bin/file", "file", "../secret/bin/file"):
        bare = replace(own, command=(command,), interpreter="", env={**own.env, "PATH": f"{secret}/bin"})
        ended = begin(enclosed, bare)
        assert ended.returncode == 127
        assert re.search("could not be started: (No such file|Permission denied)", ended.stderr)


def test_the_league_s_own_words_show_what_they_name(enclosed: Sandbox, tmp_path: Path) -> None:
    for name in ("java", "word"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text("x", encoding="utf-8")
    env = {"JAVA_HOME": str(tmp_path / "java")}
    entry = {"name": "cy", "command": ["python", "-c", "pass", "word/file"], "env": env}
    assert BotEntry.model_validate(entry).submitted is False
    write_league(tmp_path, "ada", "bo")
    played = read_league(tmp_path / "night.toml")
    ada = BotEntry.model_validate(entry)
    own = played.program(ada, "serpent")
    own = replace(own, command=(*own.command[:2], SEE, f"{tmp_path}/java/file", f"{tmp_path}/word/file"))
    assert told(enclosed, own) == ["x", "x"]


def test_a_submission_is_known_as_one(tmp_path: Path) -> None:
    said = 'command = "python bot.py ../other/x"\nenv = { JAVA_HOME = "/tmp" }'
    bots = {"one/bot.toml": said, "two.py": "", "x.py": ""}
    for name, text in bots.items():
        (tmp_path / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / name).write_text(text, encoding="utf-8")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "x").touch()
    (tmp_path / "night.toml").write_text('games = ["serpent"]\nbots = ["in/*"]', encoding="utf-8")
    league = read_league(tmp_path / "night.toml")
    programs = {bot.name: league.program(bot, "serpent") for bot in league.file.bots}
    assert {name: (bot.submitted, bot.files) for name, bot in programs.items()} == {
        "one": (True, (str(tmp_path / "in" / "one"),)),
        "two": (True, (str(tmp_path / "in" / "two.py"),)),
        "x": (True, (str(tmp_path / "in" / "x.py"),)),
    }


@pytest.mark.parametrize("link", ["in/evil/node_modules/x", "in/evil/deep/er/x", "in/evil/.x"])
def test_links_that_lead_out_of_a_submission_are_refused(tmp_path: Path, link: str) -> None:
    (tmp_path / "night.toml").write_text(f'games = ["serpent"]\nbots = ["in/*", {HOUSE}]', encoding="utf-8")
    path = tmp_path / link
    path.parent.mkdir(parents=True)
    (tmp_path / "in" / "good.py").touch()
    (tmp_path / "in" / "evil" / "bot.py").touch()
    (tmp_path / "secret.py").touch()
    path.symlink_to(tmp_path / "secret.py")
    league = read_league(tmp_path / "night.toml")
    assert [bot.name for bot in league.file.bots] == ["good", "ada", "bo"]
    (problem,) = league.broken.values()
    assert "link" in problem


def test_links_within_a_submission_and_to_the_system_are_its_own(tmp_path: Path) -> None:
    evil = tmp_path / "in" / "good"
    (evil / "lib").mkdir(parents=True)
    (evil / "bot.py").touch()
    (evil / "current").symlink_to("lib")
    (evil / "sh").symlink_to("/bin/sh")
    (tmp_path / "night.toml").write_text(f'games = ["serpent"]\nbots = ["in/*", {HOUSE}]', encoding="utf-8")
    assert [bot.name for bot in read_league(tmp_path / "night.toml").file.bots] == ["good", "ada", "bo"]


def test_a_league_below_a_folder_that_all_are_shown_is_hidden(
    enclosed: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even what appears there later, and what lies there under its real name."""
    opt = tmp_path / "opt"
    for name in ("tool", "league/night.db", "league/in/ada/bot.py", "league/in/bo/bot.py", "league/deep/secret"):
        (opt / name).parent.mkdir(parents=True, exist_ok=True)
        (opt / name).write_text("x", encoding="utf-8")
    (tmp_path / "by").symlink_to(opt)
    for module in (places,):
        monkeypatch.setattr(module, "SYSTEM", (*SYSTEM, str(opt)))
    league = opt / "league"
    hidden = [league / name for name in ("night.db", "night.db-wal", "in/ada", "in/bo", "deep/secret")]
    sandbox = replace(enclosed, hidden=tuple(map(str, hidden)))
    names = [opt / "tool", *hidden, league / "in" / "bo" / "bot.py", league / "in" / "ada" / "bot.py", league]
    bot = submission(league / "in" / "ada", *names)
    listed = ["deep", "in"] if enclosed.tier is Tier.BUBBLEWRAP else None  # without what is hidden, or not at all
    assert told(sandbox, bot) == ["x", None, None, ["bot.py"], None, None, None, "x", listed]
    (league / "night.db-wal").write_text("x", encoding="utf-8")
    assert told(sandbox, bot)[2] is None


def test_private_keys_of_the_machine_are_not_shown(enclosed: Sandbox, tmp_path: Path) -> None:
    names = ["/etc/ssl/private", "/etc/pki/tls/private", "/etc/shadow", "/root/.ssh", "/run", "/var", "/sys"]
    assert told(enclosed, submission(tmp_path / "bot", *names)) == [None] * len(names)


# --- rights


WRITE = """
import json, os
found = []
for top in ("/proc", "/sys", "/usr", "/etc", "/opt", "/dev"):
    for place, folders, files in os.walk(top):
        folders[:] = [name for name in folders if not name.isdigit()]
        for path in (os.path.join(place, name) for name in files):
            try:
                os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
                found.append(path)
            except OSError:
                pass
    if top in ("/proc", "/dev"):
        continue
    try:
        open(top + "/x", "w")
        found.append(top)
    except OSError:
        pass
for path in ("/proc/self/oom_score_adj", "/proc/self/comm", "/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger"):
    try:
        os.close(os.open(path, os.O_WRONLY))
        found.append(path)
    except OSError:
        pass
print(json.dumps(sorted(found)))
"""


def test_nothing_of_the_machine_can_be_written_to(enclosed: Sandbox, tmp_path: Path) -> None:
    devices = ("core", "full", "null", "ptmx", "random", "stderr", "stdout", "tty", "urandom", "zero")
    allowed = {f"/dev/{name}" for name in devices}
    found = set(told(enclosed, submission(tmp_path / "bot", code=WRITE)))
    units = {path for path in found if os.path.realpath(path) == "/dev/null"}  # services that are masked
    assert {path for path in found - units if not path.startswith(("/dev/pts/", "/dev/fd/"))} <= allowed


RIGHTS = """
import json, os, resource
with open("/etc/passwd") as file:
    file.read()
def able(action, *words):
    try:
        action(*words)
    except OSError:
        return False
    return True
print(json.dumps({
    "users": os.getresuid(), "groups": [*os.getresgid(), *os.getgroups()],
    "root": [able(os.setuid, 0), able(os.setgid, 0), able(os.setgroups, [0])],
    "tasks": resource.getrlimit(resource.RLIMIT_NPROC)[0],
}))
"""


@needs("root")
def test_root_s_bots_are_users_of_their_own_inside_too(enclosed: Sandbox, tmp_path: Path) -> None:
    found = told(enclosed, submission(tmp_path / "bot", code=RIGHTS))
    assert 0 not in (*found["users"], *found["groups"]) and found["root"] == [False, False, False]
    mine = Path("/usr/share") / f"pips-test-{os.getpid()}"
    try:
        mine.write_text("x", encoding="utf-8")
        mine.chmod(0o600)
        assert told(enclosed, submission(tmp_path / "bot", mine)) == [None]
    finally:
        mine.unlink()


def test_no_two_processes_are_the_same_user(tmp_path: Path) -> None:
    folder = str(tmp_path / "users")
    one, other = Users(folder), Users(folder)
    taken = [keeper.take() for keeper in (one, other, one, other)]
    assert len(set(taken)) == 4
    one.free(taken[0])
    one._next = taken[0] - FIRST_USER
    assert one.take() == taken[0]
    for keeper, user in zip((one, other, one, other), taken, strict=True):
        keeper.free(user)


def test_no_other_user_can_take_the_numbers(tmp_path: Path) -> None:
    Users(str(tmp_path / "users")).take()
    assert (tmp_path / "users").stat().st_mode & 0o077 == 0
    (tmp_path / "open").mkdir(mode=0o755)
    with pytest.raises(OSError, match="not a folder of this user's alone"):
        Users(str(tmp_path / "open")).take()


def test_numbers_that_are_all_taken_are_the_machine_s_lack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pips_tourney.sandbox.handover.USERS", 2)
    users = Users(str(tmp_path / "users"))
    assert len({users.take(), users.take()}) == 2
    with pytest.raises(OSError, match="all numbers of users") as error:
        users.take()
    assert is_refusal(error.value)


@needs("root")
def test_a_league_in_a_closed_folder_is_played_all_the_same(enclosed: Sandbox, tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    bot = submission(closed / "in" / "bot", closed / "in" / "bot" / "bot.py", closed)
    (closed / "in" / "bot" / "bot.py").write_text("x", encoding="utf-8")
    (closed / "in" / "bot" / "bot.py").chmod(0o600)
    (closed / "in" / "bot").chmod(0o700)
    assert told(enclosed, bot) == ["x", ["in"] if enclosed.tier is Tier.BUBBLEWRAP else None]


# --- other processes


COPY = """
import json, os
found = os.stat("bot.py")
is_link, runs = os.path.islink("inner"), os.access("run.sh", os.X_OK)
print(json.dumps([found.st_dev, found.st_ino, sorted(os.listdir()), is_link, runs]))
"""


def test_each_process_has_a_copy_of_its_folder(enclosed: Sandbox, tmp_path: Path) -> None:
    folder = tmp_path / "bot"
    bot = submission(folder, code=COPY)
    for name in ("bot.py", "run.sh", "sub/.hidden", ".git/config", "n\u00fcll"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("x", encoding="utf-8")
    (folder / "run.sh").chmod(0o755)
    (folder / "inner").symlink_to("sub")
    os.mkfifo(folder / "pipe")
    source = (folder / "bot.py").stat()
    device, number, names, link, runs = told(enclosed, bot)
    assert (device, number) != (source.st_dev, source.st_ino)
    assert (names, link, runs) == (["bot.py", "inner", "n\u00fcll", "run.sh", "sub"], True, True)


@pytest.mark.parametrize("what", ["sparse", "many"])
def test_a_folder_too_large_to_be_copied_is_refused_at_once(enclosed: Sandbox, tmp_path: Path, what: str) -> None:
    bot = submission(tmp_path / "bot")
    if what == "sparse":
        with (tmp_path / "bot" / "large").open("wb") as file:
            file.truncate(1 << 42)
    else:
        for number in range(20_001):
            (tmp_path / "bot" / str(number)).touch()
    with pytest.raises(PackError, match=r"it holds more than .* sandbox.copy_mb"):
        begin(enclosed, bot)


def test_what_lies_deep_is_copied_too(enclosed: Sandbox, tmp_path: Path) -> None:
    bot = submission(tmp_path / "bot")
    deep = f"{tmp_path}/bot"
    try:
        for _ in range(1200):
            deep += "/d"
            Path(deep).mkdir()
        Path(deep, "x").write_text("x", encoding="utf-8")
        deepest = told(enclosed, replace(bot, command=(*bot.command, f"{deep}/x")))
        assert deepest == ["x"], "what lies deepest was not copied"
    finally:
        subprocess.run(["rm", "-r", bot.cwd], check=True)  # too deep for a recursive walk


CALL = """
import ctypes, json, sys
call, refused = ctypes.CDLL(None, use_errno=True).syscall, []
for line in sys.argv[1:]:
    words = [ctypes.c_ulong(int(word)) for word in line.split()]
    ctypes.set_errno(0)
    call(*words)
    refused.append(ctypes.get_errno())
print(json.dumps(refused))
"""


def calls(machine: int) -> dict[str, str]:
    """Words for `syscall`: calls always refused, then those refused by argument."""
    wrong = " ".join([str(2**64 - 1)] * 6)
    found = {name: f"{numbers[machine]} {wrong}" for name, numbers in CALLS.items() if numbers[machine] >= 0}
    for name, rule in BY_ARGUMENT.items():
        if rule.numbers[machine] < 0:
            continue
        values = (77,) if rule.others else (*rule.values, 0x1000_0000) if name == "clone" else rule.values
        for value in values:
            words = ["0"] * rule.position + [str(value)] + ["0"] * (5 - rule.position)
            if rule.only is not None:
                words[rule.only[0]] = str(rule.only[1])
            found[f"{name} {value}"] = " ".join([str(rule.numbers[machine]), *words])
    return found | {"x32": str(0x4000_0000 | 39), "newer": f"451 {wrong}", "much newer": f"9999 {wrong}"}


@pytest.mark.skipif(os.uname().machine not in MACHINES, reason="no filter is written for this processor")
def test_calls_that_reach_others_are_refused(enclosed: Sandbox, tmp_path: Path) -> None:
    tried = calls(MACHINES[os.uname().machine].column)
    found = told(enclosed, submission(tmp_path / "bot", *tried.values(), code=CALL))
    expected = [BY_ARGUMENT[name.split()[0]].error if name.split()[0] in BY_ARGUMENT else REFUSED for name in tried]
    assert dict(zip(tried, found, strict=True)) == dict(zip(tried, expected, strict=True))


@pytest.mark.skipif(os.uname().machine not in MACHINES, reason="no filter is written for this processor")
def test_another_scheduling_class_is_asked_for_in_vain(enclosed: Sandbox, tmp_path: Path) -> None:
    """It is told no error: some runtimes end at one."""
    code = """
import json, os
before = os.sched_getscheduler(0)
for kind in (os.SCHED_OTHER, os.SCHED_IDLE, os.SCHED_BATCH):
    os.sched_setscheduler(0, kind, os.sched_param(0))
print(json.dumps(os.sched_getscheduler(0) == before))
"""
    assert told(enclosed, submission(tmp_path / "bot", code=code)) is True


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="calls of another processor are x86's")
def test_calls_by_the_way_of_another_processor_end_the_process(enclosed: Sandbox, tmp_path: Path) -> None:
    code = """
import ctypes, mmap
page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
page.write(bytes.fromhex("b814000000cd80c3"))  # mov eax, 20; int 0x80; ret
ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
"""
    assert begin(enclosed, submission(tmp_path / "bot", code=code)).returncode in (
        -signal.SIGSYS,
        128 + signal.SIGSYS,
    )


def test_proc_tells_nothing_of_others(enclosed: Sandbox, tmp_path: Path) -> None:
    """For a shared page, smaps and pagemap would show whether it is one's own alone."""
    if not has_landlock():
        pytest.skip("this kernel has no Landlock; docs/faults.md says what that means")
    names = ["vmstat", "interrupts", "loadavg", "schedstat", "locks", "keys", "diskstats"]
    names += ["pressure/cpu", "sys/fs/file-nr", "sys/kernel/random/uuid"]
    names += [f"self/{name}" for name in ("smaps", "smaps_rollup", "pagemap", "maps", "mountinfo", "environ")]
    names += ["1/environ", "1/cmdline", "net/unix"]
    assert told(enclosed, submission(tmp_path / "bot", *(f"/proc/{name}" for name in names))) == [None] * len(names)


MARKS = """
import json, os, sys
written = []
for place in (os.environ["TMPDIR"], *sys.argv[1:]):
    try:
        open(f"{place}/mark", "w").close()
        written.append(place)
    except PermissionError:
        pass
print(json.dumps(written))
"""


def test_what_is_written_is_seen_by_nobody_else(enclosed: Sandbox, tmp_path: Path) -> None:
    written = told(enclosed, submission(tmp_path / "bot", *WRITABLE, code=MARKS))
    assert written[1:] == (list(WRITABLE) if enclosed.tier is Tier.BUBBLEWRAP else [])
    assert told(enclosed, submission(tmp_path / "bot", *(f"{place}/mark" for place in written))) == [None] * len(
        written
    )


def test_a_submission_called_node_modules_is_not_shown_to_its_siblings(enclosed: Sandbox, tmp_path: Path) -> None:
    """Node would import what a stranger left there."""
    stranger = tmp_path / "node_modules"
    stranger.mkdir()
    (stranger / "pips-sdk.js").write_text("mine", encoding="utf-8")
    bot = submission(tmp_path / "ada", stranger / "pips-sdk.js")
    assert told(enclosed, bot) == ["mine"]  # the organiser's own, which is nobody's submission
    assert told(replace(enclosed, hidden=(*enclosed.hidden, str(stranger))), bot) == [None]
