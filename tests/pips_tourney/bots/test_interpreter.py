"""Interpreters and environments of bots: installed once, with the SDK, clear errors."""

from __future__ import annotations

import importlib.util
import os
import socket
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from pips_tourney.bots import interpreter as environment
from pips_tourney.bots.interpreter import InstallError, Interpreter, Requirements
from pips_tourney.league.mistakes import LeagueError
from pips_tourney.league.read import read_league
from pips_tourney.sandbox import installing
from pips_tourney.sandbox.installing import install
from tests.needs import needs

RUN = "import pips_sdk.serpent, grpc, flavour; print(flavour.NAME)"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.delenv("COVERAGE_PROCESS_CONFIG", raising=False)  # pip is not ours to measure
    return tmp_path / "cache" / "pips"


def bot_with(
    folder: Path, *requirements: str, needs: str = "", module: str = "NAME = 'vanilla'\n", name: str = "flavour"
) -> Path:
    """Make a bot's folder with a package that needs no network, and others."""
    folder.mkdir(parents=True, exist_ok=True)
    wheel = folder / f"{name}-1.0-py3-none-any.whl"
    more = f"Requires-Dist: {needs}\n" if needs else ""
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr(f"{name}.py", module)
        file.writestr(f"{name}-1.0.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n{more}")
        file.writestr(f"{name}-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        file.writestr(f"{name}-1.0.dist-info/RECORD", "")
    (folder / "requirements.txt").write_text("\n".join([f"./{wheel.name}", *requirements]), encoding="utf-8")
    return folder


def interpreter(python: str | None, folder: Path | None, wheels: Path | None = None) -> Interpreter:
    """Get an interpreter as a league asks for it."""
    wants = None
    if folder is not None:
        wants = Requirements((folder / "requirements.txt").read_text(encoding="utf-8"), folder, wheels)
    return environment.interpreter(python, wants, install)


def said(python: str, code: str) -> str:
    return subprocess.run([python, "-P", "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def test_requirements_are_installed_once_beside_the_runners_sdk(tmp_path: Path, cache: Path) -> None:
    # The runner has numpy: no network is needed for it.
    own = interpreter(None, bot_with(tmp_path / "ada", "numpy"))
    assert Path(own.path).is_relative_to(cache / "environments") and not own.env
    assert said(own.path, RUN) == "vanilla"
    (mark,) = cache.glob("environments/*/installed")
    made = mark.stat().st_mtime_ns
    assert interpreter(None, tmp_path / "ada") == own
    assert mark.stat().st_mtime_ns == made
    other = interpreter(None, bot_with(tmp_path / "bo", "numpy"))
    assert other.path != own.path, "two bots share nothing that one could leave a word in"


SOURCE = "open({mark!r}, 'w').close()\nfrom setuptools import setup\nsetup(name='evil', version='1.0')\n"


@pytest.mark.parametrize(
    "how",
    [
        "an archive",
        "a folder",
        "an index",
        "git",
        "another file",
        "a wheel above",
        "a variable",
        "a variable in a condition",
        "two lines in one",
    ],
)
def test_nothing_of_a_package_is_run_when_it_is_installed(tmp_path: Path, how: str) -> None:
    """A setup.py would run as the organiser, so only wheels are installed.

    They come by name or from the bot's own folder.
    """
    bot, mark = tmp_path / "ada", tmp_path / "mark"
    source = bot / "evil-1.0"
    source.mkdir(parents=True)
    (source / "setup.py").write_text(SOURCE.format(mark=str(mark)), encoding="utf-8")
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    with tarfile.open(wheels / "evil-1.0.tar.gz", "w:gz") as archive:
        archive.add(source, "evil-1.0")
    (bot_with(tmp_path / "bo") / "flavour-1.0-py3-none-any.whl").rename(tmp_path / "flavour-1.0-py3-none-any.whl")
    line = {
        "an archive": "evil", "a folder": "./evil-1.0", "an index": f"--find-links {wheels}\nevil",
        "git": f"evil @ git+file://{source}", "another file": "-r ../bo/requirements.txt",
        "a wheel above": "./../flavour-1.0-py3-none-any.whl", "a variable": "flavour==${PIP_INDEX_URL}",
        "a variable in a condition": "flavour ; ${PIP_INDEX_URL}", "two lines in one": "flavour \\\n==1.0",
    }[how]  # fmt: skip
    (bot / "requirements.txt").write_text(f"{line}\n", encoding="utf-8")
    with pytest.raises(InstallError) as told:
        interpreter(None, bot, wheels)
    assert ("from wheels alone" if how == "an archive" else "is not installed: write a name") in str(told.value)
    assert not mark.exists()


@pytest.mark.parametrize("who", ["the bot's own wheel", "a wheel of the organiser's folder"])
@pytest.mark.parametrize("what", ["an archive", "a folder", "a wheel"])
def test_what_a_wheel_requires_by_its_address_is_neither_built_nor_installed(
    tmp_path: Path, who: str, what: str
) -> None:
    bot, wheels, mark = tmp_path / "ada", tmp_path / "wheels", tmp_path / "mark"
    own = who == "the bot's own wheel"
    shown = bot if own else wheels  # pip can read what is here
    source = shown / "evil-1.0"
    source.mkdir(parents=True)
    (source / "setup.py").write_text(SOURCE.format(mark=str(mark)), encoding="utf-8")
    with tarfile.open(shown / "evil.tar.gz", "w:gz") as file:
        file.add(source, "evil-1.0")
    bot_with(shown / "more", name="evil")
    place = {"an archive": "evil.tar.gz", "a folder": "evil-1.0", "a wheel": "more/evil-1.0-py3-none-any.whl"}[what]
    bot_with(shown, needs=f"evil @ file://{shown / place}")
    bot.mkdir(exist_ok=True)
    (bot / "requirements.txt").write_text("./flavour-1.0-py3-none-any.whl" if own else "flavour", encoding="utf-8")
    with pytest.raises(InstallError) as told:
        interpreter(None, bot, None if own else wheels)
    why = "an address is not installed" if own else "evil is required by its address"
    assert (why if own or what == "a wheel" else "nothing is built or run at installation") in str(told.value)
    assert not mark.exists()


def test_pip_starts_no_program_whatever_it_is_asked(tmp_path: Path) -> None:
    """Without the look into wheels, as if it had overlooked an address."""
    mark, source = tmp_path / "mark", tmp_path / "evil-1.0"
    source.mkdir()
    (source / "setup.py").write_text(SOURCE.format(mark=str(mark)), encoding="utf-8")
    found = importlib.util.find_spec("pip")
    assert found is not None and found.origin is not None
    runner = Path(found.origin).with_name("__pip-runner__.py")
    words = [sys.executable, "-I", "-c", environment._WHEELS.read_text(encoding="utf-8"), "1", "0", str(runner)]
    words += ["install", "--no-deps", "--target", str(tmp_path / "into"), "--no-build-isolation", str(source)]
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    assert ended.returncode and "nothing is built or run at installation" in ended.stderr + ended.stdout
    assert not mark.exists()


def test_wheels_are_bounded_as_they_unpack(tmp_path: Path) -> None:
    bot = bot_with(tmp_path / "ada", module="#" * (3 << 20))
    assert (bot / "flavour-1.0-py3-none-any.whl").stat().st_size < 10_000
    wants = Requirements("./flavour-1.0-py3-none-any.whl", bot, most_mb=2)
    with pytest.raises(InstallError, match=r"unpack to more than 2 MB \(hand_in\.mb\)"):
        environment.interpreter(None, wants, install)
    wants = Requirements("flavour", tmp_path, bot, most_mb=2)  # one that pip finds itself
    with pytest.raises(InstallError, match=r"unpack to more than 2 MB"):
        environment.interpreter(None, wants, install)


def test_a_wheel_that_is_none_is_told(tmp_path: Path) -> None:
    bot = bot_with(tmp_path / "ada")
    (bot / "flavour-1.0-py3-none-any.whl").write_bytes(b"PK")
    with pytest.raises(InstallError, match="is no wheel that can be read"):
        interpreter(None, bot)


def test_a_folder_of_wheels_is_all_there_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PIP_NO_INDEX")
    wheels, bot = bot_with(tmp_path / "wheels"), tmp_path / "ada"
    bot.mkdir()
    (bot / "requirements.txt").write_text(
        "# what it needs\nflavour >= 0.9, < 2 ; python_version > '3.0'  # a comment\n", "utf-8"
    )
    assert said(interpreter(None, bot, wheels).path, RUN) == "vanilla"
    (bot / "requirements.txt").write_text("flavour==3.0", encoding="utf-8")
    with pytest.raises(InstallError, match="No matching distribution"):
        interpreter(None, bot, wheels)


def test_pip_heeds_the_organisers_own_files_and_those_that_they_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in os.environ:
        if name.startswith(("PIP_", "XDG_CONFIG_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    bot_with(tmp_path / "my_wheels")
    (tmp_path / "limits.txt").write_text("flavour<1\n", encoding="utf-8")
    own = tmp_path / ".config/pip/pip.conf"
    own.parent.mkdir(parents=True)
    own.write_text(
        f"[global]\nno-index = true\nfind-links =\n  file://{tmp_path}/my_wheels\n  /no/such\n"
        f"[install]\nconstraint = {tmp_path}/limits.txt\nuser = true\nlog = /no/such\n", encoding="utf-8",
    )  # fmt: skip
    bot = tmp_path / "ada"
    bot.mkdir()
    (bot / "requirements.txt").write_text("flavour", encoding="utf-8")
    with pytest.raises(InstallError, match=r"(?s)requested flavour.*\(constraint\) flavour<1"):
        interpreter(None, bot)


@needs("bwrap")
def test_pip_sees_what_it_needs_and_writes_to_the_environment_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "into").mkdir()
    (tmp_path / "secret").write_text("x", encoding="utf-8")
    monkeypatch.setenv("PASSWORD", "hunter2")
    monkeypatch.setenv("PIP_INDEX_URL", "https://example.invalid/simple")
    look = (
        "import os, socket; print(os.path.exists({secret!r}), 'PASSWORD' in os.environ, 'PIP_INDEX_URL' in os.environ, "
        "socket.socket().connect_ex(('127.0.0.1', {port})), os.access({beside!r}, os.W_OK), "
        "os.statvfs('/proc/sys').f_flag & os.ST_RDONLY); open({into!r}, 'w')"
    )
    with socket.create_server(("127.0.0.1", 0)) as door:
        told = look.format(
            secret=str(tmp_path / "secret"), into=str(tmp_path / "into/x"), beside=str(Path(sys.prefix)),
            port=door.getsockname()[1],
        )  # fmt: skip
        for network in (False, True):
            status, said_ = install([sys.executable, "-c", told], [], tmp_path / "into", network)
            seen, password, index, dialled, written, kernel_settings = said_.split()
            assert (status, seen, password, index) == (0, "False", "False", str(network))
            assert (dialled == "0") is network
            assert written == "False" and kernel_settings == "1"
    assert (tmp_path / "into/x").exists()


def test_what_pip_says_is_told_and_nothing_half_made_is_used(tmp_path: Path, cache: Path) -> None:
    bot = bot_with(tmp_path / "ada", "no-such-package-of-pips")
    for _ in range(2):
        with pytest.raises(
            InstallError,
            match=r"(?s)ada/requirements\.txt: pip could not install it, from wheels alone:.*no-such-package",
        ):
            interpreter(None, bot)
    assert not list(cache.glob("environments/*/installed"))


def test_a_wish_that_the_sdk_could_not_live_with_fails_at_once(tmp_path: Path) -> None:
    with pytest.raises(InstallError, match="protobuf"):
        interpreter(None, bot_with(tmp_path / "ada", "protobuf<5"))


def test_an_interpreter_of_its_own_finds_the_sdk_and_only_that(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "own"], check=True)
    own = interpreter(str(tmp_path / "own/bin/python"), None)
    (folder,) = own.env["PYTHONPATH"].split(":")[:1]
    assert sorted(path.name for path in Path(folder).iterdir()) == ["pips", "pips_referee", "pips_sdk"]
    found = subprocess.run(
        [own.path, "-c", "from importlib.util import find_spec as f; print(f('pips_sdk') is None, f('grpc') is None)"],
        capture_output=True, text=True, check=True, env=dict(own.env),
    )  # fmt: skip
    assert found.stdout.split() == ["False", "True"]


def test_another_version_gets_what_the_sdk_stands_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = tmp_path / "python"
    other.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n', encoding="utf-8")
    other.chmod(0o755)
    asked = environment._ask
    versions = {str(other): ("3.99", "cpython-399", "/other")}
    monkeypatch.setattr(environment, "_ask", lambda python: versions.get(python) or asked(python))
    with pytest.raises(InstallError, match="grpcio"):  # which no index has here
        interpreter(str(other), bot_with(tmp_path / "ada"))


def test_no_python_at_all(tmp_path: Path) -> None:
    with pytest.raises(InstallError, match="is no Python that can be started"):
        interpreter(str(tmp_path / "nothing"), None)


def test_pip_that_does_not_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installing, "INSTALL_S", 0.0)
    with pytest.raises(InstallError, match="it took more than 0 s"):
        interpreter(None, bot_with(tmp_path / "ada"))


def test_pip_has_limits_and_no_python_runs_between_fork_and_exec(tmp_path: Path) -> None:
    """Other threads may hold locks in a process that forks."""
    forks: list[int] = []
    os.register_at_fork(before=lambda: forks.append(1))
    code = "import resource as r; print(*(r.getrlimit(x)[0] >> 20 for x in (r.RLIMIT_FSIZE, r.RLIMIT_AS)))"
    status, output = install([sys.executable, "-c", code], [], tmp_path, False)
    file, memory = map(int, output.split())
    assert status == 0 and 0 < file <= installing.MOST_FILE_MB and 0 < memory <= installing.MOST_MEMORY_MB
    assert not forks
    assert install(["/no/such/program"], [], tmp_path, False)[0] == 1


def test_a_runner_without_pip_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there = importlib.util.find_spec
    monkeypatch.setattr("pips_tourney.bots.interpreter.find_spec", lambda name: None if name == "pip" else there(name))
    with pytest.raises(InstallError, match="ensurepip"):
        interpreter(None, bot_with(tmp_path / "ada"))


LEAGUE = """
game = "serpent"
bots = [
    { path = "many/*", install = true },
    { name = "named", path = "named", install = true },
    { name = "r", sample = "random" },
]
"""


def test_one_of_many_that_cannot_be_installed_stops_nobody(tmp_path: Path) -> None:
    for name in ("many/ada", "many/bo", "named"):
        bot_with(tmp_path / name).joinpath("bot.py").write_text("", encoding="utf-8")
    bot_with(tmp_path / "many/bo", "no-such-package-of-pips")
    (tmp_path / "night.toml").write_text(LEAGUE, encoding="utf-8")
    league = read_league(tmp_path / "night.toml").installed()
    assert [bot.name for bot in league.file.bots] == ["ada", "named", "r"]
    assert "no-such-package" in league.broken["bo"]
    assert "cache" in league.program(league.file.bots[0], "serpent").command[0]
    (tmp_path / "many/bo/requirements.txt").unlink()
    bot_with(tmp_path / "named", "no-such-package-of-pips")
    with pytest.raises(LeagueError, match=r"bot named: .*named/requirements\.txt: pip could not"):
        read_league(tmp_path / "night.toml").installed()


@pytest.mark.parametrize(
    "line", ["numpy==2.1 --hash=sha256:0", "numpy==2.1 --index-url http://x", "numpy; os_name == 'nt' --pre"]
)
def test_an_option_behind_a_name_is_refused(tmp_path: Path, line: str) -> None:
    """pip would drop it without a word, or obey it for all lines."""
    with pytest.raises(InstallError, match=r"line 1: .* is not installed: write a name"):
        Requirements(line, tmp_path).lines()
