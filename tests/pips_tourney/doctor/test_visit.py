"""The doctor's visit to this machine: what is planted is found, and the attacks are
real ones.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from pips_tourney.arena.arena import Arena
from pips_tourney.arena.starting import StartFailure
from pips_tourney.doctor import trial
from pips_tourney.doctor.attacks import ATTACKS, MARK
from pips_tourney.doctor.trial import try_attacks
from pips_tourney.doctor.visit import REMOTE_PORT, Visit, visit
from pips_tourney.sandbox import tiers
from tests.needs import needs
from tests.patience import PATIENCE_S

pytestmark = [pytest.mark.xdist_group("processes"), pytest.mark.unmeasured]

LEAGUE = """
games = ["serpent"]
arenas = 200
sandbox = { tier = "none", unfenced = true }
bots = [
    { name = "ada", command = "python bot.py", cwd = "ada" },
    { name = "bo", sample = "random" },
    { name = "cy", remote = true },
]
"""


@pytest.fixture
def taken() -> Iterator[int]:
    """The port where guests dial in, which another program has: this one, or any."""
    with ExitStack() as stack:
        with suppress(OSError):
            stack.enter_context(socket.create_server(("0.0.0.0", REMOTE_PORT)))
        yield REMOTE_PORT


def test_attacks_get_what_they_want_where_nothing_keeps_them_from_it(tmp_path: Path) -> None:
    """Else it would mean nothing that they are kept out."""
    sandbox, got = try_attacks(tmp_path, {"tier": "none"})
    assert sandbox.tier == "none"
    assert set(got) == set(ATTACKS)
    through = {name for name, what in got.items() if what and "not tried" not in what}
    assert through >= {"network", "secret", "neighbour", "writes", "processes", "memory", "forks", "disk", "calls"}, got
    assert list(tmp_path.iterdir()) == [], "nothing of it is left"


@needs("bwrap")
def test_what_a_lost_arena_did_not_try_is_tried_in_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[str]] = []

    class Losing(Arena):
        """The first one is lost after three attacks."""

        async def start(self, processes: Iterable[str]) -> list[StartFailure]:
            asked.append(names := list(processes))
            told = [StartFailure(name, "ended with status 0", f"{MARK} held\n{MARK} kept") for name in names]
            if len(asked) == 1:
                told[3:] = [StartFailure(name, "the keeper ended", "") for name in names[3:]]
            return told

    monkeypatch.setattr(trial, "Arena", Losing)
    _, got = try_attacks(tmp_path, {"tier": "none"})
    assert got == dict.fromkeys(ATTACKS, "")
    assert [len(names) for names in asked] == [len(ATTACKS), len(ATTACKS) - 3]


@pytest.mark.parametrize(
    ("name", "how", "output", "got"),
    [
        ("memory", "ended, for it held 99 MB", f"{MARK} held", ""),
        ("memory", "ended with status 0", f"{MARK} kept", "it was stopped before it held anything"),
        ("memory", "killed by SIGKILL", "", "it was stopped before it held anything"),
        ("forks", "ended with status 0", f"{MARK} held\n{MARK} kept", ""),
        ("disk", "ended with status 0", f"{MARK} held\n{MARK} through: 128 MB", "128 MB"),
        ("secret", "ended with status 0", f"{MARK} kept", ""),
        ("secret", "ended with status 1", "Traceback", "ended with status 1"),
    ],
)
def test_an_attack_proves_something_if_it_held_what_it_claims(name: str, how: str, output: str, got: str) -> None:
    told = trial._got(StartFailure(f"{name}/doctor/0", how, output))
    assert (got in told, bool(told)) == (True, bool(got))


@needs("bwrap")
def test_bubblewrap_keeps_them_out(tmp_path: Path) -> None:
    sandbox, got = try_attacks(tmp_path, {})
    assert sandbox.tier == "bubblewrap"
    assert got == dict.fromkeys(ATTACKS, "")


def test_what_is_planted_on_a_real_machine_is_found(tmp_path: Path, taken: int) -> None:
    """At once: few descriptors, a port, an open folder, arenas, no sandbox, attacks."""
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada").chmod(0o777)
    (tmp_path / "night.toml").write_text(LEAGUE, encoding="utf-8")

    few = ["/bin/sh", "-c", 'ulimit -n 512; exec "$@"', "sh"]  # this process has had gRPC: it must not be forked
    words = [*few, sys.executable, "-m", "pips_tourney", "check", "night.toml", "--json"]
    ended = subprocess.run(
        words, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE_S, check=False,
    )  # fmt: skip
    assert ended.returncode == 1, ended.stderr
    told = json.loads(ended.stdout)["machine"]
    found = [(finding["what"], finding["found"]) for finding in told["findings"]]
    for what, part in (
        ("descriptors", "may open 512 files"),
        ("ports", f"port {taken} is taken"),
        ("disk", f"may write to {tmp_path}/ada"),
        ("cores", "200 arenas are to share"),
        ("sandbox", "the sandbox is `none`"),
        ("attacks", "`network`"),
        ("attacks", "`secret`"),
    ):
        assert any(name == what and part in text for name, text in found), (what, part, found)
    assert all(finding["todo"] for finding in told["findings"])
    assert told["well"] is False and told["needs"]["arenas"] == 200


@needs("bwrap")
def test_a_sandbox_that_is_refused_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "night.toml").write_text(
        'game = "serpent"\nsandbox = { cgroup = "/nowhere" }\nbots = [{ name = "a", sample = "random" }, '
        '{ name = "b", sample = "greedy" }]', encoding="utf-8",
    )  # fmt: skip
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tiers, "_check_open", lambda _: None)
    seen: Visit = visit(tmp_path / "night.toml")
    told = [finding.found for finding in seen.findings if finding.what == "sandbox"]
    assert len(told) == 1 and "/nowhere" in told[0]


def test_a_place_where_nothing_can_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/proc")
    seen = visit(None)
    assert "nothing can be written" in " ".join(finding.found for finding in seen.findings if finding.what == "disk")
