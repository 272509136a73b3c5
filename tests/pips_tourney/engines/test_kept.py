"""Arenas are kept from session to session, for no newcomer waits for their start."""

from __future__ import annotations

from typing import Any, Self

import pytest

from pips_tourney.arena.arena import Arena
from pips_tourney.bots.executable import Executable
from pips_tourney.engines import kept as kept_module
from pips_tourney.engines.kept import KeptArenas
from pips_tourney.sandbox.tiers import Sandbox, Tier
from tests.pips_tourney.arena.test_alone import no_program


class Stage(Arena):
    """An arena that starts nothing, and knows whether it is open."""

    async def __aenter__(self) -> Self:
        assert not self.why_lost, "an arena begins once"
        self.__dict__["is_open"] = True
        return self

    async def __aexit__(self, *_: object) -> None:
        self.why_lost = self.why_lost or "the arena was closed"
        self.__dict__["is_open"] = False


def a_stage(startup_s: float = 1.0, **settings: Any) -> Stage:
    return Stage(0, no_program, startup_s, **settings)


def is_open(arena: Arena) -> bool:
    return bool(arena.__dict__.get("is_open"))


async def test_the_next_session_plays_in_the_arena_of_the_last_by_its_own_settings() -> None:
    def other_program(process: str) -> Executable:
        raise AssertionError(process)

    async with KeptArenas() as kept:
        async with kept.opened(0, a_stage()) as first, kept.opened(1, a_stage()) as second:
            first.played, first.games["ada"] = 7, ("serpent",)
        wanted = Stage(0, other_program, 1.0, alone=True, sandbox=Sandbox(hidden=("/home/secret",)), ponder=False)
        async with kept.opened(0, wanted) as again:
            assert again is first and not is_open(wanted)
            assert (again.program_of, again.alone, again.ponder) == (other_program, True, False)
            assert again.sandbox.hidden == ("/home/secret",) and again.played == 0 and not again.games
        assert is_open(first) and is_open(second)
    assert not is_open(first) and not is_open(second)


@pytest.mark.parametrize(
    "settings",
    [
        {"startup_s": 2.0},
        {"sandbox": Sandbox(Tier.LANDLOCK)},
        {"sandbox": Sandbox(group="g")},
        {"serve_also": ("--bots",)},
    ],
    ids=["other-limit", "other-tier", "other-group", "for-guests"],
)
async def test_other_processes_need_another_arena(settings: dict[str, Any]) -> None:
    wanted = a_stage(**settings)
    async with KeptArenas() as kept:
        async with kept.opened(0, a_stage()) as first:
            pass
        async with kept.opened(0, wanted) as second:
            assert second is wanted and not is_open(first)


async def test_an_arena_is_replaced_after_many_sessions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else its referee looks after the bots of all versions, at every tick."""
    monkeypatch.setattr(kept_module, "MOST_SESSIONS", 2)
    used = list[Arena]()
    async with KeptArenas() as kept:
        for _ in range(5):
            async with kept.opened(0, a_stage()) as arena:
                used.append(arena)
        assert [arena is used[0] for arena in used] == [True, True, False, False, False]
        assert used[2] is used[3] is not used[4]
        assert [is_open(arena) for arena in used] == [False, False, False, False, True]


async def test_a_lost_arena_is_not_kept_nor_one_whose_work_failed() -> None:
    async with KeptArenas() as kept:
        async with kept.opened(0, a_stage()) as lost:
            lost.why_lost = "the referee ended"
        assert not is_open(lost)
        with pytest.raises(OSError, match="disk"):
            async with kept.opened(0, a_stage()) as failed:
                raise OSError("no disk")
        assert not is_open(failed)
        async with kept.opened(0, a_stage()) as idle:
            pass
        idle.why_lost = "the keeper ended"
        async with kept.opened(0, a_stage()) as fresh:
            assert fresh is not idle and not is_open(idle)
