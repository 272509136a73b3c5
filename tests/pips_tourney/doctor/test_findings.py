"""What the doctor makes of a machine: nothing where all is well, and a finding for each
thing that is not.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import pytest

from pips_tourney.doctor.attacks import ATTACKS
from pips_tourney.doctor.findings import LOOKS, Needs, examine
from pips_tourney.doctor.machine import Machine, _far_disk
from pips_tourney.doctor.visit import Visit

WELL: Final = Machine(
    got=dict.fromkeys(ATTACKS, ""), memory_mb=15_000, cores=8, load=0.3, free_mb=90_000,
    sync_ms=0.8, descriptors=65_536, processes=60_000,
)  # fmt: skip
NEEDS: Final = Needs(arenas=8, processes=160)


def test_where_all_is_well_nothing_is_found() -> None:
    assert examine(WELL, NEEDS) == []
    seen = Visit(WELL, NEEDS, [])
    assert seen.as_json()["well"] is True
    assert [line[:1] for line in seen.lines()] == [*"✓" * len(LOOKS), "", "A"]
    assert [*seen.lines()][-1].startswith("All is well")


@pytest.mark.parametrize(
    ("what", "planted", "told", "todo"),
    [
        ("sandbox", {"tier": "", "why_tier": "no bwrap"}, "no night of strangers", "install the package bubblewrap"),
        ("sandbox", {"tier": "limits", "why_tier": "no bwrap"}, "the sandbox is `limits`: no bwrap", "_userns"),
        ("attacks", {"got": {"network": "a connection", "calls": ""}}, "`network`.* got a connection", "organisers.md"),
        ("user", {"bots_are_root": True, "root": True}, "bots are root", "adduser"),
        ("cgroup", {"cgroup": "it was not delegated"}, "no control group for bots: it was not", "systemd-run"),
        ("memory", {"memory_mb": 900}, "900 MB of memory are free", "--arenas"),
        ("cores", {"cores": 4}, "8 arenas are to share 4 cores", "--arenas 4"),
        ("cores", {"load": 5.0}, "5.0 of 8 cores were wanted", "end them"),
        ("disk", {"free_mb": 300}, "300 MB are free", "--db"),
        ("disk", {"sync_ms": 80.0}, "safe after 80 ms", "local disk"),
        ("disk", {"sync_ms": None}, "nothing can be written", "--db"),
        ("disk", {"far_disk": "nfs4"}, "would lie on nfs4", "local disk"),
        ("disk", {"open_to_others": ("/srv/league",)}, "may write to /srv/league", "chmod o-w /srv/league"),
        ("descriptors", {"descriptors": 1024}, "may open 1024 files", "ulimit -Hn"),
        ("processes", {"processes": 1500}, "may be 1500 processes", "pid_max"),
        ("ports", {"ports_taken": ("7700",)}, "port 7700 is taken", "--dial"),
    ],
)  # fmt: skip
def test_each_misconfiguration_is_the_one_finding(what: str, planted: dict[str, Any], told: str, todo: str) -> None:
    (finding,) = examine(replace(WELL, **planted), NEEDS)
    assert finding.what == what
    assert todo in finding.todo
    with pytest.raises(AssertionError, match=told):  # the sentence, by a pattern
        raise AssertionError(finding.found)
    seen = Visit(WELL, NEEDS, [finding])
    assert [*seen.lines()][-1] == "one finding."


def test_a_weak_tier_is_told_with_what_got_through_it() -> None:
    weak = replace(WELL, tier="limits", why_tier="no bwrap", got={"disk": "128 MB", "calls": ""})
    sandbox, attack = examine(weak, NEEDS)
    assert (sandbox.what, attack.what) == ("sandbox", "attacks")
    assert "`limits` got 128 MB" in attack.found and "with a fence" in attack.todo


def test_another_machine_s_disk_is_known_by_the_innermost_mount(tmp_path: Any) -> None:
    mounts = f"/dev/sda1 / ext4 rw 0 0\nserver:/x {tmp_path.resolve()} nfs4 rw 0 0\n"
    assert _far_disk(tmp_path, mounts) == "nfs4"
    assert _far_disk(tmp_path, f"{mounts}tmpfs {tmp_path.resolve()} tmpfs rw 0 0\n") == ""
