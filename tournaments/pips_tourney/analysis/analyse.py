"""The decisions that cost a bot most, and the situations in which it loses.

Every decision is screened by values alone. Then rollouts share the time given: some for
random decisions of each situation, some to find the worst decisions, and some to
confirm the cost of these by `greedy` and `cautious`. The figures shown come from fresh
worlds. Their intervals are corrected for the number shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from heapq import heappush, heappushpop
from itertools import count
from math import inf, isinf, sqrt
from random import Random
from statistics import NormalDist
from time import process_time
from typing import Final

from pips_referee.game import Action
from pips_referee.records.record import Record
from pips_sdk.search import Cost
from pips_tourney.analysis.costs import Judge, judge_of
from pips_tourney.analysis.decided import Decision, KindOfTable, decisions

SECONDS: Final = 30.0
"""The default CPU time of all rollouts."""
SHOWN: Final = 8
"""The most decisions shown."""
CANDIDATES: Final = 400
"""How many decisions of a table are kept after the screening."""
SAMPLED: Final = 300
"""How many random decisions of a situation are kept."""
FIRST_WORLDS: Final = 16
SAMPLE_WORLDS: Final = 8
DOUBTED_WORLDS: Final = 120
FRESH_WORLDS: Final = 200
HINDSIGHT_WORLDS: Final = 50
SITUATIONS_PART: Final = 0.4
FINDING_PART: Final = 0.3
DOUBTING_PART: Final = 0.15
"""Shares of the time; the rest is for the figures."""
LEVEL: Final = 0.95
EXAMPLES: Final = 3
"""How many decisions of a situation are given as examples."""


@dataclass(frozen=True, slots=True)
class CostlyDecision:
    """A decision that cost something, as far as `greedy` and `cautious` can tell."""

    decision: Decision
    better: Action
    cost: Cost
    """By the first policy, in millionths of a win.

    Its worlds are fresh: they had no part in selecting the decision, so the selection
    does not bias it.
    """
    other_cost: Cost
    """By the second policy, in equally fresh worlds."""
    hindsight: Cost
    """The cost with all cards as they really lay."""
    interval: tuple[float, float]
    """The interval of `cost`: 95 % for all decisions shown together (Bonferroni)."""


@dataclass(frozen=True, slots=True)
class SituationLoss:
    """What a bot loses in one kind of situation, compared with `greedy`.

    Estimated from a random sample of decisions. Costs are in millionths of a win; a
    negative one means that the bot decides better than `greedy`.
    """

    situation: str
    decisions: int
    sampled: int
    cost: float
    """The mean cost of one decision."""
    error: float
    """The standard error of `cost`, clustered by match; infinite for a single match."""
    a_match: float
    """The mean cost per match of all decisions in the situation."""
    share: float
    """Its share, from 0 to 1, of the bot's total loss over situations with a loss."""
    examples: tuple[Decision, ...]
    """The costliest decisions of the sample; empty if none cost anything."""

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % interval of `a_match`; None for a single match."""
        if isinf(self.error):
            return None
        scale = self.a_match / self.cost if self.cost else 0.0
        half = NormalDist().inv_cdf(0.5 + LEVEL / 2) * self.error * scale
        return self.a_match - abs(half), self.a_match + abs(half)


@dataclass(frozen=True, slots=True)
class Analysis:
    """The results for a bot at one kind of table."""

    bot: str
    table: KindOfTable
    matches: int
    decisions: int
    mistakes: tuple[CostlyDecision, ...]
    """The costliest first."""
    situations: tuple[SituationLoss, ...]
    """The greatest loss first."""
    looked_at: int
    """How many decisions were weighed by rollouts to find the mistakes."""


@dataclass(slots=True)
class Screening:
    """The decisions of a table that are selected while all of them go by."""

    judge: Judge
    rng: Random
    matches: set[str] = field(default_factory=set)
    seen: int = 0
    by_situation: dict[str, int] = field(default_factory=dict)
    sampled: dict[str, list[Decision]] = field(default_factory=dict)
    candidates: list[tuple[int, int, Decision, Action]] = field(default_factory=list)
    order: Iterator[int] = field(default_factory=count)

    def add(self, decision: Decision) -> None:
        """Screen a decision; keep it if it looks bad or falls into a random sample."""
        self.matches.add(decision.match)
        self.seen += 1
        number = self.by_situation[decision.situation] = self.by_situation.get(decision.situation, 0) + 1
        sample = self.sampled.setdefault(decision.situation, [])
        place = len(sample) if len(sample) < SAMPLED else self.rng.randrange(number)
        if place < SAMPLED:
            sample[place : place + 1] = [decision]
        guess, better = self.judge.quick(decision, self.rng)
        entry = (guess, next(self.order), decision, better)
        if guess > 0:
            (heappush if len(self.candidates) < CANDIDATES else heappushpop)(self.candidates, entry)


def analyse(
    records: Iterable[Record],
    bot: str,
    seconds: float = SECONDS,
    seed: int = 0,
    clock: Callable[[], float] = process_time,
) -> list[Analysis]:
    """Analyse all decisions of that bot, separately for each kind of table.

    `seconds` is the CPU time of all rollouts together, without the screening.
    `RecordError` if a record does not fit its match.
    """
    tables: dict[tuple[str, str, int], Screening] = {}
    for record in records:
        table = KindOfTable.of(record)
        key = (table.game.name, repr(table.options), table.seats)
        for decision in decisions(record, bot):
            if key not in tables:
                tables[key] = Screening(judge_of(table), Random(f"{seed}/{key}"))
            tables[key].add(decision)
    return [_looked_at(bot, kept, seconds / len(tables), clock) for kept in tables.values()]


def worst_answers(record: Record, seconds: float) -> list[CostlyDecision]:
    """The costly decisions of all seats of one match, the costliest first.

    `seconds` is the CPU time of the rollouts. `RecordError` if the record does not fit.
    """
    kept = Screening(judge_of(KindOfTable.of(record)), Random(f"0/{record.header.match_id}"))
    for bot in dict.fromkeys(record.header.names):
        for decision in decisions(record, bot):
            kept.add(decision)
    start = process_time()
    found, _ = _worst(kept, lambda: process_time() - start > seconds / 2)
    stand = _undoubted(kept, found, lambda: process_time() - start > seconds * 3 / 4)
    return _figures(kept, stand, lambda: process_time() - start > seconds)


def _looked_at(bot: str, kept: Screening, seconds: float, clock: Callable[[], float]) -> Analysis:
    start = clock()
    situations = _situations(kept, lambda: clock() - start > seconds * SITUATIONS_PART)
    until = SITUATIONS_PART + FINDING_PART
    found, looked_at = _worst(kept, lambda: clock() - start > seconds * until)
    stand = _undoubted(kept, found, lambda: clock() - start > seconds * (until + DOUBTING_PART))
    mistakes = _figures(kept, stand, lambda: clock() - start > seconds)
    return Analysis(bot, kept.judge.table, len(kept.matches), kept.seen, tuple(mistakes), tuple(situations), looked_at)


def _situations(kept: Screening, over: Callable[[], bool]) -> list[SituationLoss]:
    """Weigh random decisions of all situations, one from each in turn."""
    costs: dict[str, list[tuple[Decision, float]]] = {name: [] for name in kept.sampled}
    for sample in kept.sampled.values():
        kept.rng.shuffle(sample)
    for place in range(SAMPLED):
        for name, sample in kept.sampled.items():
            if place < len(sample) and (place < 2 or not over()):
                costs[name].append((sample[place], _against_house(kept, sample[place])))
    losses = [_loss(kept, name, found) for name, found in costs.items()]
    lost = sum([max(loss.a_match, 0.0) for loss in losses])
    shares = [max(loss.a_match, 0.0) / lost if lost else 0.0 for loss in losses]
    shared = [replace(loss, share=share) for loss, share in zip(losses, shares, strict=True)]
    return sorted(shared, key=lambda loss: -loss.a_match)


def _against_house(kept: Screening, decision: Decision) -> float:
    """What the answer cost, compared with the first policy's answer."""
    answer = kept.judge.house_answer(decision)
    if answer == decision.action:
        return 0.0
    return kept.judge.cost(decision, answer, kept.rng, SAMPLE_WORLDS).mean


def _loss(kept: Screening, name: str, costs: list[tuple[Decision, float]]) -> SituationLoss:
    mean = sum([cost for _, cost in costs]) / len(costs)
    by_match: dict[str, float] = {}
    for decision, cost in costs:
        by_match[decision.match] = by_match.get(decision.match, 0.0) + cost - mean
    error = sqrt(sum([total * total for total in by_match.values()])) / len(costs) if len(by_match) > 1 else inf
    decided = kept.by_situation[name]
    worst = sorted([entry for entry in costs if entry[1] > 0], key=lambda entry: -entry[1])[:EXAMPLES]
    examples = tuple([decision for decision, _ in worst])
    return SituationLoss(name, decided, len(costs), mean, error, mean * decided / len(kept.matches), 0.0, examples)


def _worst(kept: Screening, over: Callable[[], bool]) -> tuple[list[tuple[float, Decision, Action]], int]:
    """Weigh the candidates, the worst guesses first; return them costliest first."""
    found: list[tuple[float, Decision, Action]] = []
    looked_at = 0
    for _, _, decision, better in sorted(kept.candidates, key=lambda kept: kept[:2], reverse=True):
        if looked_at >= SHOWN and over():
            break
        looked_at += 1
        tried = [decision.action, better]
        house = kept.judge.house_answer(decision)
        tried += [house] if house not in tried else []
        weighed = kept.judge.weigh(decision, tried, kept.rng, FIRST_WORLDS)
        best = weighed.best
        cost = weighed.cost(decision.action, best)
        if best != decision.action and cost.mean > cost.error:
            found.append((cost.mean, decision, best))
    found.sort(key=lambda entry: -entry[0])
    return found, looked_at


def _undoubted(
    kept: Screening, found: list[tuple[float, Decision, Action]], over: Callable[[], bool]
) -> list[tuple[Decision, Action]]:
    """The worst decisions, confirmed by `greedy` and `cautious` in fresh worlds."""
    chosen = found[: 2 * SHOWN]
    stand: list[tuple[Decision, Action]] = []
    for number, (_, decision, better) in enumerate(chosen):
        if len(stand) == SHOWN or (number and over()):
            break
        if _both_agree(kept, decision, better, len(chosen)):
            stand.append((decision, better))
    return stand


def _figures(kept: Screening, stand: list[tuple[Decision, Action]], over: Callable[[], bool]) -> list[CostlyDecision]:
    """Weigh decisions again in fresh worlds: as many as time allows, at least one."""
    half = _quantile(len(stand))
    mistakes: list[CostlyDecision] = []
    for decision, better in stand:
        if mistakes and over():
            break
        cost = kept.judge.cost(decision, better, kept.rng, FRESH_WORLDS)
        other = kept.judge.cost(decision, better, kept.rng, FRESH_WORLDS, policy=1)
        hindsight = kept.judge.hindsight(decision, better, kept.rng, HINDSIGHT_WORLDS)
        interval = cost.mean - half * cost.error, cost.mean + half * cost.error
        mistakes.append(CostlyDecision(decision, better, cost, other, hindsight, interval))
    return sorted(mistakes, key=lambda mistake: -mistake.cost.mean)


def _both_agree(kept: Screening, decision: Decision, better: Action, of: int) -> bool:
    """Whether both policies find a cost, significant among `of` decisions tested."""
    half = _quantile(of)
    for policy in (0, 1):
        cost = kept.judge.cost(decision, better, kept.rng, DOUBTED_WORLDS, policy)
        if cost.mean <= half * cost.error:
            return False
    return True


def _quantile(of: int) -> float:
    """Half the width, in standard errors, of each of `of` simultaneous intervals."""
    return NormalDist().inv_cdf(1 - (1 - LEVEL) / 2 / max(1, of))
