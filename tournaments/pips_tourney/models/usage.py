"""The usage of a night's models, by bot and contest."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from statistics import median
from typing import Any, NamedTuple

from pips_tourney.models.book import DEFAULTED, UNMARKED, BookedReply


class ModelUsage(NamedTuple):
    """The usage of one bot's model in one contest."""

    contest: str
    bot: str
    questions: int
    replies: int
    """All replies, including those after an error."""
    rethought: int
    """Questions whose first reply was not an answer, so that they were asked again."""
    defaults: int
    """Questions for which the legal default was played."""
    unmarked: int
    """Questions whose reply was read after removing its markup."""
    prompt_tokens: int
    completion_tokens: int
    cost: float
    median_ms: float

    def line(self) -> str:
        """The note below a table."""
        parts = [
            f"{self.bot} asked its model {_of(self.questions, 'question')}",
            f"{self.prompt_tokens:,} tokens in, {self.completion_tokens:,} out",
            f"median {self.median_ms:,.0f} ms a reply",
        ]
        parts += [f"cost {self.cost:.4g}"] if self.cost else []
        parts.append(f"asked again {_of(self.rethought, 'time')}" if self.rethought else "never asked again")
        if self.defaults:
            parts.append(f"played the legal default {_of(self.defaults, 'time')}")
        if self.unmarked:
            parts.append(f"read without markup {_of(self.unmarked, 'time')}")
        return "; ".join(parts)

    def as_json(self) -> dict[str, Any]:
        return self._asdict() | {"cost": round(self.cost, 6)}


def usage_of(answers: Iterable[BookedReply]) -> tuple[ModelUsage, ...]:
    """The usage of a night's models, sorted by contest and bot."""
    by_bot: dict[tuple[str, str], list[BookedReply]] = defaultdict(list)
    for answer in answers:
        bot, contest, _ = answer.process.split("/", 2)
        by_bot[contest, bot].append(answer)
    return tuple(_usage(contest, bot, lines) for (contest, bot), lines in sorted(by_bot.items()))


def _usage(contest: str, bot: str, lines: list[BookedReply]) -> ModelUsage:
    replies = [line for line in lines if line.attempt > 0]
    return ModelUsage(
        contest,
        bot,
        _questions(lines),
        len(replies),
        _questions(line for line in lines if line.attempt > 1),
        _questions(line for line in lines if line.attempt == DEFAULTED),
        _questions(line for line in lines if line.attempt == UNMARKED),
        sum(line.prompt_tokens for line in lines),
        sum(line.completion_tokens for line in lines),
        sum(line.cost for line in lines),
        median(line.ms for line in replies) if replies else 0.0,
    )


def _questions(lines: Iterable[BookedReply]) -> int:
    return len({(line.match, line.seat, line.question) for line in lines})


def _of(count: int, what: str) -> str:
    return f"{count:,} {what}" + ("" if count == 1 else "s")
