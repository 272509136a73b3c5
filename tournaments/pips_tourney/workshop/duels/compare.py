"""Is the new version better than the old one, and where do they differ?

Deals are played in pairs (paired.py) until a sequential test on their differences has
decided, or all are played.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any, Final, NamedTuple

from pips.v1 import record_pb2
from pips_referee.game import AnyGame, get_game
from pips_referee.match import Reply
from pips_referee.records.record import play_answer, read_record
from pips_referee.records.replay import get_text
from pips_tourney.night.plan.fixtures import Fixture
from pips_tourney.night.plan.results import in_scales
from pips_tourney.ratings.result import Result
from pips_tourney.ratings.sprt import MISTAKE, PairedState, PairedTest, elo_of, expected_score, gain_of, mean_and_ends
from pips_tourney.ratings.table import MARGIN_ELO
from pips_tourney.workshop.duels.duel import Scoresheet, lead_of, score_of
from pips_tourney.workshop.duels.paired import PairedDuel, again, unlike
from pips_tourney.workshop.duels.play import Enough, play
from pips_tourney.workshop.duels.play_report import about_json

FIRST_TOLD: Final = 10
"""The comparison is first reported after this number of deals.

It is reported again after twice as many, four times as many, and so on.
"""
ABOUT_ELO: Final = 10
"""The distance of the limits for points corresponds to roughly this many Elo."""
MOST_ELO: Final = 1500.0
DIGITS: Final = 12
"""Digits of a difference, so that parts of a point that cancel give exactly 0."""
PARTED: Final = 5
"""The most deals for which the first different answer is shown."""


@dataclass(frozen=True, slots=True)
class Unit:
    """The unit of a gain, and the limits of the test."""

    name: str
    least: float
    most: float
    end: float
    """The largest possible gain."""

    @staticmethod
    def of(game: AnyGame, by: str, elo0: float | None, elo1: float | None) -> Unit:
        """The unit for `results` or `points`. ValueError for impossible limits."""
        if by != "points":
            return Unit("Elo", 0.0 if elo0 is None else elo0, 10.0 if elo1 is None else elo1, MOST_ELO)
        if (elo0, elo1) != (None, None):
            raise ValueError("a comparison by points has limits of its own: leave --elo0 and --elo1 out")
        scale = game.margin
        return Unit("points a match", 0.0, scale.points * ABOUT_ELO / MARGIN_ELO, 2 * scale.points * scale.cap)

    @property
    def is_elo(self) -> bool:
        return self.name == "Elo"

    def text(self, gain: float, *, sign: bool = True) -> str:
        """A gain as text, such as +12, 0 or -3."""
        digits = 0 if self.is_elo else 2
        return f"{gain:{'+' if sign and round(gain, digits) else ''}z.{digits}f}"


ELO: Final = Unit("Elo", 0.0, 10.0, MOST_ELO)


@dataclass(frozen=True, slots=True)
class Parting:
    """Two matches of a deal that differ only in the version."""

    records: tuple[bytes, bytes]
    """The match with the new version in the seat, and the one with the old version."""
    seat: int

    def first(self) -> tuple[Reply, Reply] | None:
        """The first replies after which the positions differ; None if there are none.

        Answers that differ only in form, such as in order, lead to the same position.
        """
        new, old = map(read_record, self.records)
        now, before = new.header.new_match(), old.header.new_match()
        for index in range(min(len(new.answers), len(old.answers))):
            play_answer(now, new, index)
            play_answer(before, old, index)
            first, second = replies = now.history[-1], before.history[-1]
            if (first.action, first.fault is None) != (second.action, second.fault is None):
                views = [[match.state.view(seat) for seat in range(match.seats)] for match in (now, before)]
                if views[0] != views[1] or now.to_ask != before.to_ask:
                    return replies
        return None

    def line(self) -> str:
        """The scores, and the first different answer."""
        told = []
        for each in map(read_record, self.records):
            scores = list(each.outcome.scores)
            lost = "lost by a fault at " if any(fault.seat == self.seat for fault in each.outcome.faults) else ""
            score = ":".join(map(str, [scores.pop(self.seat), *scores]))
            told.append(f"{each.header.names[self.seat]} {lost}{score}")
        ends = f"in seat {self.seat} {', '.join(told)}"
        if (first := self.first()) is None:
            return ends
        now, before = self.answers(first)
        if first[0].seat != self.seat:  # in that seat the versions are exchanged
            now, before = before, now
        return f"{ends}. They part at question {first[0].number} of seat {first[0].seat}. {now}; {before}"

    def answers(self, first: tuple[Reply, Reply]) -> tuple[str, str]:
        """Both replies in words, in the order of the records: bot and answer."""
        headers = [read_record(data).header for data in self.records]
        text = get_text(headers[0].game.name)
        now, before = (
            f"{header.names[reply.seat]}: {'a fault' if reply.action is None else text.action_text(reply.action)}"
            for header, reply in zip(headers, first, strict=True)
        )
        return now, before


class PlayedSeat(NamedTuple):
    """A match, and its value to a version, from -1/2 to 1/2."""

    record: bytes
    worth: float


Pair = tuple[PlayedSeat, PlayedSeat, int]
"""The new version's match in a seat, the old version's match, and the seat."""


@dataclass(frozen=True, slots=True)
class PairedDeal:
    """The results of both versions on a deal."""

    number: int
    other: str
    """The new version's opponent: the old version, or another bot."""
    difference: float
    """The new version's gain, from -1 to 1.

    1 if it wins every seat, and the old version loses them all.
    """
    level: float | None
    """The mean score of both versions against the opponent; None between the two."""
    parting: Parting | None
    """None if both versions gave the same answers in every seat."""

    @staticmethod
    def of(number: int, other: str, pairs: Sequence[Pair], *, each_other: bool = False) -> PairedDeal:
        """A deal, from the matches of both versions in each of its seats."""
        gains = [(new.worth - old.worth, _parting(new.record, old.record, seat)) for new, old, seat in pairs]
        parting = max(gains, key=lambda each: (each[1] is not None, abs(each[0])))[1]
        difference = sum(gain for gain, _ in gains) / len(gains) / (2 if each_other else 1)
        level = None if each_other else 0.5 + sum(new.worth + old.worth for new, old, _ in pairs) / len(pairs) / 2
        return PairedDeal(number, other, round(difference, DIGITS), level, parting)


@dataclass(eq=False)
class Differences:
    """The results of deals for two versions."""

    unit: Unit
    deals: list[PairedDeal] = field(init=False, default_factory=list)
    _levels: dict[str, tuple[int, float | None]] = field(init=False, default_factory=dict)
    """By opponent, the number of deals and the sum of their levels."""

    @cached_property
    def test(self) -> PairedTest:
        return PairedTest(self.unit.least, self.unit.most)

    def add(self, deal: PairedDeal) -> None:
        """Add one more deal."""
        self.deals.append(deal)
        self.test.add(deal.difference)
        count, level = self._levels.get(deal.other, (0, 0.0))
        self._levels[deal.other] = count + 1, None if level is None or deal.level is None else level + deal.level

    def seat(self, record: bytes, one: str, exchanged: str = "") -> PlayedSeat:
        """The value of a match to a version, against all others or the one it met."""
        message = record_pb2.MatchRecord.FromString(record)
        names, faults = tuple(message.header.seats), {fault.seat for fault in message.outcome.faults}
        game = get_game(message.header.game)
        scores = in_scales(game.name, message.outcome.scores, faults)
        result, cap = Result("", names, tuple(message.outcome.places), scores), game.margin.cap
        each = [
            score_of(result, one, name) - 0.5 if self.unit.is_elo else lead_of(result, one, name, cap) / (2 * cap)
            for name in names
            if name == exchanged or (exchanged not in names and name != one)
        ]
        return PlayedSeat(record, sum(each) / len(each))

    def mean_of(self, gain: float, other: str = "") -> float:
        """The mean difference for a gain, over all deals or against `other`."""
        if not self.unit.is_elo:
            return gain / self.unit.end
        total = 0.0
        for name, (deals, level) in self._levels.items():
            if level is None:
                mean = expected_score(gain) - 0.5
            else:
                at = elo_of((level + 0.5) / (deals + 1)) or 0.0
                mean = expected_score(at + gain / 2) - expected_score(at - gain / 2)
            if other == name:
                return mean
            total += deals * mean
        return total / max(1, len(self.deals))

    @property
    def is_same(self) -> bool:
        """Whether both versions are the same bot."""
        return False

    @property
    def is_alike(self) -> bool:
        """Whether both versions gave the same answers in every match."""
        return bool(self.deals) and all(deal.parting is None for deal in self.deals)

    @property
    def changed(self) -> list[PairedDeal]:
        """The deals that the change affected."""
        return [deal for deal in self.deals if deal.difference]

    def state(self) -> PairedState:
        """The state of the comparison.

        The gain is exactly 0 if all answers are the same and the test has decided.
        """
        verdict = "not better" if self.is_same and self.test.verdict == "not decided" else self.test.verdict
        if self.is_alike and verdict != "not decided":
            return PairedState(len(self.deals), 0.0, 0.0, 0.0, verdict)
        return self.test.state(self.mean_of, self.unit.end)

    def fixed(self) -> PairedState:
        """The state after a number of deals that was fixed in advance.

        In this case the interval alone gives the verdict.
        """
        state = self.state()
        low, high = state.low or 0.0, state.high or 0.0
        return replace(state, verdict="better" if low > 0 else "not better" if high < 0 else state.verdict)


@dataclass(eq=False)
class Comparison(Differences):
    """The deals in their order, as a sequential test needs them.

    No deal is counted before all earlier ones.
    """

    duel: PairedDuel
    tell: Callable[[Comparison], object] = lambda _: None
    unlike: Counter[str] = field(default_factory=Counter)
    """Bots that gave different answers in a repeated match, and how often."""
    _open: dict[int, dict[str, tuple[Fixture, bytes]]] = field(default_factory=lambda: defaultdict(dict))
    _told: int = FIRST_TOLD

    @property
    def is_same(self) -> bool:
        new, old = (self.duel.bots[name] for name in self.duel.names)
        return new == old

    def note(self, fixture: Fixture, record: bytes) -> None:
        """Count a match that was played. Raises `Enough` once the test has decided."""
        self._open[int(fixture.deal.name.removeprefix("deal"))][fixture.match_id] = fixture, record
        while self._is_complete(number := len(self.deals) + (self.duel.only or 1)):
            self.add(self._compared(number, self._open.pop(number)))
            verdict = self.test.decide(self.mean_of)
            if number == self._told:
                self._told *= 2
                self.tell(self)
            if verdict != "not decided":
                raise Enough

    def _is_complete(self, number: int) -> bool:
        return len(self._open[number]) == len(self.duel.seatings(number)) + (number <= self.duel.repeated)

    def _compared(self, number: int, played: Mapping[str, tuple[Fixture, bytes]]) -> PairedDeal:
        """A deal, from its matches by id."""
        tables = {fixture.seating: (fixture, record) for fixture, record in played.values() if not fixture.attempt}
        for fixture, record in tables.values():
            second = played.get(again(fixture).match_id)
            if second is not None and (said := unlike(record, second[1])):
                self.unlike[said] += 1
        new, old = self.duel.names
        other = self.duel.other(number)
        pairs = [
            (
                self.seat(record, new, old),
                self.seat(tables[self.duel.partner(seating)][1], old, new),
                seating.index(new),
            )
            for seating, (_, record) in tables.items()
            if new in seating
        ]
        return PairedDeal.of(
            number, other, pairs, each_other=other == old
        )  # in these the versions exchange both seats at once

    def against(self, other: str) -> tuple[int, float | None, float | None, float | None]:
        """The number of deals with one opponent, the gain and its 95 % interval."""
        counts = Counter(deal.difference for deal in self.deals if deal.other == other)
        gain, low, high = (
            None if value is None else gain_of(lambda gain: self.mean_of(gain, other), value, self.unit.end)
            for value in mean_and_ends(counts)
        )
        return counts.total(), gain, low, high


def _parting(new: bytes, old: bytes, seat: int) -> Parting | None:
    """Where two matches part at a seat; None if all answers are the same."""
    now, before = map(record_pb2.MatchRecord.FromString, (new, old))
    answers = [[(answer.seat, answer.action.SerializeToString()) for answer in each.answers] for each in (now, before)]
    alike = answers[0] == answers[1] and now.outcome == before.outcome
    return None if alike else Parting((new, old), seat)


def compare(comparison: Comparison, *, in_process: bool = False) -> Scoresheet:
    """Play until the test decides. Raises the errors of `play`."""
    return play(comparison.duel, comparison.note, in_process=in_process)


def verdict_json(comparison: Comparison, sheet: Scoresheet) -> dict[str, Any]:
    """The result of the comparison, for a program."""
    unit = comparison.unit
    limits = {"least": unit.least, "most": unit.most, "mistake": MISTAKE}
    others = {other: dict(zip(("deals", "gain", "low", "high"), comparison.against(other), strict=True))
              for other in dict.fromkeys(deal.other for deal in comparison.deals)}  # fmt: skip
    changed = [{"deal": each.number, "against": each.other, "difference": each.difference}
               for each in comparison.changed]  # fmt: skip
    return about_json(sheet) | asdict(comparison.state()) | {
        "unit": unit.name, "limits": limits, "alike": comparison.is_alike, "changed": changed, "against": others,
        "unlike": dict(comparison.unlike),
    }  # fmt: skip
