"""Whether the logged plans of adaptive rounds follow from the results before them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from pips_tourney.night.log.kinds import BEGUN, DECIDING, ROUND
from pips_tourney.night.night import Night
from pips_tourney.night.plan.adaptive_rounds import AdaptiveRound, logged_round
from pips_tourney.night.plan.programme import Programme


def plan_problems(night: Night, programmes: Sequence[Programme]) -> Iterator[str]:
    """A sentence for each plan that does not follow.

    Every plan is computed again from the complete rounds before it, with the decisions
    in force. A runner may learn of a decision a little after it was logged, and may log
    several plans meanwhile. So a plan may ignore the latest decisions, but none that an
    earlier plan knew. `programmes` are all that were begun, oldest first.
    """
    begun = -1
    made: set[tuple[int, str, int]] = set()
    unknown: list[int] = []
    """Numbers of the decisions that the runner may not have known at its last plan."""
    for entry in night.store.log(BEGUN, *DECIDING):
        if entry.kind == BEGUN:
            begun, unknown = begun + 1, []
        elif entry.kind == ROUND and 0 <= begun < len(programmes):
            contest, number = entry.payload["contest"], entry.payload["round"]
            if (begun, contest, number) not in made:  # only the first plan counts
                made.add((begun, contest, number))
                then, said = replace(night, programme=programmes[begun]), logged_round(entry.payload)
                follows = [cut for cut in [*unknown, entry.seq] if _planned(then, contest, number, cut) == said]
                if not follows:
                    yield f"the plan of round {number + 1} of {contest} does not follow from the rounds before it"
                unknown = [seq for seq in unknown if follows and seq >= follows[0]]
        else:
            unknown.append(entry.seq)


def _planned(night: Night, contest: str, number: int, before: int) -> AdaptiveRound | None:
    """The plan of that round, computed again; None if there would be none."""
    course = replace(night, before=before).course(folding=True)
    for _ in replace(night, before=before).walk(course):
        pass
    for part in course.parts:
        if part.label == contest and part.adaptive is not None and len(part.adaptive.rounds) > number:
            return part.adaptive.rounds[number]
    return None
