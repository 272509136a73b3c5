"""All sample bots in all games, a night under each tier with limits, without fault."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pips_referee.game import REGISTRY
from pips_tourney.arena.arena import Arena
from pips_tourney.arena.folder import BOTS, ORGANISER
from pips_tourney.bots.executable import program
from pips_tourney.bots.find import sample_names
from pips_tourney.sandbox.limits import GROUP, Limits
from pips_tourney.sandbox.tiers import Sandbox, SandboxError, Tier, choose
from tests.e2e.desk import Desk, finish
from tests.needs import needs
from tests.patience import PATIENCE_S

LEAGUE = """
games = ["serpent", "wichita", "pippip", { name = "dominion", options = { size = 3, max_rounds = 4 } }]
deals = { suite = "quick", count = 1 }
clock = { answer_ms = 20000 }
"""


def refused(tier: Tier) -> str:
    """Return why this machine does not provide a tier; "" if it does."""
    try:
        choose(tier, Limits())
    except SandboxError as error:
        return str(error)
    return ""


@pytest.fixture(scope="module")
def seen() -> dict[Tier, object]:
    """The standings under the tiers that were played."""
    return {}


@pytest.mark.parametrize("tier", [Tier.LIMITS, Tier.LANDLOCK, Tier.BUBBLEWRAP])
def test_sample_bots_play_within_limits_and_within_a_fence_as_well(
    desk: Desk, tier: Tier, seen: dict[Tier, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIPS_SEARCH_WORLDS", "1")  # enough to be a search
    lines = [LEAGUE, f'sandbox = "{tier}"']
    names = sorted({name for game in REGISTRY for name in sample_names(game)})
    for name in names:
        games = [game for game in REGISTRY if name in sample_names(game)]
        lines += ["[[bots]]", f'name = "{name}"', f'sample = "{name}"', f"games = {json.dumps(games)}"]
    (desk.folder / "night.toml").write_text("\n".join(lines), encoding="utf-8")
    if refusal := refused(tier):  # then only the refusal can be tested here
        _, err = finish(desk.play(), 2)
        assert refusal in err
        return
    out, _ = finish(desk.play())
    tables = {table["label"]: table for table in json.loads(out)["tables"]}
    for game in REGISTRY:
        assert tables[game]["counted"] == tables[game]["scheduled"] > 0
        assert {row["bot"] for row in tables[game]["rows"]} == set(sample_names(game))
        assert all(row["faults"] == {} for row in tables[game]["rows"])
    rows = [row for table in tables.values() for row in table["rows"]]
    assert {row.pop("unfenced", False) for row in rows} == {not tier.is_fence}
    assert all(tables == others for others in seen.values())
    seen[tier] = tables
    desk.assert_nothing_is_left()


AS_USER = """
import os, sys
user, group, what, place = sys.argv[1:]
os.setgroups([]), os.setgid(int(group)), os.setuid(int(user))
sys.exit(not os.access(place, {"-r": os.R_OK, "-w": os.W_OK, "-e": os.F_OK}[what]))
"""
"""A process that becomes another user: one that has started gRPC must not fork."""


@needs("root")
async def test_bots_that_are_other_users_reach_their_socket_and_not_the_organiser_s() -> None:
    sandbox = Sandbox(Tier.LIMITS, Limits(), as_another_user=True)
    async with Arena(
        min(os.sched_getaffinity(0)), lambda _: program(["sleep", "60"], Path("/"), {}), 5.0, sandbox=sandbox
    ) as arena:
        folder = arena._folder
        door = folder / BOTS / "0"
        starting = asyncio.create_task(arena.start(["ada/serpent/0"]))
        async with asyncio.timeout(PATIENCE_S):
            while not door.exists() or door.stat().st_uid == 0:  # noqa: ASYNC110 - a file is no event
                await asyncio.sleep(0.01)
        owner = door.stat().st_uid

        def may(what: str, name: str, user: int) -> bool:
            """As one of the bots' users."""
            words = [sys.executable, "-I", "-S", "-c", AS_USER, str(user), str(GROUP), what, str(folder / name)]
            return subprocess.run(words, check=False).returncode == 0

        assert may("-w", f"{BOTS}/0", owner) and not may("-w", f"{BOTS}/0", owner + 1)
        for hidden in (".", BOTS):
            assert not may("-r", hidden, owner)
        assert not may("-e", ORGANISER, owner)
        starting.cancel()
        assert (folder / ORGANISER).exists()
