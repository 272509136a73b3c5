"""The process that reads submissions: its rights, and what happens when one ends it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pips_tourney.bots.contents import Caps
from pips_tourney.sandbox import reading
from pips_tourney.sandbox.reading import Job, read
from tests.needs import needs

pytestmark = pytest.mark.xdist_group("processes")
Script = Callable[[str], None]

BEGIN = "import json, os, sys, time\nprint('{}', flush=True)\njobs = json.load(sys.stdin)['jobs']\nfor job in jobs:\n"
ANSWER = "    print(json.dumps({'place': job['place']}), flush=True)\n"


def jobs(folder: Path, *names: str) -> list[Job]:
    for name in names:
        (folder / name).mkdir(exist_ok=True)
    return [{"do": "look", "place": str(folder / name)} for name in names]


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Script:
    """The script that reads instead of bots/contents.py."""

    def write(text: str) -> None:
        file = tmp_path / "reader.py"
        file.write_text(BEGIN + text, encoding="utf-8")
        monkeypatch.setattr(reading, "_SCRIPT", str(file))

    return write


@pytest.mark.unmeasured
@pytest.mark.parametrize(
    ("ending", "told"),
    [
        ("os.kill(os.getpid(), 9)", "ended the process"),
        ("sys.exit(3)", "ended the process"),
        ("print('[' * 100_000, flush=True)", "ended the process|come to an end"),
        ("print('nonsense', flush=True)", "ended the process|come to an end"),
        ("print('7', flush=True)", "ended the process|come to an end"),
        ("[print('x' * 1_000_000, end='') for _ in range(50)]", "ended the process|come to an end"),
        ("time.sleep(1000)", "did not come to an end"),
    ],
)
def test_one_that_ends_its_reader_is_the_only_one_that_is_not_read(
    tmp_path: Path, script: Script, monkeypatch: pytest.MonkeyPatch, ending: str, told: str
) -> None:
    monkeypatch.setattr(reading, "GRACE_S", 1.0)
    script(f"    if job['place'].endswith('bad'): {ending}\n{ANSWER}")
    found = read(jobs(tmp_path, "a", "bad", "b", "c"), Caps(seconds=1.0))
    assert [one.get("place", "") for one in found] == [
        str(tmp_path / "a"),
        "",
        str(tmp_path / "b"),
        str(tmp_path / "c"),
    ]
    assert any(part in found[1]["error"] for part in told.split("|"))


def test_what_cannot_be_shown_is_not_asked_for(tmp_path: Path, script: Script) -> None:
    script(ANSWER)
    found = read([*jobs(tmp_path, "a"), {"do": "look", "place": str(tmp_path / "gone")}])
    assert found == [{"place": str(tmp_path / "a")}, {"error": "it is not there any more"}]


@needs("bwrap")
def test_it_sees_the_submissions_and_the_system_and_writes_nothing(tmp_path: Path, script: Script) -> None:
    (tmp_path / "secret").write_text("x", encoding="utf-8")
    wanted = [str(tmp_path / "secret"), str(Path.home()), "/proc/self/environ", "/proc/sys", "/etc/passwd", "/dev/null"]
    script(
        f"    seen = [place for place in {wanted} if os.path.exists(place)]\n"
        "    try:\n        open(job['place'] + '/x', 'w')\n        wrote = True\n"
        "    except OSError:\n        wrote = False\n"
        "    import socket\n"
        "    net = socket.socket().connect_ex(('127.0.0.1', 9))\n"
        "    env = sorted(set(os.environ) - {'LC_ALL', 'PYTHONUTF8', 'PWD'})\n"
        "    told = {'seen': seen, 'wrote': wrote, 'net': net, 'env': env, 'all': os.listdir('/')}\n"
        "    print(json.dumps(told), flush=True)\n"
    )
    (found,) = read(jobs(tmp_path, "a"))
    assert found["seen"] == ([str(Path.home())] if Path.home() in Path(sys.base_prefix).parents else [])
    assert (found["wrote"], found["env"]) == (False, [])
    assert found["net"] != 0
    assert not {"etc", "proc", "dev", "home", "var"} & set(found["all"])


def testbubblewrap_is_found_by_no_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program first on the runner's path or in its folder is not started."""
    evil = tmp_path / "bwrap"
    evil.write_text(f"#!/bin/sh\ntouch {tmp_path}/started\n", encoding="utf-8")
    evil.chmod(0o755)
    monkeypatch.setenv("PATH", f".:{tmp_path}:{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)
    reading.bubblewrap.cache_clear()
    (found,) = read(jobs(tmp_path, "a"))
    assert found == {"toml": None, "files": [], "folders": []}
    assert not (tmp_path / "started").exists()


def test_a_name_of_many_parts_is_refused_at_once(tmp_path: Path) -> None:
    (asked,) = jobs(tmp_path, "bot")
    for parts, said in ((20_000, "a line has more than 256 dots"), (200, "there is no entry a")):
        (tmp_path / "bot/bot.toml").write_text(f"{'.'.join('a' * parts)} = 1\n", encoding="utf-8")
        assert said in read([asked], Caps(seconds=5))[0]["error"]


@pytest.mark.parametrize("works", [True, False])
def test_its_limits_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, works: bool) -> None:
    """The real reader, also without bubblewrap: memory, numbers and time."""
    if not works:
        monkeypatch.setattr(reading, "bubblewrap", lambda: None)
    asked = jobs(tmp_path, "slow", "good")
    deep = "\n".join(f"[a.{'.'.join('b' * 40)}.c{number}]\nx = 1" for number in range(600))
    (tmp_path / "slow/bot.toml").write_text(deep, encoding="utf-8")
    slow, good = read(asked, Caps(seconds=0.002))
    assert "read for 0.002 seconds" in slow["error"] or "says how the bot is started" in slow["error"]
    assert good == {"toml": None, "files": [], "folders": []} or "read for" in good["error"]
    again = read(asked)
    assert "says how the bot is started" in again[0]["error"], json.dumps(again)
    assert again[1] == {"toml": None, "files": [], "folders": []}


def test_a_machine_that_starts_no_reader_is_no_submissions_fault(tmp_path: Path) -> None:
    """Too few open files, as `ulimit -n` sets them."""
    jobs(tmp_path, "a")
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))\n"
        "from pips_tourney.sandbox.reading import ReadingError, read\n"
        f"try: print(read([{{'do': 'look', 'place': {str(tmp_path / 'a')!r}}}]))\n"
        "except ReadingError as error: print(error)"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "cannot start on this machine: " in ended.stdout and "(ulimit -n)" in ended.stdout, ended


def test_a_file_whose_name_is_no_text_is_left_out_with_a_sentence(tmp_path: Path) -> None:
    job = {"do": "print", "place": str(tmp_path), "words": ["python", "\udcffbad.py"], "tree": False, "trusted": True}
    assert read([job]) == [{"error": "its name is no UTF-8: rename it"}]
