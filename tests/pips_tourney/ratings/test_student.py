"""Student's distribution without scipy is scipy's."""

from __future__ import annotations

import pytest
from scipy.special import stdtr, stdtrit

from pips_tourney.ratings.student import t_probability, t_quantile

FREEDOM = (1, 2, 3, 4, 9, 99, 200, 201, 999, 10_000)


@pytest.mark.parametrize("freedom", FREEDOM)
def test_probabilities(freedom: int) -> None:
    for t in (-40.0, -8.0, -3.0, -1.0, -1e-3, 0.0, 1e-9, 0.5, 2.0, 5.0, 30.0):
        assert t_probability(freedom, t) == pytest.approx(float(stdtr(freedom, t)), rel=1e-8, abs=1e-12)


@pytest.mark.parametrize("freedom", FREEDOM)
def test_quantiles(freedom: int) -> None:
    for probability in (0.001, 0.025, 0.3, 0.5, 0.6, 0.9, 0.975, 0.995, 0.9999):
        expected = float(stdtrit(freedom, probability))
        assert t_quantile(freedom, probability) == pytest.approx(expected, rel=1e-7, abs=1e-10)


@pytest.mark.parametrize(("freedom", "probability"), [(0, 0.5), (3, 0), (3, 1)])
def test_no_quantile(freedom: int, probability: float) -> None:
    with pytest.raises(ValueError, match="no quantile"):
        t_quantile(freedom, probability)
