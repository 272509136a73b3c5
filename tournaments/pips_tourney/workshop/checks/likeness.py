"""How alike bots are, in their sources and in their answers.

Sources are compared by runs of tokens, with all names treated as one. Winnowing
(Schleimer, Wilkerson and Aiken 2003) keeps some of the runs, so that any long shared
run is found. Runs that occur in starters and sample bots, or in many sources, do not
count.
"""

from __future__ import annotations

import keyword
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import combinations
from typing import Any, Final, NamedTuple
from zlib import crc32

from pips_referee.printable import plain

RUN: Final = 12
"""How many tokens a run has."""
WINDOW: Final = 6
"""At least one of this many consecutive runs is kept."""
FEWEST_RUNS: Final = 20
"""A source with fewer runs of its own is not judged: it looks like the tutorial."""
COMMON: Final = 0.25
"""A run in more than this share of all sources, and in more than three, is common."""
ALIKE_SOURCE: Final = 0.6
"""The shared part at which sources are alike.

No two sample bots share more than 0.13; a reworked copy shares at least 0.74.
"""
ALIKE_ANSWERS: Final = 0.99
FEWEST_ANSWERS: Final = 200
_TOKENS: Final = re.compile(
    r"'''[\s\S]*?(?:'''|\Z)|\"\"\"[\s\S]*?(?:\"\"\"|\Z)|/\*[\s\S]*?(?:\*/|\Z)|#[^\n]*|//(?=[ /!])[^\n]*"
    r"|(?P<text>'(?:\\.|[^'\\\n]){0,200}'|\"(?:\\.|[^\"\\\n]){0,200}\")"
    r"|(?P<word>[^\W\d]\w*)|(?P<number>\d[\w.]*)|(?P<sign>\S)"
)
_KEPT: Final = frozenset([*keyword.kwlist, "const", "let", "var", "function", "new", "this", "switch", "case", "catch"])
Answers = Sequence[Sequence[str]]
"""By match, a bot's answers if it had a choice; all bots play the same matches."""


class Pair(NamedTuple):
    """Two bots that are alike, and how much."""

    one: str
    other: str
    source: float
    """The share of the shorter source's own runs that the other source has too."""
    answers: float | None
    """The share of `asked` to which they gave the same answer."""
    asked: int
    """How many questions both were asked, up to their first different answer."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """The pairs that are alike, most alike first, and what was compared."""

    pairs: tuple[Pair, ...]
    bots: int
    left_out: Mapping[str, str]
    """By bot, why its answers were not compared."""
    same_files: tuple[tuple[str, ...], ...] = ()
    """Bots with the same files, however small the files are."""

    def as_json(self) -> dict[str, Any]:
        """JSON values."""
        pairs = [pair._asdict() for pair in self.pairs]
        return {"pairs": pairs, "bots": self.bots, "left_out": dict(self.left_out), "same_files": [*self.same_files]}

    def lines(self) -> Iterator[str]:
        """The result, as lines for a reader."""
        for pair in self.pairs:
            played = (
                "" if pair.answers is None else f", the same answer to {pair.answers:.1%} of {pair.asked} questions"
            )
            yield plain(f"{pair.one} and {pair.other}: {pair.source:.0%} of the code{played}")
        yield from (plain(f"{bot} could not be played: {why}") for bot, why in self.left_out.items())
        yield f"Bots compared: {self.bots}; pairs that are alike: {len(self.pairs)}."
        if self.pairs:
            yield "A pair is a reason to ask. It is no proof."


def all_runs(source: str) -> list[int]:
    """The hash of every run of tokens of a source, in order."""
    tokens = [_token(each) for each in _TOKENS.finditer(source) if each.lastgroup]
    return [crc32(" ".join(tokens[at : at + RUN]).encode()) for at in range(len(tokens) - RUN + 1)]


def _token(match: re.Match[str]) -> str:
    word = match.group()
    return word if match.lastgroup == "sign" or word in _KEPT else str(match.lastgroup)


def kept_runs(source: str) -> frozenset[int]:
    """The runs of a source that are compared."""
    every = all_runs(source)
    return frozenset(min(every[at : at + WINDOW]) for at in range(max(0, len(every) - WINDOW + 1)))


def own_runs(sources: Mapping[str, str], house: Iterable[str]) -> dict[str, frozenset[int]]:
    """By bot, the runs that neither `house` sources nor many others have."""
    known = frozenset[int]().union(*map(all_runs, house))
    kept = {bot: kept_runs(source) - known for bot, source in sources.items()}
    often = Counter(run for runs in kept.values() for run in runs)
    common = {run for run, times in often.items() if times > max(3, COMMON * len(sources))}
    return {bot: runs - common for bot, runs in kept.items()}


def mark(source: str, house: Iterable[str]) -> str:
    """What sources share that differ in names, numbers, texts and comments alone.

    Empty for a source with few runs of its own.
    """
    runs = all_runs(source)
    own = kept_runs(source).difference(*map(all_runs, house))
    return sha256(repr(runs).encode()).hexdigest()[:16] if len(own) >= FEWEST_RUNS else ""


def same_answers(one: Answers, other: Answers) -> tuple[float, int]:
    """The share of common questions with the same answer, and their number.

    After the first different answer, the matches are no longer the same.
    """
    same = asked = 0
    for mine, theirs in zip(one, other, strict=False):
        shorter = min(len(mine), len(theirs))
        alike = next((at for at in range(shorter) if mine[at] != theirs[at]), shorter)
        same, asked = same + alike, asked + min(alike + 1, shorter)
    return (same / asked if asked else 0.0), asked


def alike(sources: Mapping[str, str], house: Iterable[str], answers: Mapping[str, Answers]) -> list[Pair]:
    """The pairs of bots that are alike, the most alike first.

    A bot with few runs of its own is alike to nobody: simple bots often answer the
    same.
    """
    own = own_runs(sources, house)
    pairs = []
    for one, other in combinations([bot for bot in sorted(own) if len(own[bot]) >= FEWEST_RUNS], 2):
        source = len(own[one] & own[other]) / min(len(own[one]), len(own[other]))
        share, asked = same_answers(answers.get(one, ()), answers.get(other, ()))
        if source >= ALIKE_SOURCE or (asked >= FEWEST_ANSWERS and share >= ALIKE_ANSWERS):
            pairs.append(Pair(one, other, round(source, 3), round(share, 3) if asked else None, asked))
    return sorted(pairs, key=lambda pair: (-max(pair.source, pair.answers or 0.0), pair))
