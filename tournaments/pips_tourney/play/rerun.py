"""Play matches of a night again and compare the bots' answers with the records.

A bot that always gives the same answer to the same question contradicts a record that
was altered. A bot that depends on time, or on random numbers of its own, contradicts
itself. So matches with different answers are played several more times, to distinguish
the two.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import SystemRandom
from typing import Final, NamedTuple

from pips.v1 import record_pb2
from pips_referee.loop import fast_loop
from pips_tourney.engines import Engine, Job
from pips_tourney.engines.choice import make_engine
from pips_tourney.errors import TourneyError
from pips_tourney.league.league import League
from pips_tourney.league.read import read_league
from pips_tourney.night.log.file_watch import private_files
from pips_tourney.night.log.store import Row, Store
from pips_tourney.night.night import Night, last_night
from pips_tourney.night.plan.fixtures import Fixture
from pips_tourney.night.plan.from_league import make_programme
from pips_tourney.workshop.duels.play import MatchesInOrder

SAMPLE: Final = 20
"""How many matches are played again by default."""
MORE_TIMES: Final = 2
"""How many more times a match is played if its answers differ."""
Answer = tuple[int, bytes]
"""The seat, and its answer: an action, or the kind of a fault."""


class RerunError(TourneyError):
    """No match can be played again."""


class OtherAnswer(NamedTuple):
    """The first difference between a match and its record."""

    match: str
    bot: str
    answer: int
    """The number of the answer in the match, from 1."""
    steady: bool
    """Whether the bot gave the same answer in every new match."""


@dataclass
class Rerun:
    """The outcome of playing matches again."""

    fitting: int
    """How many matches could have been played again."""
    left_out: Mapping[str, str]
    """By bot, why its matches could not be played again."""
    same: int = 0
    disturbed: int = 0
    """Matches with a bot's fault this time, or spoilt by the machine.

    They prove nothing.
    """
    differences: list[OtherAnswer] = field(default_factory=list)
    by_bot: Counter[str] = field(default_factory=Counter)
    """By bot, how many matches were compared."""

    @property
    def compared(self) -> int:
        return self.same + len(self.differences)

    @property
    def ok(self) -> bool:
        return not any(difference.steady for difference in self.differences)

    def lines(self) -> Iterator[str]:
        """The result, as lines for a reader."""
        share = f" ({self.same / self.compared:.0%})" if self.compared else ""
        yield f"{self.compared} of {self.fitting} matches played again: {self.same} with the same answers{share}"
        if self.disturbed:
            yield f"{self.disturbed} more prove nothing: a bot made a mistake this time, or the machine spoilt them"
        own = Counter(difference.bot for difference in self.differences if not difference.steady)
        for bot, count in sorted(own.items()):
            yield (
                f"{bot} is not deterministic: in {count} of its {self.by_bot[bot]} matches it answered otherwise, and "
                "not the same each time; its records can be checked against the rules alone"
            )
        for bot, why in sorted(self.left_out.items()):
            yield f"{bot}: its matches are not played again: {why}"
        for one in self.differences:
            if one.steady:
                yield (
                    f"match {one.match}: answer {one.answer}, by {one.bot}, is not what the bot says now, each time. "
                    "The record was changed, or the bot goes by time, by a file or by the machine"
                )


def rerun(league_file: Path, store: Store, most: int | None) -> Rerun:
    """Play `most` matches again, drawn at random (None: all).

    Raises the errors of league and engine, and `RerunError` if no match can be played
    again.
    """
    night = last_night(store)
    league = read_league(league_file).joined_by(night.decisions().added.values()).installed()
    league = replace(league, file=league.file.model_copy(update={"engine": "local"}))
    left_out = dict(_left_out(league, night))
    fitting = [
        (fixture, row.record) for fixture, row in night.records() if row is not None and _fits(fixture, row, left_out)
    ]
    if not fitting:
        why = "; ".join(f"{bot}: {why}" for bot, why in left_out.items()) or "none was played without a fault"
        raise RerunError(f"no match can be played again: {why}")
    chosen = fitting if most is None or most >= len(fitting) else SystemRandom().sample(fitting, most)
    return _play_again(league, night, chosen, Rerun(len(fitting), left_out))


def _left_out(league: League, night: Night) -> Iterator[tuple[str, str]]:
    """The bots that have changed or are missing since the night, and why."""
    remote = {bot.name for bot in league.file.bots if bot.remote}
    now = {entrant.name: entrant.fingerprints for entrant in make_programme(league).entrants}
    for entrant in night.programme.entrants:
        if entrant.name in remote:
            yield entrant.name, "it runs on another machine"
        elif entrant.name not in now:
            yield entrant.name, "it is not in the league file"
        elif any(now[entrant.name].get(game) != mark for game, mark in entrant.fingerprints.items()):
            yield entrant.name, "its files, command or environment have changed"


def _fits(fixture: Fixture, row: Row, left_out: Mapping[str, str]) -> bool:
    here = left_out.keys().isdisjoint(fixture.seating)
    return here and row.faults == "[]"


def _play_again(league: League, night: Night, chosen: Sequence[tuple[Fixture, bytes]], found: Rerun) -> Rerun:
    records = {fixture.match_id: answers_of(record) for fixture, record in chosen}
    again = _play(league, night, [fixture for fixture, _ in chosen])
    doubtful: list[tuple[Fixture, int]] = []
    for fixture, _ in chosen:
        was, now = records[fixture.match_id], again.get(fixture.match_id)
        if now is None:
            found.disturbed += 1
            continue
        found.by_bot.update(set(fixture.seating))
        at = _differ(was, now)
        if at is None:
            found.same += 1
        else:
            doubtful.append((fixture, at))
    own: set[str] = set()
    seen: set[str] = set()
    for _ in range(MORE_TIMES if doubtful else 0):
        later = _play(league, night, [fixture for fixture, _ in doubtful])
        seen |= later.keys()
        own |= {
            _who(fixture, again[match], later[match], at)
            for fixture, _ in doubtful
            if (match := fixture.match_id) in later and (at := _differ(again[match], later[match])) is not None
        }
    found.disturbed += sum(fixture.match_id not in seen for fixture, _ in doubtful)
    for fixture, at in ((fixture, at) for fixture, at in doubtful if fixture.match_id in seen):
        bot = _who(fixture, records[fixture.match_id], again[fixture.match_id], at)
        found.differences.append(OtherAnswer(fixture.match_id, bot, at + 1, bot not in own))
    return found


def _who(fixture: Fixture, one: Sequence[Answer], other: Sequence[Answer], at: int) -> str:
    """The bot with the first different answer."""
    return fixture.seating[(one if at < len(one) else other)[at][0]]


def answers_of(record: bytes) -> list[Answer]:
    """All answers of a match, without their times."""
    return [
        (answer.seat, answer.action.SerializeToString(deterministic=True))
        for answer in record_pb2.MatchRecord.FromString(record).answers
    ]


def _differ(one: Sequence[Answer], other: Sequence[Answer]) -> int | None:
    """The index of the first difference between two matches, or None."""
    for at, (here, there) in enumerate(zip(one, other, strict=False)):
        if here != there:
            return at
    return None if len(one) == len(other) else min(len(one), len(other))


def _play(league: League, night: Night, fixtures: Sequence[Fixture]) -> dict[str, list[Answer]]:
    """The answers of these matches, without matches that had a fault.

    New processes play them, with the seeds of the night.
    """
    if not fixtures:
        return {}
    answers, programme = dict[str, list[Answer]](), night.programme

    def note(fixture: Fixture, record: bytes) -> None:
        if not record_pb2.MatchRecord.FromString(record).outcome.faults:
            answers[fixture.match_id] = answers_of(record)

    matches = MatchesInOrder(fixtures, note)
    engine: Engine = make_engine(league, programme, 1, league.sandbox(private_files(night.store.path)))
    job = Job(
        queue=matches.queue,
        order=lambda fixture: fixture.order(night.secret, programme.clock),
        results=matches.take,
        check=sorted({str(process) for process in fixtures[0].processes}),
        games={contest.label: contest.game for contest in programme.contests},
    )
    with asyncio.Runner(loop_factory=fast_loop()) as runner:
        runner.run(engine.play(job))
    return answers
