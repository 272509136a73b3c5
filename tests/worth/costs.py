"""Whether an analysis tells the truth: what it shows, against many more rollouts.

`make analysis`. For each game a bot with a planted mistake is analysed. Then every
mistake that is shown is rolled out anew, and so are random decisions, whose intervals
are compared with what the many rollouts say.
"""

from __future__ import annotations

from math import sqrt
from random import Random

import click
from scipy.stats import binomtest

from pips_referee.game import REGISTRY
from pips_tourney.analysis.analyse import analyse
from pips_tourney.analysis.costs import judge_of
from pips_tourney.analysis.decided import KindOfTable, decisions
from tests.pips_tourney.analysis.matches import GREEDY, PLANTED, records

WORLDS = 64
"""The worlds of an interval whose coverage is looked at."""


def shown_and_true(game: str, matches: int, seconds: float, rollouts: int) -> tuple[int, int, int]:
    """The planted cluster's place, the mistakes shown, and those truly worse."""
    played = list(records(game, [PLANTED[game], GREEDY[game]], matches, "costs"))
    (found,) = analyse(played, "ada", seconds)
    place = 1 + [loss.situation for loss in found.situations].index(PLANTED[game].planted)
    judge, rng = judge_of(found.table), Random(1)
    true = [judge.cost(mistake.decision, mistake.better, rng, rollouts).mean > 0 for mistake in found.mistakes]
    return place, len(true), sum(true)


def covered(game: str, wanted: int, rollouts: int) -> tuple[int, int]:
    """Of so many decisions, how many intervals hold what many rollouts say."""
    rng = Random(2)
    inside = looked_at = 0
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
        cost, true = judge.cost(decision, other, rng, WORLDS), judge.cost(decision, other, rng, rollouts)
        if cost.error == 0 == true.error:
            continue  # nothing is left to chance: a last answer
        half = 1.96 * sqrt(cost.error**2 + true.error**2)
        inside += abs(cost.mean - true.mean) <= half
        looked_at += 1
    return inside, looked_at


@click.command()
@click.option("--game", type=click.Choice(REGISTRY), help="Only this game.")
@click.option("--matches", default=200, show_default=True, help="Matches to analyse.")
@click.option("--seconds", default=60.0, show_default=True, help="The analysis' CPU time.")
@click.option("--rollouts", default=10_000, show_default=True, help="Rollouts of what is held to be true.")
@click.option("--intervals", default=300, show_default=True, help="Intervals whose coverage is looked at.")
def main(game: str | None, matches: int, seconds: float, rollouts: int, intervals: int) -> None:
    """Compare what analyses say with many more rollouts."""
    for name in [game] if game else REGISTRY:
        place, shown, true = shown_and_true(name, matches, seconds, rollouts)
        click.echo(f"{name}: planted in '{PLANTED[name].planted}', place {place} of the situations")
        click.echo(f"  of {shown} decisions shown as costly {true} are truly worse, by {rollouts:,} rollouts")
        inside, looked_at = covered(name, intervals, rollouts // 5)
        low, high = binomtest(inside, looked_at).proportion_ci(method="wilson")
        click.echo(f"  {inside} of {looked_at} intervals hold: {inside / looked_at:.1%} ({low:.1%} to {high:.1%})")


if __name__ == "__main__":
    main()
