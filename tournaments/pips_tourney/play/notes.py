"""The notes for the organiser before the first match."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from pips_referee.timing.clock import kernel_keeps_ledger
from pips_tourney.arena.roster import MOST_ALIVE
from pips_tourney.league.league import League
from pips_tourney.night.night import Night
from pips_tourney.night.plan.fixtures import choice_of
from pips_tourney.night.plan.programme import Programme
from pips_tourney.night.proof.promise import announced
from pips_tourney.sandbox.resources import too_much
from pips_tourney.sandbox.tiers import Sandbox
from pips_tourney.system import NO_CLOCK, is_linux

QUICK_MS = 10_000
"""The usual reply time of a model over a network may exceed this."""


def notes(night: Night, league: League, sandbox: Sandbox, missing: int, arenas: int) -> tuple[str, ...]:
    """The notes before the first of the `missing` matches."""
    programme, is_here = night.programme, is_linux()
    told = (*announced(night.store), *league_notes(league, programme, sandbox, clock=missing > 0 and is_here))
    clock = () if is_here else (NO_CLOCK,)
    return (*told, *clock, *limit_notes(league, programme, sandbox, arenas))


def league_notes(league: League, programme: Programme, sandbox: Sandbox, *, clock: bool) -> tuple[str, ...]:
    """The notes that follow from the league alone, before it is played."""
    choices = filter(None, (choice_of(programme, contest) for contest in programme.contests))
    copies = (
        f"The same files: {', '.join(group)}. They share a place, and show how reliable intervals are"
        for group in programme.all_copies
    )
    clocks = _clock_notes(programme) if clock else ()
    return (*choices, *copies, *_model_notes(league, sandbox), *sandbox.notes, *clocks)


def _model_notes(league: League, sandbox: Sandbox) -> Iterator[str]:
    exposed = sandbox.fence is None and not sandbox.as_another_user
    limit_ms = league.file.clock.answer_ms
    for bot in league.file.bots:
        if bot.model is None:
            continue
        budget = "without a limit of cost" if bot.model.max_cost is None else f"for {bot.model.max_cost:g} at most"
        yield f"{bot.name} asks {bot.model.name} at {bot.model.endpoint}, {budget}"
        if exposed and bot.model.key_env:
            name = bot.model.key_env
            yield f"Every bot of this league can read {name}, the key of {bot.name}: only a fence hides it"
        if 0 < limit_ms < QUICK_MS:
            yield (
                f"{bot.name} has {limit_ms} ms for an answer, its model's replies included: "
                "give `clock = { answer_ms = 60000 }` if that is too short"
            )


def limit_notes(league: League, programme: Programme, sandbox: Sandbox, arenas: int) -> Iterator[str]:
    """A sentence for each limit whose sum over strangers' bots is too much."""
    if not league.who().strangers:
        return iter(())
    players = chain.from_iterable(map(programme.players, programme.contests))
    guests = {bot.name for bot in league.file.bots if bot.remote}
    return too_much(sandbox, arenas * min(MOST_ALIVE, sum(player.name not in guests for player in players)))


def _clock_notes(programme: Programme) -> tuple[str, ...]:
    if not any(programme.clock.values()) or kernel_keeps_ledger():
        return ()
    return ("This kernel does not tell how long a bot waited for its core (schedstat): what is credited is estimated.",)
