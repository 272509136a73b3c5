"""Whether an analysis tells the truth: what it shows, against many more rollouts.

lab `analysis`. For each game a bot with a planted mistake is analysed. Then every
mistake that is shown is rolled out anew: is it truly worse, and does its interval hold?
Random decisions, which nothing has picked, have their intervals looked at too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from math import sqrt
from random import Random
from time import process_time

import click
from scipy.stats import binomtest

from pips_referee.game import REGISTRY, Action
from pips_sdk.positions import position_of
from pips_sdk.search import Cost
from pips_tourney.analysis.analyse import FRESH_WORLDS, analyse
from pips_tourney.analysis.as_tests import mistake_tests
from pips_tourney.analysis.costs import Judge, judge_of
from pips_tourney.analysis.decided import Decision, KindOfTable, decisions
from tests.pips_tourney.analysis.matches import GREEDY, PLANTED, records

ENOUGH = 6.0
"""A cost that many errors from 0 is decided; no further rollouts are played."""


@dataclass(slots=True)
class Found:
    """What was found about one game."""

    places: list[int] = field(default_factory=list)
    """The planted situation's place, of every analysis."""
    worse: list[bool] = field(default_factory=list)
    """For every mistake shown, whether it is truly worse."""
    holds: list[bool] = field(default_factory=list)
    """For the same, whether the 95 % interval of its cost holds."""
    together: list[bool] = field(default_factory=list)
    """For every analysis, whether all intervals that it shows hold."""
    tests: list[bool] = field(default_factory=list)
    """For every test written of them, whether its answer is truly worse."""
    mended: list[bool] = field(default_factory=list)
    """For those in the planted situation, whether they are green without it."""
    random: list[bool] = field(default_factory=list)
    """For random decisions, whether their intervals hold."""


def true_cost(judge: Judge, decision: Decision, better: Action, rng: Random, rollouts: int) -> Cost:
    """The cost by `rollouts`, or by a tenth of them if that leaves no doubt."""
    cost = judge.cost(decision, better, rng, rollouts // 10)
    return cost if abs(cost.mean) > ENOUGH * cost.error else judge.cost(decision, better, rng, rollouts)


def holds(cost: Cost, true: Cost, errors: float = 1.959964) -> bool:
    """Whether the difference is at most `errors` standard errors of both."""
    return abs(cost.mean - true.mean) <= errors * sqrt(cost.error**2 + true.error**2)


def look_at_shown(game: str, number: int, matches: int, seconds: float, rollouts: int, found: Found) -> None:
    """Analyse some matches of the bot with the planted mistake."""
    played = list(records(game, [PLANTED[game], GREEDY[game]], matches, f"costs {number}"))
    (one,) = analyse(played, "ada", seconds, seed=number)
    found.places.append(1 + [loss.situation for loss in one.situations].index(PLANTED[game].planted))
    judge, rng, together = judge_of(one.table), Random(number), True
    for mistake in one.mistakes:
        true = true_cost(judge, mistake.decision, mistake.better, rng, rollouts)
        found.worse.append(true.mean > 0)
        found.holds.append(holds(mistake.cost, true))
        half = (mistake.interval[1] - mistake.cost.mean) / mistake.cost.error if mistake.cost.error else 0.0
        together &= holds(mistake.cost, true, half)
    found.together.append(together)
    for test in mistake_tests(one, PLANTED[game], rng):
        view = position_of(game, test.position)
        decision = replace(test.mistake.decision, view=view)
        found.tests.append(true_cost(judge, decision, test.mistake.better, rng, rollouts).mean > 0)
        if decision.situation == PLANTED[game].planted:
            found.mended.append(GREEDY[game]().choose(view) not in test.costly)


def look_at_random(game: str, wanted: int, rollouts: int) -> Iterator[bool]:
    """For a random decision of each of `wanted` matches, whether its interval holds."""
    rng = Random(2)
    for record in records(game, [PLANTED[game], GREEDY[game]], wanted, "coverage"):
        judge = judge_of(KindOfTable.of(record))
        others = [
            (decision, other)
            for decision in decisions(record, "ada")
            if (other := judge.house_answer(decision)) != decision.action
        ]
        if not others:
            continue
        decision, other = rng.choice(others)
        cost = judge.cost(decision, other, rng, FRESH_WORLDS)
        true = judge.cost(decision, other, rng, rollouts // 10)
        if cost.mean != true.mean:  # else nothing is left to chance: a last answer, or one that changes nothing
            yield holds(cost, true)


def share(of: list[bool]) -> str:
    """`96 of 100, 96.0 % (90.2 to 98.4)`."""
    if not of:
        return "none"
    low, high = binomtest(sum(of), len(of)).proportion_ci(method="wilson")
    return f"{sum(of)} of {len(of)}, {sum(of) / len(of):.1%} ({100 * low:.1f} to {100 * high:.1f})"


@click.command()
@click.option("--game", type=click.Choice(REGISTRY), help="Only this game.")
@click.option("--analyses", default=5, show_default=True, help="Analyses of each game.")
@click.option("--matches", default=100, show_default=True, help="Matches of each.")
@click.option("--seconds", default=40.0, show_default=True, help="The CPU time of its rollouts.")
@click.option("--rollouts", default=10_000, show_default=True, help="Rollouts of what is held to be true.")
@click.option("--intervals", default=100, show_default=True, help="Random decisions whose intervals are looked at.")
def main(game: str | None, analyses: int, matches: int, seconds: float, rollouts: int, intervals: int) -> None:
    """Compare what analyses say with many more rollouts."""
    everything = Found()
    for name in [game] if game else REGISTRY:
        found, before = Found(), process_time()
        for number in range(analyses):
            look_at_shown(name, number, matches, seconds, rollouts, found)
        found.random += look_at_random(name, intervals, rollouts)
        click.echo(f"{name}: planted in '{PLANTED[name].planted}'; {process_time() - before:.0f} s of CPU")
        say(found)
        for part in ("places", "worse", "holds", "together", "tests", "mended", "random"):
            getattr(everything, part).extend(getattr(found, part))
    if game is None:
        click.echo("all games")
        say(everything)


def say(found: Found) -> None:
    """What was found, in words."""
    click.echo(f"  place of the planted situation: {', '.join(map(str, found.places))}")
    click.echo(f"  decisions shown as costly that are truly worse: {share(found.worse)}")
    click.echo(f"  intervals of 95 % that hold, of decisions shown: {share(found.holds)}")
    click.echo(f"  intervals of 95 % that hold, of random decisions: {share(found.random)}")
    click.echo(f"  tests whose answer is truly worse: {share(found.tests)}")
    click.echo(f"  tests that are green without the planted mistake: {share(found.mended)}")
    click.echo(f"  analyses whose intervals hold, all together: {share(found.together)}")


if __name__ == "__main__":
    main()
