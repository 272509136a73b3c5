"""Results of a contest: rated without some bots, and joined night to night."""

from __future__ import annotations

from random import Random

from pips_tourney.night.plan.results import ContestResults, CountedResult
from pips_tourney.ratings.rate import rate
from pips_tourney.ratings.result import Result

BOTS = ("ada", "bo", "cy", "di")


def night(deals: int, seed: int = 1) -> ContestResults:
    """The results of a night, each deal in both rotations."""
    rng, results = Random(seed), ContestResults()
    for deal in range(deals):
        first, second = rng.sample(BOTS, 2)
        for bots in ((first, second), (second, first)):
            lead = rng.randint(-3, 3) / 2
            places = (1, 1) if not lead else (1, 2) if lead > 0 else (2, 1)
            result = Result(f"deal {deal}", bots, places, (lead, 0.0))
            results.results.append(CountedResult(f"{len(results.results):032x}", result))
    return results


def test_no_result_of_a_bot_that_is_out_counts() -> None:
    results = night(60)
    assert results.of_all_but(set()) == results.results
    assert {bot for each in results.of_all_but({"ada"}) for bot in each.result.bots} == {"bo", "cy", "di"}
    alone = [each.result for each in results.of_all_but({"ada", "bo"})]
    assert {row.bot for row in rate(alone).rows} == {"cy", "di"}


def test_nights_are_joined_with_their_deals_apart() -> None:
    nights, season = (night(30), night(30, seed=2)), ContestResults()
    for number, results in enumerate(nights):
        season.join(results.in_season(number, {bot: bot.upper() for bot in BOTS}, {"di"}))
    wanted = [
        CountedResult(
            f"{number}/{match}",
            Result(f"{number}/{was.block}", tuple(map(str.upper, was.bots)), was.places, was.scores),
        )
        for number, results in enumerate(nights)
        for match, was in results.results
        if "di" not in was.bots
    ]
    assert season.results == wanted
