"""Is the new version better than the old one, and where do they part?

Deals are played in pairs (paired.py) until a sequential test on their differences has
decided, or all are played.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, Final

from pips.v1 import record_pb2
from pips_referee.game import AnyGame
from pips_referee.match import Reply
from pips_referee.records.record import read_record, replay
from pips_referee.records.replay import get_text
from pips_tourney.night.plan.fixtures import Fixture
from pips_tourney.night.plan.results import in_scales
from pips_tourney.ratings.result import Result
from pips_tourney.ratings.sprt import PairedState, PairedTest, elo_of, expected_score, gain_of, mean_and_half
from pips_tourney.ratings.table import MARGIN_ELO
from pips_tourney.workshop.duel import Scoresheet, lead_of, score_of
from pips_tourney.workshop.paired import PairedDuel, again
from pips_tourney.workshop.play import Enough, about_json, play
from pips_tourney.workshop.repeat import unlike

FIRST_TOLD: Final = 10
"""After this number of deals the state of the comparison is reported.

It is reported again after twice, four times ... as many.
"""
MISTAKE: Final = 0.05
"""The chance to say "better", and to say "not better", by mistake."""
ABOUT_ELO: Final = 10
"""By points the limits are as far apart as this number of Elo roughly is."""
MOST_ELO: Final = 1500.0
DIGITS: Final = 12
"""Digits of a difference: parts of a point that cancel out are exactly 0."""
PARTED: Final = 5
"""Deals on which the change mattered whose first other answer is shown, at most."""


@dataclass(frozen=True, slots=True)
class Unit:
    """What a gain is counted in, and the limits between which it is decided."""

    name: str
    least: float
    most: float
    end: float
    """No gain is further from 0."""

    @staticmethod
    def of(game: AnyGame, by: str, elo0: float | None, elo1: float | None) -> Unit:
        """The unit by `results` or `points`. ValueError for limits without sense."""
        if by != "points":
            return Unit("Elo", 0.0 if elo0 is None else elo0, 10.0 if elo1 is None else elo1, MOST_ELO)
        if (elo0, elo1) != (None, None):
            raise ValueError("a comparison by points has limits of its own: leave --elo0 and --elo1 out")
        scale = game.margin
        return Unit("points a match", 0.0, scale.points * ABOUT_ELO / MARGIN_ELO, 2 * scale.points * scale.cap)

    @property
    def is_elo(self) -> bool:
        return self.name == "Elo"

    def text(self, gain: float | None, *, sign: bool = True) -> str:
        """A gain, such as +12; ? for one that has no end."""
        return "?" if gain is None else f"{gain:{'+' if sign else ''}z.{0 if self.is_elo else 2}f}"


@dataclass(frozen=True, slots=True)
class Parting:
    """Two matches of a deal that differ in the version alone, and where they part."""

    records: tuple[bytes, bytes]
    """That in which the new version has the seat, and that of the old one."""
    seat: int

    def first(self) -> tuple[Reply, Reply] | None:
        """The first replies that differ; None if one match is the other's beginning."""
        now, before = (replay(read_record(data)).history for data in self.records)
        for new, old in zip(now, before, strict=False):
            if (new.action, new.fault is None) != (old.action, old.fault is None):
                return new, old
        return None

    def line(self) -> str:
        """The scores, and the first answer that differs."""
        matches = [read_record(data) for data in self.records]
        text, told = get_text(matches[0].header.game.name), []
        for each in matches:
            scores = list(each.outcome.scores)
            told.append(f"{each.header.names[self.seat]} {':'.join(map(str, [scores.pop(self.seat), *scores]))}")
        ends = f"in seat {self.seat} {', '.join(told)}"
        if (first := self.first()) is None:
            return ends
        answers = [
            f"{each.header.names[reply.seat]} {'a fault' if reply.action is None else text.action_text(reply.action)}"
            for each, reply in zip(matches, first, strict=True)
        ]
        return f"{ends}; they part at question {first[0].number} of seat {first[0].seat}: {', '.join(answers)}"


@dataclass(frozen=True, slots=True)
class PairedDeal:
    """What a deal says of the two versions."""

    number: int
    other: str
    """Whom the new version met: the old one, or an opponent."""
    difference: float
    """From -1 to 1; a match that is won, not lost, is 1 of its seat's."""
    level: float
    """The mean score of both versions against the opponent."""
    parting: Parting | None
    """None if both versions answered alike in every seat."""


@dataclass(eq=False)
class Comparison:
    """The deals in their order, as a sequential test sees them.

    It never sees one before those that come first.
    """

    duel: PairedDuel
    unit: Unit
    tell: Callable[[Comparison], object] = lambda _: None
    deals: list[PairedDeal] = field(default_factory=list)
    unlike: Counter[str] = field(default_factory=Counter)
    """Bots that answered otherwise when a match was played again, and how often."""
    _open: dict[int, dict[str, tuple[Fixture, bytes]]] = field(default_factory=lambda: defaultdict(dict))
    _levels: dict[str, tuple[int, float]] = field(default_factory=dict)
    """By the other, the number of deals and the sum of their levels."""
    _told: int = FIRST_TOLD

    @cached_property
    def test(self) -> PairedTest:
        return PairedTest(self.unit.least, self.unit.most, MISTAKE, MISTAKE)

    def note(self, fixture: Fixture, record: bytes) -> None:
        """Note that a match was played. Raises `Enough` when the test has decided."""
        self._open[int(fixture.deal.name.removeprefix("deal"))][fixture.match_id] = fixture, record
        while self._is_complete(number := len(self.deals) + (self.duel.only or 1)):
            self.deals.append(deal := self._compared(number, self._open.pop(number)))
            self.test.add(deal.difference)
            count, level = self._levels.get(deal.other, (0, 0.0))
            self._levels[deal.other] = count + 1, level + deal.level
            verdict = self.test.decide(self.mean_of)
            if number == self._told:
                self._told *= 2
                self.tell(self)
            if verdict != "not decided":
                raise Enough

    def _is_complete(self, number: int) -> bool:
        return len(self._open[number]) == len(self.duel.seatings(number)) + (number <= self.duel.repeated)

    def _compared(self, number: int, played: Mapping[str, tuple[Fixture, bytes]]) -> PairedDeal:
        """A deal, from its matches by their ids."""
        tables = {fixture.seating: (fixture, record) for fixture, record in played.values() if not fixture.attempt}
        for fixture, record in tables.values():
            second = played.get(again(fixture).match_id)
            if second is not None and (said := unlike(record, second[1])):
                self.unlike[said] += 1
        new, old = self.duel.names
        other, gains = self.duel.other(number), list[tuple[float, Parting | None]]()
        values = {seating: self._values(record) for seating, (_, record) in tables.items()}
        for seating, (_, record) in tables.items():
            partner = self.duel.partner(seating)
            if new in seating:
                gain = values[seating][new] - values[partner][old]
                gains.append((gain, _parting(record, tables[partner][1], seating.index(new))))
        half = 2 if other == old else 1  # there both versions are exchanged at once
        level = sum(value[name] for value in values.values() for name in (new, old) if name in value)
        parting = max(gains, key=lambda each: (each[1] is not None, abs(each[0])))[1]
        difference = round(sum(gain for gain, _ in gains) / len(gains) / half, DIGITS)
        return PairedDeal(number, other, difference, 0.5 + level / len(values), parting)

    def _values(self, record: bytes) -> dict[str, float]:
        """What a match was worth to each version, from -1/2 to 1/2."""
        message = record_pb2.MatchRecord.FromString(record)
        names, faults = tuple(message.header.seats), {fault.seat for fault in message.outcome.faults}
        scores = in_scales(self.duel.game.name, message.outcome.scores, faults)
        result, cap = Result("", names, tuple(message.outcome.places), scores), self.duel.game.margin.cap
        both = {*self.duel.names} <= {*names}
        values = {}
        for one in {*self.duel.names} & {*names}:
            others = [self.duel.exchanged[one]] if both else [name for name in names if name != one]
            each = [
                score_of(result, one, name) - 0.5 if self.unit.is_elo else lead_of(result, one, name, cap) / (2 * cap)
                for name in others
            ]
            values[one] = sum(each) / len(each)
        return values

    def mean_of(self, gain: float, other: str = "") -> float:
        """The mean difference of a gain, over all deals or those with one other."""
        if not self.unit.is_elo:
            return gain / self.unit.end
        total = 0.0
        for name, (deals, level) in self._levels.items():
            if name == self.duel.names[1]:
                mean = expected_score(gain) - 0.5
            else:
                at = elo_of((level + 0.5) / (deals + 1)) or 0.0
                mean = expected_score(at + gain / 2) - expected_score(at - gain / 2)
            if other == name:
                return mean
            total += deals * mean
        return total / max(1, len(self.deals))

    @property
    def is_alike(self) -> bool:
        """Whether both versions gave the same answers in every match."""
        return bool(self.deals) and all(deal.parting is None for deal in self.deals)

    @property
    def changed(self) -> list[PairedDeal]:
        """The deals on which the change mattered."""
        return [deal for deal in self.deals if deal.difference]

    def state(self) -> PairedState:
        """The state: exactly 0, and not better, where both versions answered alike."""
        if self.is_alike:
            return PairedState(len(self.deals), 0.0, 0.0, 0.0, "not better")
        return self.test.state(self.mean_of, self.unit.end)

    def against(self, other: str) -> tuple[int, float | None, float | None, float | None]:
        """The number of deals with one other, the gain there and its 95 % interval."""
        counts = Counter(deal.difference for deal in self.deals if deal.other == other)
        mean, half = mean_and_half(counts)
        ends = [mean] if half is None else [mean, mean - half, mean + half]
        gains = [gain_of(lambda gain: self.mean_of(gain, other), value, self.unit.end) for value in ends]
        return counts.total(), *(gains if half is not None else (gains[0], None, None))


def _parting(new: bytes, old: bytes, seat: int) -> Parting | None:
    """Where the two matches part; None if all answers are the same."""
    now, before = map(record_pb2.MatchRecord.FromString, (new, old))
    answers = [[(answer.seat, answer.action.SerializeToString()) for answer in each.answers] for each in (now, before)]
    alike = answers[0] == answers[1] and now.outcome == before.outcome
    return None if alike else Parting((new, old), seat)


def compare(comparison: Comparison, *, in_process: bool = False) -> Scoresheet:
    """Play until it is decided. Raises what `play` does."""
    return play(comparison.duel, comparison.note, in_process=in_process)


def verdict_json(comparison: Comparison, sheet: Scoresheet) -> dict[str, Any]:
    """How the comparison ended, for a program."""
    unit, test = comparison.unit, comparison.test
    limits = {"least": unit.least, "most": unit.most, "alpha": test.alpha, "beta": test.beta}
    changed = [{"deal": each.number, "against": each.other, "difference": each.difference}
               for each in comparison.changed]  # fmt: skip
    return about_json(sheet) | asdict(comparison.state()) | {
        "unit": unit.name, "limits": limits, "alike": comparison.is_alike, "changed": changed,
        "unlike": dict(comparison.unlike),
    }  # fmt: skip
