"""A control variate where deals are played once: a match of one bot with itself a deal.

A seat with the better cards of a deal did a little better with any bots. One bot in all
seats of the deal shows by its scores who held them. A part of its lead, less the mean
lead of such seats, is taken from the result that counts. Its mean is 0 whoever plays,
so strengths keep their meaning, and intervals become narrower (Lavenberg and Welch, "A
perspective on the use of control variables to increase the efficiency of Monte Carlo
simulations", Management Science 27, 1981). The part is fitted on all other deals, so no
deal chooses its own.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from pips_tourney.ratings.davidson import Fit, Pairs, moments
from pips_tourney.ratings.tally import Floats, Tally

LEVEL_VARIANCE: Final = 4.0
"""A result of equals without ties has a variance of 1/4: its control counts whole."""


def controlled(tally: Tally, pairs: Pairs, fit: Fit) -> Tally:
    """The tally with what its controls take from every result.

    `fit` is that of the same results without controls.
    """
    assert tally.control is not None
    used = pairs.used[tally.kind_seating] * ~np.isnan(tally.control)
    m = moments(fit.difference(pairs.entry[tally.kind_seating]), fit.theta[fit.layout.tie])
    surprise = np.where(used > 0, (tally.outcome + 1) / 2 - m.score, 0.0)
    luck = np.where(used > 0, LEVEL_VARIANCE * m.var_score * _centred(tally, used), 0.0)
    with_luck, of_luck = (surprise * luck).sum(axis=1), (luck**2).sum(axis=1)
    count = tally.kind_count
    others_with = (count * with_luck).sum() - with_luck
    others_of = (count * of_luck).sum() - of_luck
    part = np.divide(others_with, others_of, out=np.zeros(len(count)), where=others_of > 0)
    return replace(tally, shift=np.clip(part, 0.0, 1.0)[:, None] * luck)


def _centred(tally: Tally, used: Floats) -> Floats:
    """(T, R) the control's lead of each two seats, less its mean at such tables.

    Leads are squeezed into -1/2 to 1/2, as a large one tells little more than a fair
    one.
    """
    assert tally.control is not None
    size = tally.size[tally.kind_seating]
    lead = np.where(used > 0, tally.control, 0.0)
    for seats in np.unique(size):
        at = size == seats
        count = tally.kind_count[at][:, None] * used[at]
        usual = np.sqrt((count * lead[at] ** 2).sum() / max(count.sum(), 1.0))
        lead[at] = np.tanh(lead[at] / usual) / 2 if usual > 0 else 0.0
        lead[at] -= (count * lead[at]).sum(axis=0) / np.maximum(count.sum(axis=0), 1.0)
    return lead
