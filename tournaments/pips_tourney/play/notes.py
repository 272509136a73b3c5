"""What the organiser is told before the first match."""

from __future__ import annotations

from collections.abc import Iterator

from pips_referee.clock import kernel_keeps_ledger
from pips_tourney.arena.refusals import MOST_REFUSALS
from pips_tourney.league.league import League
from pips_tourney.night.plan.fixtures import choice_of
from pips_tourney.night.plan.programme import Programme
from pips_tourney.sandbox.tiers import Sandbox

QUICK_MS = 10_000
"""A model that is asked over a network may well take longer than this."""


def notes(league: League, programme: Programme, sandbox: Sandbox, *, clock: bool) -> tuple[str, ...]:
    """The notes to show before the first match."""
    choices = filter(None, (choice_of(programme, contest) for contest in programme.contests))
    games = dict.fromkeys(contest.game for contest in programme.contests)
    groups = dict.fromkeys(group for game in games for group in programme.copies(game))
    copies = (
        f"The same files: {', '.join(group)}. They share a place, and show how true intervals are" for group in groups
    )
    clocks = _clock_notes(programme) if clock else ()
    return (*choices, *copies, *_model_notes(league, sandbox), *sandbox.notes, *clocks)


def _model_notes(league: League, sandbox: Sandbox) -> Iterator[str]:
    exposed = sandbox.bubblewrap is None and not sandbox.as_another_user
    limit_ms = league.file.clock.answer_ms
    for bot in league.file.bots:
        if bot.model is None:
            continue
        budget = "without a limit of cost" if bot.model.max_cost is None else f"for {bot.model.max_cost:g} at most"
        yield f"{bot.name} asks {bot.model.name} at {bot.model.endpoint}, {budget}"
        if exposed and bot.model.key_env:
            name = bot.model.key_env
            yield f"Every bot of this league can read {name}, the key of {bot.name}: only bubblewrap hides it"
        if 0 < limit_ms < QUICK_MS:
            yield (
                f"{bot.name} has {limit_ms} ms for an answer, its model's replies included: "
                "give `clock = { answer_ms = 60000 }` if that is too short"
            )


def refused(bot: str, why: str) -> str:
    """The machine has refused a bot something too often."""
    return (
        f"The machine has refused something to {bot} {MOST_REFUSALS} times ({why}): its matches were void, "
        "and played again. From now on that counts as the bot's fault"
    )


def _clock_notes(programme: Programme) -> tuple[str, ...]:
    if not any(programme.clock.values()) or kernel_keeps_ledger():
        return ()
    return ("This kernel does not tell how long a bot waited for its core (schedstat): what is credited is estimated.",)
