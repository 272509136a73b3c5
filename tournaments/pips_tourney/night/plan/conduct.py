"""What a bot did besides winning and losing."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace

from pips_tourney.night.log.answer_times import quantile_us


@dataclass(slots=True)
class Conduct:
    """What a bot did besides winning and losing.

    These are its faults by kind, and how long its answers took (answer_times.py).
    """

    faults: Counter[str] = field(default_factory=Counter)
    first_faults: dict[str, tuple[str, str]] = field(default_factory=dict)
    """By kind: the first match of the schedule with such a fault, and its detail."""
    out_of_turn_us: int = 0
    """CPU time that the bot used while it was not its turn."""
    times: Counter[int] = field(default_factory=Counter)
    """How many answers took how long, by bucket."""

    def add(self, other: Conduct) -> None:
        self.out_of_turn_us += other.out_of_turn_us
        self.faults += other.faults
        self.first_faults = other.first_faults | self.first_faults
        self.times.update(other.times)

    def of_night(self, night: int) -> Conduct:
        """The same, with the night's number in the names of matches."""
        first = {kind: (f"{match} of night {night}", what) for kind, (match, what) in self.first_faults.items()}
        return replace(self, first_faults=first, times=self.times)

    def quantile_ms(self, share: float) -> float | None:
        """The time that this share of the answers stayed below, in milliseconds."""
        time_us = quantile_us(self.times, share)
        return None if time_us is None else time_us / 1000
