"""Ratings and margins, weighted the same way for gates and tables."""

from __future__ import annotations

from collections.abc import Sequence

from pips_referee.game import get_game
from pips_tourney.night.plan.programme import Contest, Programme
from pips_tourney.ratings.result import Result
from pips_tourney.ratings.stopping import Settled, Verdict
from pips_tourney.ratings.table import Margins, Ratings
from pips_tourney.schedule.adaptive import whole_turn


def rate_results(programme: Programme, label: str, results: Sequence[Result]) -> Ratings | None:
    """The ratings of a contest's results; None for no results.

    Sample bots that fill seats do not count in the mean. If deals are adaptive, all
    combinations have the same weight.
    """
    from pips_tourney.ratings.rate import rate

    if not results:
        return None
    played = {bot for result in results for bot in result.bots}
    anchor = programme.anchor
    fixed = (anchor.name, anchor.elo) if anchor is not None and anchor.name in played else None
    unrated = frozenset(bot.name for bot in programme.entrants if not bot.rated)
    return rate(results, anchor=fixed, unrated=unrated, weigh_alike=weigh_alike(programme, label))


def weigh_alike(programme: Programme, label: str) -> bool:
    """Whether a table gives all combinations the same weight, whatever their deals."""
    return any(contest.label == label and contest.form.is_adaptive for contest in programme.contests)


def margins_of(programme: Programme, label: str, results: Sequence[Result]) -> Margins | None:
    """The margins of a contest's results; None for no results.

    Results without scores are left out: margins do not cover them. As with ratings, all
    combinations have the same weight if deals are adaptive.
    """
    from pips_tourney.ratings.margins import rate_margins

    contest = next(c for c in programme.contests if label in (c.part_label(final=False), c.part_label(final=True)))
    scored = [result for result in results if result.scores is not None]
    if not scored:
        return None
    unrated = frozenset(bot.name for bot in programme.entrants if not bot.rated)
    evened = weigh_alike(programme, label)
    return rate_margins(scored, get_game(contest.game).margin.cap, unrated=unrated, evened=evened)


def stopping_rule(contest: Contest) -> Settled:
    """The rule that says when a contest is settled by its table."""
    stop = contest.form.stop
    assert stop is not None
    if contest.form.is_adaptive:
        return Settled.adaptive(stop.confidence, stop.max_deals, turn_of(contest))
    return Settled(stop.confidence, stop.max_deals)


def turn_of(contest: Contest) -> int:
    """How many deals a combination needs to sit in all its orders."""
    return whole_turn(contest.seats, duplicate=contest.form.duplicate)


def look_at(table: Ratings | Margins | None, rule: Settled, deals: int, bots: set[str]) -> Verdict:
    """Judge a table after `deals` deals; None: all its bots were withdrawn."""
    return Verdict(deals, settled=True, last=False, pairs=()) if table is None else rule.look(table, deals, bots)
