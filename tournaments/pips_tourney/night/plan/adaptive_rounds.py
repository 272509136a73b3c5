"""The rounds of a contest in which pairs that are still open get more deals.

Each round is planned from the complete rounds before it. The runner logs every plan, so
bots that come or go later do not change what was planned before.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from pips_tourney.night.plan.fixtures import league_pairings
from pips_tourney.night.plan.gate_table import look_at, stopping_rule, turn_of
from pips_tourney.night.plan.programme import Contest, Programme
from pips_tourney.ratings.stopping import PairVerdict, Settled, Verdict
from pips_tourney.ratings.table import Margins, Ratings
from pips_tourney.schedule.adaptive import Table, next_depths, within


@dataclass(frozen=True, slots=True)
class AdaptiveRound:
    """How many deals every combination has played by the end of the round."""

    level: int
    """How many equal deals per combination would tell as much about the open pairs."""
    depths: Mapping[Table, int]
    """By combination, all its deals so far; combinations without any are left out."""

    def entry(self, contest: str, number: int) -> dict[str, Any]:
        """The round as a log entry."""
        deals = {"/".join(table): deals for table, deals in sorted(self.depths.items())}
        return {"contest": contest, "round": number, "level": self.level, "deals": deals}


def logged_round(said: Mapping[str, Any]) -> AdaptiveRound:
    """The round in a log entry."""
    return AdaptiveRound(said["level"], {tuple(table.split("/")): deals for table, deals in said["deals"].items()})


def first_deals(contest: Contest) -> int:
    """How many deals a new combination gets in the next round."""
    return stopping_rule(contest).looks[0]


class AdaptiveRounds:
    """A contest's rounds so far.

    `logged` has the logged plans, by number from 0.
    """

    def __init__(self, programme: Programme, contest: Contest, logged: Mapping[int, AdaptiveRound]) -> None:
        self._contest, self._logged = contest, dict(logged)
        pairings = league_pairings(programme, contest, 0, 1)
        self._tables = list(dict.fromkeys(pairing.combination for pairing in pairings))
        self._turn = turn_of(contest)
        self._out: Collection[str] = ()
        self.rounds: list[AdaptiveRound] = []
        self.verdict: Verdict | None = None

    @cached_property
    def rule(self) -> Settled:
        return stopping_rule(self._contest)

    @property
    def depths(self) -> dict[Table, int]:
        """By combination, the deals of all rounds so far."""
        return self._depths(len(self.rounds))

    @property
    def before(self) -> dict[Table, int]:
        """By combination, the deals of all rounds but the last."""
        return self._depths(len(self.rounds) - 1)

    def _depths(self, rounds: int) -> dict[Table, int]:
        last = self.rounds[rounds - 1].depths if rounds > 0 else {}
        return {table: last.get(table, 0) for table in self._tables}

    def begin(self) -> bool:
        """Plan the next round; False if there is none."""
        planned = self._following()
        if planned is not None:
            self.rounds.append(planned)
        return planned is not None

    def _following(self) -> AdaptiveRound | None:
        return self._logged.get(len(self.rounds)) or self._planned()

    def news(self) -> Iterator[dict[str, Any]]:
        """The log entries still missing: for the rounds so far, and the next one."""
        following = self._following()
        for number, planned in enumerate([*self.rounds, *([] if following is None else [following])]):
            if number not in self._logged:
                self._logged[number] = planned
                yield planned.entry(self._contest.label, number)

    def judge(self, table: Ratings | Margins | None, bots: set[str], out: Collection[str] = ()) -> Verdict:
        """Look at the table after the last round; `bots` are those to be ranked.

        Combinations with a bot that is `out` get no more deals.
        """
        self._out = out
        level, total = self.rounds[-1].level, sum(self.depths.values())
        found = look_at(table, self.rule, level, bots)
        pairs = tuple(replace(pair, more=self._takes(pair)) for pair in found.pairs)
        last = found.last or self._left(total) < self._turn
        settled = found.settled and all(self._playing().values())  # a bot that was added still has to play
        self.verdict = replace(found, settled=settled, last=last, pairs=pairs, round=len(self.rounds), total=total)
        return self.verdict

    def _takes(self, pair: PairVerdict) -> int | None:
        """The estimated deals, of all combinations, until a pair is decided."""
        if pair.decided or pair.deals_needed is None:
            return None
        playing = self._playing()
        return sum(self._next(playing, [pair.names], pair.deals_needed).values()) - sum(playing.values())

    def _playing(self) -> dict[Table, int]:
        """The depths of all combinations without a bot that is out."""
        return {table: deals for table, deals in self.depths.items() if not any(bot in self._out for bot in table)}

    def _left(self, total: int) -> int:
        """How many deals the budget still allows."""
        stop = self._contest.form.stop
        assert stop is not None
        if stop.matches is None:
            return sum(stop.max_deals - deals for deals in self._playing().values())
        return stop.matches // self._contest.matches_a_deal - total

    def _planned(self) -> AdaptiveRound | None:
        playing, looks = self._playing(), self.rule.looks
        if missing := [table for table, deals in playing.items() if not deals]:
            return self._bounded(looks[0], dict.fromkeys(missing, looks[0]))
        verdict, level = self.verdict, self.rounds[-1].level
        if verdict is not None and (verdict.settled or verdict.last):
            return None
        for look in looks[looks.index(level) + 1 :]:
            if verdict is None:  # a rehearsal
                planned = dict.fromkeys(playing, look)
            else:
                planned = self._next(playing, [pair.names for pair in verdict.pairs if pair.is_open], look)
            if planned != playing:
                return self._bounded(look, planned)
        return None

    def _next(self, depths: dict[Table, int], pairs: list[tuple[str, str]], level: int) -> dict[Table, int]:
        return next_depths(depths, pairs, level, self.rule.max_deals, self._turn, self._contest.form.hero)

    def _bounded(self, level: int, planned: dict[Table, int]) -> AdaptiveRound | None:
        depths = self.depths
        found = within(depths, depths | planned, self._left(sum(depths.values())), self._turn)
        return None if found is None else AdaptiveRound(level, {at: deals for at, deals in found.items() if deals})
