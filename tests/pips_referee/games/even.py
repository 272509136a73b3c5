"""A test that all outcomes of a draw are equally likely, by their counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable

from scipy.stats import chisquare

SURE = 1e-4
"""Seeds are fixed, so a fair draw that fails once always fails.

In that case choose another seed, once.
"""


def assert_even(counts: Counter[Hashable], everything: Collection[Hashable]) -> None:
    """Nothing else was drawn, and the chi-squared test finds all equally likely."""
    assert set(counts) <= set(everything)
    assert chisquare([counts[each] for each in everything]).pvalue > SURE
