"""What a benchmark gives: figures with their spread, beside a budget or a rival that
was measured in the same run.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from time import process_time
from typing import Final, Protocol

ROUNDS: Final = 7
FLOOR: Final = 9_090
"""Round trips a second of the bare echo stream where the budgets were set:
110 us each.
"""


@dataclass(frozen=True)
class Figure:
    """One line of the table: the median of some rounds, with the lowest and the
    highest.
    """

    name: str
    unit: str
    middle: float
    low: float
    high: float
    budget: float | None = None
    """What it should be at least (at most for seconds, milliseconds, MB and shares of
    cost).
    """
    less_is_better: bool = False
    to_floor: float | None = None
    """The median of the rounds' figures, each divided by what the bare echo stream made
    just then.
    """

    @property
    def verdict(self) -> str:
        if self.budget is None:
            return ""
        met = self.middle <= self.budget if self.less_is_better else self.middle >= self.budget
        return "met" if met else "MISSED"


class Bench(Protocol):
    """A room of the benchmark: yields its figures; `quick` for a look, not for a
    measurement.
    """

    def __call__(self, *, quick: bool) -> Iterable[Figure]: ...


def figure(
    name: str,
    unit: str,
    rounds: Sequence[float],
    budget: float | None = None,
    *,
    less_is_better: bool = False,
    floors: Sequence[float] | None = None,
) -> Figure:
    """The figure of some rounds; `floors` is the bare echo stream's in each of them,
    round trips a second.
    """
    to_floor = None if floors is None else median([one / floor for one, floor in zip(rounds, floors, strict=True)])
    return Figure(name, unit, median(rounds), min(rounds), max(rounds), budget, less_is_better, to_floor)


def per_second(work: Callable[[], int], at_least_s: float) -> float:
    """How many a second of one core `work` does, called until that time is used; it
    returns how many it did.
    """
    done, start = 0, process_time()
    while (elapsed := process_time() - start) < at_least_s:
        done += work()
    return done / elapsed


def table(figures: Iterable[Figure]) -> str:
    """As Markdown."""
    head = [
        "| figure | median | lowest to highest | unit | budget | | times the echo | budget |",
        "|---|---:|---:|---|---:|---|---:|---:|",
    ]
    return "\n".join([*head, *map(row, figures)])


def row(f: Figure) -> str:
    """A line of the table."""
    budget = "" if f.budget is None else f"{'≤' if f.less_is_better else '≥'} {shown(f.budget)}"
    spread = f"{shown(f.low)} to {shown(f.high)}"
    to_floor = "" if f.to_floor is None else shown(f.to_floor)
    wanted = "" if f.to_floor is None or f.budget is None else f"≥ {shown(f.budget / FLOOR)}"
    cells = [f.name, shown(f.middle), spread, f.unit, budget, f.verdict, to_floor, wanted]
    return f"| {' | '.join(cells)} |"


def shown(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def write_json(figures: Sequence[Figure], path: Path) -> None:
    """For comparison between commits."""
    path.write_text(json.dumps([asdict(f) for f in figures], indent=1) + "\n", encoding="utf-8")
