"""A comparison in words: the answer in a sentence, and the deals that changed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pips_referee.records.record import read_record
from pips_referee.records.replay import replay_pages
from pips_tourney.ratings.result import FEWEST_DEALS
from pips_tourney.workshop.duels.compare import PARTED, Comparison, Differences, Unit, compare
from pips_tourney.workshop.duels.duel import Scoresheet
from pips_tourney.workshop.duels.paired import PairedDuel
from pips_tourney.workshop.duels.play_report import count_of, fault_lines, table_text

MOST_DEALS: Final = 1500
"""The most deals of a comparison, by default."""


def paired_headline(duel: PairedDuel) -> str:
    """The headline of a comparison."""
    new, old = duel.names
    both = f", and both against {' and '.join(duel.opponents)}" if duel.opponents else ""
    deals = f"at most {count_of(len(duel.programme.deals), 'deal')}, the same for both versions"
    return f"{new} against {old}{both}{table_text(duel)}; {deals}; --seed {duel.seed}"


def state_text(comparison: Comparison) -> str:
    """The state of a running comparison, in a line."""
    state = comparison.state()
    return f"{count_of(state.deals, 'deal')}: {_gain(comparison.unit, state.gain, state.low, state.high)}"


def answer(comparison: Differences, *, fixed: bool = False) -> str:
    """The answer, in a sentence; `fixed` if the number of deals was given before."""
    unit, deals = comparison.unit, comparison.deals
    state = comparison.fixed() if fixed else comparison.state()
    better = sum(deal.difference > 0 for deal in deals)
    worse = sum(deal.difference < 0 for deal in deals)
    played = count_of(len(deals), "deal")
    same = f"same result on {len(deals) - better - worse} of {played}, better on {better}, worse on {worse}"
    gain, low, high = state.gain, state.low, state.high
    if comparison.is_alike and (fixed or state.verdict == "not better"):
        return f"alike: 0 {unit.name}, for both gave the same answers on {played}"
    if state.verdict == "better":
        if any(value is not None and value <= 0 for value in (low, gain)):
            return f"better than {unit.text(unit.least)} {unit.name}: {_gain(unit, gain, low, high)}; {same}"
        return f"better by {_range(unit, gain, low, high)}; {same}"
    if state.verdict == "not better":
        if high is not None and high < 0:
            less, most = (None if end is None else -end for end in (high, low))
            return f"worse by {_range(unit, None if gain is None else -gain, less, most)}; {same}"
        enough = f"{unit.text(unit.most, sign=False)} {unit.name}"
        return f"not better by {enough}: {_gain(unit, gain, low, high)}; {same}"
    sign = 1 if low is not None and low > 0 else -1 if high is not None and high < 0 else 0
    likely = {1: ", probably better", -1: ", probably worse", 0: ""}[sign]
    return f"not decided{likely}: {_gain(unit, gain, low, high)}; {same}"


def parting_pages(comparison: Comparison, *, in_process: bool) -> Iterator[list[str]]:
    """The only deal of a comparison, page by page, as the new version plays it.

    The first page says where the two versions differ.
    """
    sheet = compare(comparison, in_process=in_process)
    for deal in comparison.deals:
        parting = deal.parting
        if parting is None:
            yield [f"deal {deal.number}: both versions give the same answers in every seat"]
        else:
            yield [f"deal {deal.number}, {_met(comparison, deal.other)}: {parting.line()}", ""]
            first = parting.first()
            marked = {} if first is None else {(first[0].seat, first[0].number): [f"HERE {parting.answers(first)[1]}"]}
            yield from replay_pages(read_record(parting.records[0]), printed=marked)
    yield [*fault_lines(sheet)]


def _range(unit: Unit, gain: float | None, low: float | None, high: float | None, *, sign: bool = False) -> str:
    """A gain and its interval; a missing end is too far away to be measured."""

    def text(value: float) -> str:
        return unit.text(value, sign=sign)

    known = "" if gain is None else f"{text(gain)} {unit.name}"
    if low is not None and high is not None:
        ends = f"{text(low)} to {text(high)}"
    elif low is not None or high is not None:
        ends = f"at least {text(low)}" if low is not None else f"at most {text(high or 0.0)}"
        ends += "" if known else f" {unit.name}"
    else:
        return known or "too few deals to tell"
    return f"{known} (95 %: {ends})" if known else f"{ends} (95 %)"


def _gain(unit: Unit, gain: float | None, low: float | None, high: float | None) -> str:
    return _range(unit, gain, low, high, sign=True)


def verdict_lines(comparison: Comparison, sheet: Scoresheet, again: str) -> Iterator[str]:
    """The result of the comparison. `again` is the command that was given."""
    if not comparison.deals:
        yield "no deal was played to its end"
    else:
        yield answer(comparison)
        every = len(comparison.duel.programme.deals)
        if comparison.state().verdict == "not decided" and len(comparison.deals) == every:
            unit = comparison.unit
            limits = f"a gain of {unit.text(unit.least)} and one of {unit.text(unit.most)} {unit.name}"
            yield f"Both {limits} are still possible. More deals may tell: --max-deals {max(2 * every, MOST_DEALS)}"
        if not comparison.is_alike:
            yield from _by_opponent(comparison)
    if sum(comparison.unlike.values()):
        yield from comparison.unlike
        yield "What a version gains by that differs from run to run, on any deal."
    parted = [deal for deal in comparison.changed if deal.parting is not None]
    if parted:
        yield f"{count_of(len(parted), 'deal')} changed. The first, with scores, one's own first:"
        for deal in parted[:PARTED]:
            assert deal.parting is not None
            yield f"  deal {deal.number}, {_met(comparison, deal.other)}: {deal.parting.line()}"
        yield f"Watch one: {again} --seed {comparison.duel.seed} --watch {parted[0].number}"
    yield from fault_lines(sheet)


def _by_opponent(comparison: Comparison) -> Iterator[str]:
    """The gain against each opponent, if it is known."""
    for other in (comparison.duel.names[1], *comparison.duel.opponents):
        deals, *gain = comparison.against(other)
        said = f"{_gain(comparison.unit, *gain)} in " if deals >= FEWEST_DEALS else "too few to tell, "
        if deals:
            yield f"  {_met(comparison, other)}: {said}{count_of(deals, 'deal')}"


def _met(comparison: Comparison, other: str) -> str:
    return "against each other" if other == comparison.duel.names[1] else f"against {other}"
