"""Is the new bot better than the old one?

Deals are played until a sequential test has decided, or all are played.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from pips_referee.game import AnyGame
from pips_tourney.night.plan.fixtures import Fixture
from pips_tourney.ratings.result import Result
from pips_tourney.ratings.sprt import Sprt, SprtState
from pips_tourney.ratings.table import MARGIN_ELO
from pips_tourney.workshop.duel import Duel, Scoresheet, lead_of, score_of
from pips_tourney.workshop.play import Enough, about_json, fault_lines, play

FIRST_TOLD: Final = 10
"""After this number of deals the state of the comparison is reported.

It is reported again after twice, four times ... as many.
"""


@dataclass(frozen=True, slots=True)
class ComparisonLimits:
    """The limits of a comparison, in Elo; None where nothing is said."""

    by: str
    """`results` or `points`."""
    elo0: float | None
    elo1: float | None

    def test(self, game: AnyGame) -> Sprt:
        """The test. ValueError for limits that make no sense in this game."""
        if self.by != "points":
            elo0, elo1 = 0.0 if self.elo0 is None else self.elo0, 10.0 if self.elo1 is None else self.elo1
            return Sprt(elo0, elo1, alpha=MISTAKE, beta=MISTAKE)
        if (self.elo0, self.elo1) != (None, None):
            raise ValueError("a comparison by points has limits of its own: leave --elo0 and --elo1 out")
        scale = game.margin
        lead, cap = scale.points * ABOUT_ELO / MARGIN_ELO, scale.points * scale.cap
        return Sprt(0.0, lead, alpha=MISTAKE, beta=MISTAKE, cap=cap)


MISTAKE: Final = 0.05
"""The chance to accept, and to reject, by mistake."""
ABOUT_ELO: Final = 10
"""By points the limits are as far apart as this number of Elo roughly is."""


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
            self.state = self.test.add(self._value(results))
            if self.state.deals == self._told:
                self._told *= 2
                self.tell(self.state)
            if self.state.verdict != "not decided":
                raise Enough

    def _value(self, results: Sequence[Result]) -> float:
        """What the test counts of a deal: the mean score, or lead, of its matches."""
        one, other = self.duel.names
        if self.test.cap is None:
            return sum(score_of(result, one, other) for result in results) / len(results)
        scale = self.duel.game.margin
        return scale.points * sum(lead_of(result, one, other, scale.cap) for result in results) / len(results)


def compare(
    duel: Duel, test: Sprt, tell: Callable[[SprtState], None], *, in_process: bool = False
) -> tuple[SprtState, Scoresheet]:
    """Play until it is decided. `tell` hears the state. Raises what `play` does."""
    comparison = Comparison(duel, test, tell)
    sheet = play(duel, comparison.note, in_process=in_process)
    return comparison.state, sheet


def state_text(state: SprtState, test: Sprt) -> str:
    """The state of the comparison, in a line."""
    ratio = f"log-likelihood ratio {state.llr:+z.2f} between {state.lower:+z.2f} and {state.upper:+z.2f}"
    if test.cap is not None:
        known = "" if state.low is None or state.high is None else f" ({state.low:+z.2f} to {state.high:+z.2f})"
        return f"{_deals(state)}: {state.lead:+z.2f} points a match{known}, {ratio}"
    elo = "" if state.lead is None else f", {state.lead:+z.0f} Elo ({_end(state.low)} to {_end(state.high)})"
    return f"{_deals(state)}: {100 * state.score:.1f} %{elo}, {ratio}"


def _deals(state: SprtState) -> str:
    return "1 deal" if state.deals == 1 else f"{state.deals} deals"


def _end(elo: float | None) -> str:
    return "?" if elo is None else f"{elo:+z.0f}"


def _is_level(sheet: Scoresheet) -> bool:
    """Whether neither bot was ahead in any deal, over all its seats."""
    one, other = sheet.duel.names
    deals = [sheet.deal(number) for number in sheet.results]
    return all(2 * sum(score_of(result, one, other) for result in deal) == len(deal) for deal in deals if deal)


def verdict_json(state: SprtState, test: Sprt, sheet: Scoresheet) -> dict[str, Any]:
    """How the comparison ended, for a program."""
    limits = {name: getattr(test, name) for name in ("lead0", "lead1", "alpha", "beta")}
    return about_json(sheet) | {"unit": _unit(test), "limits": limits} | asdict(state)


def _unit(test: Sprt) -> str:
    return "Elo" if test.cap is None else "points a match"


def verdict_lines(state: SprtState, test: Sprt, sheet: Scoresheet) -> Iterator[str]:
    """How the comparison ended."""
    new, old = sheet.duel.names

    def fits(one: float, other: float) -> str:
        return f"{one:.4g} {_unit(test)} fit the results better than {other:.4g}"

    yield state_text(state, test)
    match state.verdict:
        case "accepted":
            yield f"accepted: {new} is better than {old} ({fits(test.lead1, test.lead0)})"
        case "rejected":
            yield f"rejected: {new} is not better than {old} ({fits(test.lead0, test.lead1)})"
        case _:
            yield f"not decided after {_deals(state)}"
    if len(sheet.results) >= FIRST_TOLD and not sheet.faults and _is_level(sheet):
        yield f"every deal ended level: {new} and {old} may well answer alike"
    yield from fault_lines(sheet)
