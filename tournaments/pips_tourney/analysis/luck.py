"""The luck ledger: what every seat gained from the deal, the cards drawn and the dice.

Whenever luck falls, its worth to a seat is the value of the position after it, less the
mean value over `REDRAWS` draws of the same luck after the same answer. Given the
position before, the actual luck and the redraws have the same distribution. So the sum
over a match has the mean 0, for every value function that was fixed beforehand
(Zinkevich, Bowling, Bard, Kan and Billings, "Optimal unbiased estimators for evaluating
agent performance", AAAI 2006).

The conditions: neither answers nor the value depend on luck that has not fallen yet,
and matches are not chosen by their luck. All sums are in whole numbers, so every
machine gets the same.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from pips_referee.chance import Chance
from pips_referee.game import Action, AnyState, Event
from pips_referee.records.record import Record, replay
from pips_referee.worth import Worth

Redrawn = Callable[[Chance], AnyState]
"""Returns the position with other luck."""

REDRAWS: Final = 8
"""How often each luck is redrawn; the mean of 8 adds an eighth of its variance."""
LUCK_VERSION: Final = 1
"""Goes up whenever the same match and key would give different luck."""


@dataclass(frozen=True, slots=True)
class LuckyMoment:
    """Luck that fell after one answer, or before the first.

    `reply` is the answer's index in the history of the match, which includes the
    autopilot's answers. It is -1 for luck before the first question.
    """

    reply: int
    events: tuple[Event, ...]
    """The events of that luck, with all cards."""
    gains: tuple[int, ...]
    """By seat, the change in its expected result, in millionths of a win."""


@dataclass(frozen=True, slots=True)
class MatchLuck:
    """The luck of one match."""

    moments: tuple[LuckyMoment, ...]
    totals: tuple[int, ...]
    """By seat, in millionths of a win; rounded once, after summing over all moments."""


def match_luck(record: Record, worth: Worth, key: bytes) -> MatchLuck:
    """The luck of a match, compared with redraws from a key that no bot could know.

    `RecordError` if the record does not fit its match. A seat that faulted is played by
    the autopilot; its luck counts like any other seat's.
    """
    header = record.header
    actions = [None if reply.fault else reply.action for reply in replay(record).history]
    start = partial(header.game.start, header.options, len(header.names))
    return luck_of(start, header.seed, actions, worth, key)


def luck_of(
    start: Callable[[Chance], tuple[AnyState, list[Event]]],
    seed: bytes,
    actions: Sequence[Action | None],
    worth: Worth,
    key: bytes,
) -> MatchLuck:
    """The luck of a match, from a deal's seed and its answers; None stands for a fault.

    `start` begins the match with any luck.
    """
    state, events = start(Chance(seed))
    ledger = _Counted(worth, key, len(state.outcome().places))
    ledger.fell(-1, events, state, lambda luck: start(luck)[0])
    for number, action in enumerate(actions):
        if action is None:
            continue
        before = state.copy()
        events = state.apply(action)
        ledger.fell(number, events, state, partial(_after, before, action))
    return ledger.luck()


def _after(before: AnyState, action: Action, luck: Chance) -> AnyState:
    """The position after the answer, had `luck` fallen instead."""
    state = before.redeal(luck.stream("redeal"))
    state.apply(action)
    return state


class _Counted:
    """Adds up the luck of one match."""

    def __init__(self, worth: Worth, key: bytes, seats: int) -> None:
        self._worth, self._key = worth, key
        self._moments: list[LuckyMoment] = []
        self._totals = [0] * seats
        """By seat, `REDRAWS` times its luck."""

    def fell(self, reply: int, events: Sequence[Event], state: AnyState, redrawn: Redrawn) -> None:
        """Add the luck among these events, if there is any."""
        fallen = tuple([event for event in events if event.chance])
        if not fallen:
            return
        gains = [REDRAWS * value for value in self._worth.values(state)]
        for number in range(REDRAWS):
            luck = Chance(hmac.digest(self._key, f"luck/{LUCK_VERSION}/{reply}/{number}".encode(), "sha256"))
            for seat, value in enumerate(self._worth.values(redrawn(luck))):
                gains[seat] -= value
        self._totals = [total + gain for total, gain in zip(self._totals, gains, strict=True)]
        self._moments.append(LuckyMoment(reply, fallen, tuple([_rounded(gain) for gain in gains])))

    def luck(self) -> MatchLuck:
        return MatchLuck(tuple(self._moments), tuple(map(_rounded, self._totals)))


def _rounded(gain: int) -> int:
    """The mean of a sum over the redraws, rounded symmetrically around 0."""
    size = (2 * abs(gain) + REDRAWS) // (2 * REDRAWS)
    return size if gain >= 0 else -size
