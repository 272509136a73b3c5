"""Is the new bot better than the old one?

Deals are played until a sequential test has decided, or all are played.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from pips_tourney.night.programme import Fixture
from pips_tourney.ratings.sprt import Sprt, SprtState
from pips_tourney.workshop.duel import Duel, Scoresheet, score_of
from pips_tourney.workshop.play import Enough, fault_lines, play

FIRST_TOLD: Final = 10
"""After this number of deals the state of the comparison is reported.

It is reported again after twice, four times ... as many.
"""


@dataclass(eq=False)
class Comparison:
    """A duel's deals in their order, as a sequential test sees them.

    It never sees one before those that come first.
    """

    duel: Duel
    test: Sprt
    tell: Callable[[SprtState], None]
    state: SprtState = field(init=False)
    _results: Scoresheet = field(init=False)
    _told: int = FIRST_TOLD

    def __post_init__(self) -> None:
        self._results = Scoresheet(self.duel)
        self.state = self.test.state()

    def note(self, fixture: Fixture, record: bytes) -> None:
        """Note that a match was played. Raises `Enough` when the test has decided."""
        self._results.add(fixture, record)
        while (results := self._results.deal(self.state.deals + 1)) is not None:
            one, other = self.duel.names
            self.state = self.test.add(sum(score_of(result, one, other) for result in results) / len(results))
            if self.state.deals == self._told:
                self._told *= 2
                self.tell(self.state)
            if self.state.verdict != "not decided":
                raise Enough


def compare(
    duel: Duel, test: Sprt, tell: Callable[[SprtState], None], *, in_process: bool = False
) -> tuple[SprtState, Scoresheet]:
    """Play until it is decided. `tell` hears the state. Raises what `play` does."""
    comparison = Comparison(duel, test, tell)
    sheet = play(duel, comparison.note, in_process=in_process)
    return comparison.state, sheet


def state_text(state: SprtState) -> str:
    """The state of the comparison, in a line."""
    elo = "" if state.elo is None else f", {state.elo:+.0f} Elo ({_end(state.low)} to {_end(state.high)})"
    ratio = f"log-likelihood ratio {state.llr:+.2f} between {state.lower:+.2f} and {state.upper:+.2f}"
    return f"{_deals(state)}: {100 * state.score:.1f} %{elo}, {ratio}"


def _deals(state: SprtState) -> str:
    return "1 deal" if state.deals == 1 else f"{state.deals} deals"


def _end(elo: float | None) -> str:
    return "?" if elo is None else f"{elo:+.0f}"


def verdict_lines(state: SprtState, test: Sprt, sheet: Scoresheet) -> Iterator[str]:
    """How the comparison ended."""
    new, old = sheet.duel.names
    yield state_text(state)
    match state.verdict:
        case "accepted":
            yield f"accepted: {new} is better than {old} (by {test.elo1:g} Elo rather than by {test.elo0:g})"
        case "rejected":
            yield f"rejected: {new} is not better than {old} (by {test.elo0:g} Elo rather than by {test.elo1:g})"
        case _:
            yield f"not decided after {_deals(state)}"
    yield from fault_lines(sheet)
