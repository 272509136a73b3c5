"""Kept results: rated as they are one by one, in a few bytes each."""

from __future__ import annotations

import tracemalloc
from random import Random

import numpy as np
import pytest

from pips_tourney.night.kept_results import KeptResults
from pips_tourney.ratings import margins
from pips_tourney.ratings.margins import rate_margins
from pips_tourney.ratings.rate import rate
from pips_tourney.ratings.result import Result
from pips_tourney.ratings.tally import ManyResults

BOTS = ("ada", "bo", "cy", "di")


def night(deals: int, seed: int = 1) -> tuple[KeptResults, list[tuple[Result, str, bool]]]:
    """The results of a night: kept, and one by one with their ids and faults."""
    rng, kept = Random(seed), KeptResults()
    listed: list[tuple[Result, str, bool]] = []
    for deal in range(deals):
        first, second = rng.sample(BOTS, 2)
        kept.begin_deal()
        for bots in ((first, second), (second, first)):
            lead = rng.randint(-3, 3) / 2
            places = (1, 1) if not lead else (1, 2) if lead > 0 else (2, 1)
            result = Result(f"deal {deal}", bots, places, (lead, 0.0))
            match, faulty = f"{len(listed):032x}", rng.random() < 0.1
            kept.add((bots, places, result.scores, None), match, faulty=faulty)
            listed.append((result, match, faulty))
    return kept, listed


@pytest.mark.parametrize("without", [set(), {"bo"}])
@pytest.mark.parametrize("faulty", [True, False])
def test_they_are_rated_as_they_are_one_by_one(without: set[str], faulty: bool) -> None:
    kept, listed = night(60)
    wanted = [result for result, _, at_fault in listed if without.isdisjoint(result.bots) and (faulty or not at_fault)]
    counted = kept.counted(without, faulty=faulty)
    assert (len(kept), len(counted)) == (120, len(wanted))
    assert rate(counted) == rate(wanted)
    assert rate_margins(counted, 2.0) == rate_margins(wanted, 2.0)
    assert [*kept.counted_ids(without)] == [match for result, match, _ in listed if without.isdisjoint(result.bots)]


def test_nights_are_joined_with_their_deals_apart() -> None:
    (one, first), (other, second) = night(30), night(30, seed=2)
    joined = KeptResults()
    for number, kept in enumerate((one, other)):
        joined.join(
            kept,
            lambda was: None if "di" in was[0] else (tuple(bot.upper() for bot in was[0]), *was[1:]),
            lambda match, number=number: f"{number}/{match}",  # type: ignore[misc]
        )
    wanted = [
        (f"{number}/{match}", Result(f"{number}/{was.block}", tuple(map(str.upper, was.bots)), was.places, was.scores))
        for number, listed in enumerate((first, second))
        for was, match, _ in listed
        if "di" not in was.bots
    ]
    assert rate(joined.counted(set(), faulty=True)) == rate([result for _, result in wanted])
    assert [*joined.ids] == [match for match, _ in wanted]
    faults = [faulty for listed in (first, second) for was, _, faulty in listed if "di" not in was.bots]
    clean = [result for (_, result), faulty in zip(wanted, faults, strict=True) if not faulty]
    assert rate(joined.counted(set(), faulty=False)) == rate(clean)


def test_margins_are_the_same_however_many_deals_are_worked_out_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = night(60)[0].counted(set(), faulty=True)
    whole = rate_margins(counted, 2.0)
    for at_once in (1, 7, 59):
        monkeypatch.setattr(margins, "AT_ONCE", at_once)
        assert repr(rate_margins(counted, 2.0)) == repr(whole)


def test_of_nothing_nothing_counts() -> None:
    nothing = KeptResults()
    assert len(nothing.counted(set(), faulty=False)) == len(nothing.counted_ids({"ada"})) == 0
    assert [*nothing.outcomes()] == []


def test_outcomes_that_no_match_has_do_not_count() -> None:
    kept, _ = night(60)
    alone = kept.counted({"ada", "bo"}, faulty=True)
    assert {row.bot for row in rate(alone).rows} == {"cy", "di"}
    only = ManyResults.of([Result("deal", ("ada", "bo"), (1, 2)), Result("deal", ("bo", "ada"), (1, 2), (1.0, 0.0))])
    assert len(only.where(lambda outcome: outcome.scores is None)) == 1
    assert np.array_equal(only.where(lambda outcome: outcome.scores is not None).outcome, [0])


def test_a_match_takes_few_bytes() -> None:
    night(10)  # what is imported and cached meanwhile is no match's
    tracemalloc.start()
    try:
        kept = KeptResults()
        for deal in range(5_000):
            kept.begin_deal()
            for rotation in (0, 1):
                places = (1, 2) if deal % 3 else (2, 1)
                kept.add(
                    (BOTS[rotation : rotation + 2], places, None, None), f"{2 * deal + rotation:032x}", faulty=False
                )
        a_match = tracemalloc.get_traced_memory()[0] / len(kept)
    finally:
        tracemalloc.stop()
    assert a_match < 128, "an id of 32 letters, and four numbers; as a list of results it was 270"
