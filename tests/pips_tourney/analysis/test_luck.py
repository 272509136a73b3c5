"""The luck ledger of one match."""

from __future__ import annotations

from math import sqrt
from statistics import fmean, stdev

import pytest

from pips_referee.game import REGISTRY
from pips_referee.worth import get_worth
from pips_tourney.analysis.luck import REDRAWS, match_luck
from tests.pips_tourney.analysis.matches import EVERY_GAME, GREEDY, records

KEY = bytes(range(32))
SURE = 4.0
"""Standard errors: a true mean of 0 is further off once in 16,000 times."""


@pytest.mark.parametrize("game", EVERY_GAME)
def test_luck_is_0_on_average_and_no_seat_is_favoured(game: str) -> None:
    """lab `luck` says so of 10,000 deals; here a bias would have to be large."""
    totals = [match_luck(record, get_worth(game), KEY).totals for record in records(game, [GREEDY[game]] * 2, 25)]
    for seat in (0, 1):
        lucks = [total[seat] for total in totals]
        assert abs(fmean(lucks)) < SURE * stdev(lucks) / sqrt(len(lucks))
    assert all(abs(sum(total)) <= 2 for total in totals), "what one seat gains the other loses"


@pytest.mark.parametrize("game", REGISTRY)
def test_the_same_key_gives_the_same_ledger(game: str) -> None:
    record = next(records(game, [GREEDY[game]] * 2, 1))
    worth = get_worth(game)
    first = match_luck(record, worth, KEY)
    assert match_luck(record, worth, KEY) == first
    assert match_luck(record, worth, bytes(32)) != first


def test_moments_add_up_and_name_what_fell() -> None:
    record = next(records("wichita", [GREEDY["wichita"]] * 3, 1))
    luck = match_luck(record, get_worth("wichita"), KEY)
    assert luck.moments[0].reply == -1
    assert [moment.reply for moment in luck.moments] == sorted({moment.reply for moment in luck.moments})
    assert all(event.chance for moment in luck.moments for event in moment.events)
    for seat, total in enumerate(luck.totals):
        assert sum(moment.gains[seat] for moment in luck.moments) == pytest.approx(total, abs=len(luck.moments))


def test_an_answer_without_luck_has_no_moment() -> None:
    """Serpent deals once a hand; all else is decided."""
    record = next(records("serpent", [GREEDY["serpent"]] * 2, 1))
    moments = match_luck(record, get_worth("serpent"), KEY).moments
    assert 2 <= len(moments) <= 8
    assert REDRAWS == 8
