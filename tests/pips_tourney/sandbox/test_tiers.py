"""Tiers: chosen, tried, refused; what a process sees (nights: tests/faults)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from socket import AF_UNIX, socket

import pytest

from pips_tourney.arena.leftovers import clear_leftovers
from pips_tourney.bots.executable import places_named, program
from pips_tourney.league.mistakes import LeagueError
from pips_tourney.league.read import read_league
from pips_tourney.sandbox import bubblewrap, tiers
from pips_tourney.sandbox.bubblewrap import Bubblewrap, EnclosedProgram
from pips_tourney.sandbox.landlock import Landlock
from pips_tourney.sandbox.limits import FIRST_USER, Limits
from pips_tourney.sandbox.places import closed_to_others
from pips_tourney.sandbox.tiers import (
    NO_SANDBOX,
    Sandbox,
    SandboxError,
    Shelter,
    Tier,
    WhoPlays,
    choose,
)
from tests.patience import PATIENCE_S, until
from tests.pips_tourney.fences import NO_LANDLOCK, hide_fences
from tests.pips_tourney.in_process import write_league
from tests.pips_tourney.sandbox.starting import USER, told

STRANGERS = Shelter(who=WhoPlays(("ada",), unfenced=True))


@pytest.fixture
def no_bubblewrap(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    hide_fences(monkeypatch, str(tmp_path))


@pytest.fixture
def refusing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A bubblewrap on a kernel that refuses it."""
    bwrap = tmp_path / "bin" / "bwrap"
    bwrap.parent.mkdir()
    bwrap.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2; exit 1\n", encoding="utf-8")
    bwrap.chmod(0o755)
    hide_fences(monkeypatch, str(bwrap.parent))


class Hanging:
    """A bubblewrap that waits, and refuses when it is released."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.path, self.begun, gate = folder / "bwrap", folder / "begun", folder / "gate"
        os.mkfifo(gate)
        self.gate = os.open(gate, os.O_RDWR)
        refusal = "echo 'bwrap: No permissions' >&2; exit 1"
        self.path.write_text(f"#!/bin/sh\n: >'{self.begun}'\nread line <'{gate}'\n{refusal}\n", encoding="utf-8")
        self.path.chmod(0o755)

    def release(self) -> None:
        os.write(self.gate, b"\n" * 9)


@pytest.fixture
def hanging(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Hanging]:
    made = Hanging(tmp_path / "bin")
    hide_fences(monkeypatch, str(made.path.parent))
    yield made
    os.close(made.gate)  # whoever still waits reads an end


def test_without_a_fence_trusted_bots_play_within_limits_and_one_line_says_so(no_bubblewrap: None) -> None:
    best = choose(None, Limits())
    assert (best.tier, best.limits, best.as_another_user) == (Tier.LIMITS, Limits(), False)
    (note,) = best.notes
    why = f"there is no bwrap on this machine. Without it, {NO_LANDLOCK}"
    assert note == f"No fence: the bots play on trust and could do what you may, since {why}"


def test_without_a_fence_strangers_do_not_play_and_a_sentence_says_what_to_do(no_bubblewrap: None) -> None:
    strangers = WhoPlays(("ada", "bo", "cy", "di"), ("bo",))
    with pytest.raises(
        SandboxError, match=r"ada, bo, cy and 1 more are strangers' .* no bwrap .*: apt-get install"
    ) as told:
        choose(None, Limits(), Shelter(who=strangers))
    assert str(told.value).endswith(
        "Of bo, which the league file names alone: say `trusted = true` if you vouch for it"
    )


def test_a_trusted_bot_without_a_fence_keeps_guests_away(no_bubblewrap: None) -> None:
    """It could read the secret of the night while they play."""
    with pytest.raises(SandboxError, match="guest will dial in, and bots that play here could read the secret"):
        choose(None, Limits(), Shelter(who=WhoPlays(guests=("guest",))))


@pytest.mark.parametrize("fence", [Bubblewrap("/usr/bin/bwrap", as_root=True), Landlock(as_root=True)])
def test_where_a_fence_can_be_had_trust_changes_nothing(fence: Bubblewrap | Landlock) -> None:
    trusts = [WhoPlays(), WhoPlays(("ada",), ("ada",)), WhoPlays(guests=("bo",)), WhoPlays(("ada",), unfenced=True)]
    chosen = {choose(None, Limits(), Shelter(who=trust), lambda: (fence, "")) for trust in trusts}
    (sandbox,) = chosen
    assert sandbox.tier is (Tier.BUBBLEWRAP if isinstance(fence, Bubblewrap) else Tier.LANDLOCK)


@pytest.mark.parametrize("tier", [Tier.NONE, Tier.LIMITS])
def test_strangers_play_without_a_fence_only_if_the_league_file_says_so_in_plain_words(
    monkeypatch: pytest.MonkeyPatch, tier: Tier
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(SandboxError, match=f'sandbox = {tier}.*say `sandbox = {{ tier = "{tier}", unfenced = true }}`'):
        choose(tier, Limits(), Shelter(who=WhoPlays(("ada",))))
    assert choose(tier, Limits(), Shelter(who=WhoPlays(("ada",), unfenced=True))).tier is tier


def test_a_tier_that_is_asked_for_and_not_to_be_had_is_an_error_with_a_remedy(no_bubblewrap: None) -> None:
    with pytest.raises(SandboxError, match=r"there is no bwrap .* Install bubblewrap"):
        choose(Tier.BUBBLEWRAP, Limits())


def test_a_kernel_that_refuses_is_quoted(refusing: None) -> None:
    with pytest.raises(SandboxError, match="No permissions to create new namespace"):
        choose(Tier.BUBBLEWRAP, Limits())
    assert "No permissions" in choose(None, Limits()).notes[0]


def test_none_and_limits_are_what_is_asked_for() -> None:
    assert choose(Tier.NONE, Limits()).limits is None
    assert "without any limit" in choose(Tier.NONE, Limits()).notes[0]
    limited = choose(Tier.LIMITS, Limits(memory_mb=99))
    assert (limited.tier, limited.limits) == (Tier.LIMITS, Limits(memory_mb=99))


@pytest.mark.parametrize(
    ("user", "shelter", "others"), [(0, STRANGERS, True), (0, Shelter(), False), (9, STRANGERS, False)]
)
def test_root_s_strangers_are_other_users_and_trusted_bots_are_not(
    monkeypatch: pytest.MonkeyPatch, user: int, shelter: Shelter, others: bool
) -> None:
    """Trusted bots then open what the runner can: a home that is closed to others."""
    tried: list[object] = []
    monkeypatch.setattr(os, "geteuid", lambda: user)
    monkeypatch.setattr(subprocess, "run", lambda *_, **options: tried.append(options["user"]))
    monkeypatch.setattr(tiers, "closed_to_others", lambda _: None)
    assert choose(Tier.LIMITS, Limits(), shelter).as_another_user is others
    assert tried == [FIRST_USER] * others


def test_root_s_strangers_are_never_root_and_the_closed_folder_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as place:
        Path(place).chmod(0o711)
        (home := Path(place, "a home")).mkdir(mode=0o700)
        (bot := home / "bot.py").touch(mode=0o644)
        assert closed_to_others(str(bot)) == home
        monkeypatch.setattr(os, "geteuid", lambda: 0)
        monkeypatch.setattr(tiers, "closed_to_others", lambda path: home if path == str(bot) else None)
        with pytest.raises(SandboxError, match=f"these cannot open {home}. .* chmod o.rx '{home}'"):
            choose(Tier.LIMITS, Limits(), replace(STRANGERS, files=[str(bot)]))
        home.chmod(0o711)
        assert closed_to_others(str(bot)) is None
        bot.chmod(0o600)
        assert closed_to_others(str(bot)) == bot


def test_root_s_strangers_are_never_root_where_others_cannot_start_python(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(subprocess, "run", refuse)
    monkeypatch.setattr(tiers, "closed_to_others", lambda _: None)
    with pytest.raises(SandboxError, match="users without rights, and these cannot start"):
        choose(Tier.LIMITS, Limits(), STRANGERS)


def test_a_league_file_asks_for_a_tier_and_limits(tmp_path: Path) -> None:
    more = 'sandbox = { tier = "limits", memory_mb = 1024, cpu_s = 5, readable = ["books"] }'
    league = read_league(write_league(tmp_path, "ada", "bo", more=more))
    limited = league.sandbox([tmp_path / "night.db"])
    assert limited.limits == Limits(memory_mb=1024, cpu_s=5)
    assert read_league(write_league(tmp_path, "ada", "bo", more='sandbox = "none"')).sandbox([]).tier is Tier.NONE


def test_bubblewrap_is_tried_out_while_the_night_is_made(
    hanging: Hanging, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(bubblewrap, "PROBE_S", PATIENCE_S)
    league = read_league(write_league(tmp_path, "ada", "bo"))
    find = league.sandbox_begun()
    until(hanging.begun.exists, "nothing was begun")
    hanging.release()  # one that is waited for before gives up instead
    assert find is not None and "No permissions" in find()[1]
    monkeypatch.setenv("PATH", "")
    assert "No permissions" in league.sandbox([], find).notes[0]
    assert "there is no bwrap" in league.sandbox([]).notes[0]
    limited = read_league(write_league(tmp_path, "ada", "bo", more='sandbox = "limits"'))
    assert limited.sandbox_begun() is None, "nothing is begun where nothing is needed"


def test_a_command_that_is_interrupted_does_not_wait_for_bubblewrap(hanging: Hanging, tmp_path: Path) -> None:
    league, temporary = write_league(tmp_path, "ada", "bo"), tmp_path / "temporary"
    temporary.mkdir()
    code = "from pips_tourney.cli.tourney import main; from pips_tourney.sandbox import bubblewrap\n"
    code += f"bubblewrap.PROBE_S = {2 * PATIENCE_S}\nmain()"
    run = subprocess.Popen(
        [sys.executable, "-c", code, "run", str(league)], env={**os.environ, "TMPDIR": str(temporary)},
        cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        until(hanging.begun.exists, "nothing was begun")
        run.send_signal(signal.SIGINT)
        assert run.wait(PATIENCE_S) == 130
    finally:
        run.kill()
        run.wait()
    assert list(temporary.iterdir()) == []


def test_a_folder_of_a_trial_that_was_killed_is_cleared(
    hanging: Hanging, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    code = "from pips_tourney.sandbox.bubblewrap import find_bubblewrap; find_bubblewrap()"
    env = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen([sys.executable, "-c", code], env=env, cwd=Path(__file__).parents[3]) as trial:
        until(hanging.begun.exists, "nothing was begun")
        trial.kill()
    (left,) = tmp_path.glob("pips-*")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert any(str(left) in line for line in clear_leftovers())
    assert not left.exists()


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (
            'sandbox = "chroot"',
            "sandbox.tier: input should be 'none', 'limits', 'landlock' or 'bubblewrap', not",
        ),
        ("sandbox = { memory = 5 }", "sandbox.memory: there is no such entry; did you mean memory_mb?"),
        ("sandbox = { memory_mb = 5 }", "sandbox.memory_mb: input should be greater than or equal to 32, not 5"),
    ],
)
def test_mistakes_in_it_are_listed(tmp_path: Path, more: str, says: str) -> None:
    with pytest.raises(LeagueError) as error:
        read_league(write_league(tmp_path, "ada", "bo", more=more))
    assert says in str(error.value)


def test_a_bot_is_its_folder_but_in_a_shared_one_the_file_alone(tmp_path: Path) -> None:
    for name in ("bot.py", "ada/bot.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    command = ["python", "bot.py", "ada/bot.py", "--deep", str(Path.home())]
    assert list(places_named(command, tmp_path, tmp_path)) == [str(tmp_path / "bot.py"), str(tmp_path / "ada")]
    assert list(places_named(["bot.py"], tmp_path / "ada", tmp_path)) == [str(tmp_path / "ada")]


@pytest.fixture
def listening(tmp_path: Path) -> Iterator[str]:
    with socket(AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
        server.listen()
        (tmp_path / "socket").chmod(0o777)
        yield str(tmp_path / "socket")


LOOK = """
import json, os, socket, sys
from pathlib import Path

def able(action, *of):
    try:
        action(*of)
    except OSError:
        return False
    return True

def told(action):
    try:
        return action()
    except OSError:
        return None

def read(place):
    return told(lambda: sorted(os.listdir(place)) if Path(place).is_dir() else Path(place).read_text()[:1])

def write(path):
    Path(path).write_bytes(bytes(1000))

def fill(path):
    Path(path).write_bytes(bytes(70_000_000))

import grpc, pips_sdk
dialled = socket.socket(socket.AF_UNIX)
print(json.dumps({
    "seen": {place: read(place) for place in sys.argv[1:]},
    "written": [place for place in (".", "/", "/usr", "/dev", "/tmp", "/dev/shm", "~") if able(write, Path(place, "x").expanduser())],
    "filled": [place for place in ("/tmp", "/dev/shm") if able(fill, f"{place}/y")],
    "processes": told(lambda: sum(name.isdigit() for name in os.listdir("/proc")) <= 3),
    "networks": told(lambda: [name for _, name in socket.if_nameindex()]),
    "dialled": able(dialled.connect, os.environ["SOCKET"]),
    "user": os.getuid(),
}))
"""  # noqa: E501 - it is read by a machine


def test_what_a_bot_sees_and_what_it_can_write(enclosed: Sandbox, tmp_path: Path, listening: str) -> None:
    names = ("night.db", "ada/bot.py", "ada/secret.db", "ada/other/bot.py", "bo/bot.py")
    is_mounted = enclosed.tier is Tier.BUBBLEWRAP
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x", encoding="utf-8")
    places = [str(tmp_path / name) for name in (*names, "ada/other", ".")]
    ada, private = tmp_path / "ada", ("ada/secret.db", "ada/other", "ada", "night.db", "bo")
    bot = program(
        ["python", "-c", LOOK, *places, str(Path.home()), "/etc/shadow"], ada, {"SOCKET": listening}, files=[str(ada)]
    )
    hidden = tuple(str(tmp_path / name) for name in private)
    found = told(replace(enclosed, hidden=hidden), bot, listening)
    seen = dict(zip([*names, "ada/other", ".", "~", "/etc/shadow"], found.pop("seen").values(), strict=True))
    home = seen.pop("~")
    assert seen == {
        "night.db": None,
        "ada/bot.py": "x",
        "ada/secret.db": None,
        "ada/other/bot.py": None,
        "bo/bot.py": None,
        "ada/other": None,
        ".": ["ada", "socket"] if is_mounted else None,
        "/etc/shadow": None,
    }
    assert home is None or set(home) < {path.name for path in Path.home().iterdir()}
    found["written"] = [place for place in found["written"] if place != "."]  # a copy of its folder, for itself alone
    user = USER if enclosed.as_another_user else 65534
    own = {"written": ["/tmp", "/dev/shm", "~"], "processes": True, "networks": ["lo"]}  # or nothing, where all share
    expected = own if is_mounted else {"written": ["~"], "processes": None, "networks": None}
    assert found == {**expected, "filled": [], "dialled": True, "user": user}


def test_a_command_that_is_not_there_is_an_error_as_without_it(enclosed: Sandbox, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"No such file or directory: './nowhere'"):
        enclosed.enclose(program(["./nowhere"], tmp_path, {}), "/socket", tmp_path)


def test_a_program_in_a_home_is_shown_alone_and_one_that_was_installed_with_its_files(
    mounted: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("bin/mine", "node/bin/node", "node/lib/module"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch(0o755)
    (tmp_path / "bin" / "node").symlink_to("../node/bin/node")
    for command, shown in (("mine", {"bin/mine"}), ("node", {"bin/node", "node"})):
        bot = program([command], Path("/"), {"PATH": str(tmp_path / "bin")})
        found = mounted.enclose(bot, "/socket", tmp_path)
        assert isinstance(found, EnclosedProgram)
        words = found.texts["args"]
        places = {words[at + 1] for at, word in enumerate(words) if word == "--ro-bind-try"}
        assert {place for place in places if place.startswith(str(tmp_path)) and ".cache" not in place} == {
            str(tmp_path / name) for name in shown
        }


def test_without_a_sandbox_nothing_is_changed() -> None:
    bot = program([sys.executable], Path("/"), {})
    assert NO_SANDBOX.enclose(bot, "/socket", Path("/")) is bot


def test_what_is_hidden_is_hidden_by_every_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path with `..`, or through a link, names the same file."""
    bot = tmp_path / "league" / "bot"
    bot.mkdir(parents=True)
    (tmp_path / "way").symlink_to(tmp_path / "league")
    monkeypatch.chdir(bot)
    sandbox = choose(None, Limits(), Shelter(hidden=["../league.db", str(tmp_path / "way" / "league.key")]))
    if sandbox.tier is Tier.BUBBLEWRAP:
        league = tmp_path / "league"
        assert {str(league / "league.db"), str(league / "league.key")} <= set(sandbox.hidden)
