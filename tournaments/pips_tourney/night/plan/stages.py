"""The parts of a contest, and the gates at which results decide how it continues."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pips_tourney.night.plan.adaptive_rounds import AdaptiveRounds
from pips_tourney.night.plan.programme import Contest
from pips_tourney.night.plan.results import ContestResults
from pips_tourney.ratings.stopping import Verdict
from pips_tourney.schedule.rounds import Round

LEVEL = 0.5
"""The value of a round for a bot that sat it out."""


@dataclass(slots=True)
class PlayedRound:
    """A round of a Swiss tournament or a knockout."""

    round: Round
    points: Mapping[str, float] | None = None
    """By bot, its mean points per match; None until the round is complete."""
    through: tuple[str, ...] = ()
    """In a knockout: the bots that go on, in seed order.

    After the last round, only the winner.
    """
    by_seed: tuple[str, ...] = ()
    """Those of them for whom the seed decided between equal points."""


@dataclass(slots=True)
class Stage:
    """A contest, or the knockout at its end."""

    contest: Contest
    final: bool = False
    fold: ContestResults = field(default_factory=ContestResults)
    rounds: list[PlayedRound] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)
    """The verdicts of all looks, if the night stops when its table is settled."""
    adaptive: AdaptiveRounds | None = None
    """The rounds of a contest with adaptive deals."""
    finished: bool = False
    """Whether all its matches are known; they need not have been played."""

    @property
    def label(self) -> str:
        """The label of its table."""
        return self.contest.part_label(final=self.final)

    @property
    def stopped(self) -> bool:
        """Whether the table is settled, so that later results do not count."""
        return bool(self.verdicts) and self.verdicts[-1].settled


@dataclass(frozen=True, slots=True)
class Gate:
    """A place in the schedule at which all results before it decide what follows."""

    part: Stage
    look: int | None = None
    """The number of deals after which the gate looks at the table.

    The matches after a look are known, but may not be needed. None: they are not known
    yet.
    """
    played: PlayedRound | None = None
    """The round that ends at the gate."""
    adaptive: bool = False
    """Whether an adaptive round ends at the gate, which then looks at the table."""
    since: int = 0
    """The index, in the part's fold, of the round's first result."""

    def news(self) -> Iterator[dict[str, Any]]:
        """The log entries that the gate adds: plans of adaptive rounds."""
        if self.adaptive and self.part.adaptive is not None:
            yield from self.part.adaptive.news()

    @property
    def is_passed(self) -> bool:
        """Whether it is a look that an earlier look made unnecessary."""
        return self.look is not None and self.part.stopped


def hangs(contest: Contest) -> bool:
    """Whether a contest's matches depend on results."""
    return contest.form.has_rounds or contest.form.stop is not None
