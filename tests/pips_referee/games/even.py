"""Whether counts look like draws in which everything is equally likely."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable

from scipy.stats import chisquare

SURE = 1e-4
"""Seeds are fixed, so a fair draw that fails once fails always: choose another seed,
once.
"""


def assert_even(counts: Counter[Hashable], everything: Collection[Hashable]) -> None:
    """Nothing else was drawn, and by the chi-squared test all of it is
    equally likely.
    """
    assert set(counts) <= set(everything)
    assert chisquare([counts[each] for each in everything]).pvalue > SURE
