"""A night in schedule order: the next matches, and those that need not be played.

Some schedules depend on results. A round of a Swiss tournament or a knockout depends on
the round before; the end of a settled night depends on its ratings. All of this is
decided here, at *gates*, from the complete results before them in schedule order. So
every caller gets the same decision, at any time, in whatever order results arrived.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pips_tourney.night.log.store import Row
from pips_tourney.night.plan.adaptive_rounds import AdaptiveRounds
from pips_tourney.night.plan.decisions import Decisions
from pips_tourney.night.plan.fixtures import Fixture, fixtures_of, league_pairings
from pips_tourney.night.plan.gate_table import look_at, margins_of, rate_results, stopping_rule
from pips_tourney.night.plan.programme import Contest, Programme
from pips_tourney.night.plan.results import ContestResults
from pips_tourney.night.plan.stages import LEVEL, Gate, PlayedRound, Stage, hangs
from pips_tourney.ratings.table import Margins, Ratings
from pips_tourney.schedule.adaptive import play_depths
from pips_tourney.schedule.rounds import Round, by_seed, knockout_round, survivors, swiss_round
from pips_tourney.schedule.tables import Pairing
from pips_tourney.secret import Secret


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """The fault for which a bot was withdrawn. `str` gives the reason in words."""

    match_id: str
    block: str
    faults: int
    kind: str
    sentence: str

    def __str__(self) -> str:
        return (
            f"withdrawn after {self.faults} fault{'s' * (self.faults != 1)}, the last one ({self.kind}) "
            f"in match {self.match_id}: "
            f"{self.sentence.rstrip('.')}"
        )


class Withdrawals:
    """Withdrawals, from results that are added in schedule order.

    `most` faults withdraw a bot from all later deals; None: no number does. Both runner
    and standings ask this class, so the order in which matches were played does not
    matter.
    """

    def __init__(self, most: int | None, decisions: Decisions | None = None) -> None:
        self.most = most
        self.decisions = decisions or Decisions()
        self.out: dict[str, Withdrawal] = {}
        self.faults: Counter[str] = Counter()

    def drops(self, fixture: Fixture) -> bool:
        """Whether the match is not to be played.

        Either one of its bots was withdrawn in an earlier deal, or it was annulled.
        """
        out = self.out
        return self.decisions.drops(fixture) or (
            bool(out) and any(bot in out and out[bot].block != fixture.block for bot in fixture.seating)
        )

    def add(self, fixture: Fixture, row: Row) -> None:
        """Add the result of the next match that is not dropped."""
        if self.most is None:
            return
        for seat, kind, sentence in row.seat_faults:
            bot = fixture.seating[seat]
            self.faults[bot] += 1
            if self.faults[bot] == self.most:
                self.out[bot] = Withdrawal(row.id, fixture.block, self.most, kind, sentence)


class LiveSchedule:
    """The schedule of a night, fed with its results in schedule order.

    With `folding`, results are collected even if no gate needs them. `listed` keeps, by
    label, the matches of contests that no results decide, for the next `LiveSchedule`
    of the same bots. In a `rehearsal` there are no results: all gates are passed, and
    all bots are equal. That shows how many matches the night would have.
    """

    def __init__(
        self,
        programme: Programme,
        secret: Secret,
        decisions: Decisions | None = None,
        *,
        folding: bool = False,
        rehearsal: bool = False,
        listed: dict[str, list[Fixture]] | None = None,
    ) -> None:
        self.programme = programme
        self.withdrawals = Withdrawals(programme.max_faults, decisions)
        self._secret = secret
        self._rehearsal = rehearsal
        self._listed = listed
        self._folding = folding or any(hangs(contest) for contest in programme.contests)
        self._parts = {
            (contest.label, final): Stage(contest, final, ContestResults())
            for contest in programme.contests
            for final in (False, True)
        }
        self._block: list[tuple[Fixture, Row | None]] = []
        self.gaps = 0
        """How many matches have no result so far."""

    @property
    def watches(self) -> bool:
        """Whether results or the director decide what is played."""
        withdrawals = self.withdrawals
        decided = withdrawals.decisions.out or withdrawals.decisions.annulled or withdrawals.most is not None
        return bool(decided) or any(map(hangs, self.programme.contests))

    @property
    def parts(self) -> list[Stage]:
        """All contests, each followed by its final, if it has one."""
        return [part for part in self._parts.values() if not part.final or part.contest.form.final is not None]

    def items(self, contest: Contest) -> Iterator[Fixture | Gate]:
        """A contest's matches and gates.

        Continue past a gate that is not a look only after `reach` has returned True.
        """
        part, final = self._parts[contest.label, False], self._parts[contest.label, True]
        match contest.form.schedule:
            case "swiss":
                yield from self._swiss(part)
            case "knockout":
                yield from self._knockout(part, self._drawn(contest), contest.form.advance, contest.deals, 0)
            case _ if contest.form.is_adaptive:
                yield from self._adaptive(part)
            case _:
                yield from self._league(part)
        part.finished = True
        if contest.form.final is not None:
            yield Gate(part)
            knockout = contest.form.final
            first = contest.form.main_deals(len(self.programme.players(contest)), contest.seats, contest.deals)
            seeds = self._ranking(part, first)[: knockout.bots]
            yield from self._knockout(final, seeds, knockout.advance, knockout.deals, first)
        final.finished = True

    def beyond(self, contest: Contest) -> Iterator[list[Fixture]]:
        """Matches that may be played although the contest is settled, look by look."""
        part = self._parts[contest.label, False]
        if part.stopped and part.adaptive is None:
            looks = stopping_rule(contest).looks
            at = looks.index(part.verdicts[-1].deals)
            for before, look in zip(looks[at:], looks[at + 1 :], strict=False):
                yield list(self._fixtures(part, league_pairings(self.programme, contest, before, look - before)))

    def drops(self, fixture: Fixture) -> bool:
        """Whether the match is not to be played, or does not count."""
        return self._is_beyond(fixture) or self.withdrawals.drops(fixture)

    def _is_beyond(self, fixture: Fixture) -> bool:
        return not fixture.final and self._parts[fixture.contest.label, False].stopped

    def add(self, fixture: Fixture, row: Row | None) -> bool:
        """Add the next match of the schedule, with its result if it has one.

        Return whether it is kept.
        """
        decisions = self.withdrawals.decisions
        part, label = self._parts[fixture.contest.label, fixture.final], fixture.contest.label
        is_beyond = part.stopped and not fixture.final
        if is_beyond or (decisions.annulled and fixture.block in decisions.annulled):
            return False
        if self._folding:
            never = {bot for bot in fixture.combination if decisions.never(bot, label)} if decisions.out else set()
            part.fold.expect(fixture, never)
        if self.withdrawals.drops(fixture):
            return False
        if row is None:
            self.gaps += 1
        else:
            self.withdrawals.add(fixture, row)
        if self._folding:
            if self._block and self._block[0][0].block != fixture.block:
                self.close_block()
            self._block.append((fixture, row))
        return True

    def close_block(self) -> None:
        """End the open block, because a gate or the end follows."""
        if self._block:
            fixture = self._block[0][0]
            self._parts[fixture.contest.label, fixture.final].fold.add_block(self._block)
            self._block = []

    def reach(self, gate: Gate) -> bool:
        """Open the gate if all matches before it were played; return whether so."""
        self.close_block()
        if self.gaps:
            return False
        if gate.look is not None:
            rule = stopping_rule(gate.part.contest)
            gate.part.verdicts.append(look_at(self._ordered(gate.part), rule, gate.look, self._rated()))
        if gate.adaptive and gate.part.adaptive is not None:
            out = self.out(gate.part.contest.label).keys()
            gate.part.verdicts.append(gate.part.adaptive.judge(self._ordered(gate.part), self._rated() - out, out))
        if gate.played is not None:
            gate.played.points = gate.part.fold.points(gate.since)
        return True

    def ratings(self, part: Stage) -> Ratings | None:
        """The ratings of a contest so far."""
        counted = part.fold.rated(self.out(part.contest.label))
        return rate_results(self.programme, part.label, counted)

    def margins(self, part: Stage) -> Margins | None:
        """The margins of a contest so far, from the same matches as its ratings."""
        counted = part.fold.rated(self.out(part.contest.label))
        return margins_of(self.programme, part.label, counted)

    def out(self, contest: str) -> dict[str, str]:
        """Why bots are out of a contest, by bot.

        Faults exclude a bot from all contests, a decision only from some.
        """
        decided = self.withdrawals.decisions.out_of(contest)
        return {bot: str(why) for bot, why in self.withdrawals.out.items()} | {
            bot: absence.why.rstrip(".") for bot, absence in decided.items()
        }

    def _is_in(self, bot: str, contest: Contest, deal: int) -> bool:
        """Whether a bot still plays when a round begins with this deal."""
        absence = self.withdrawals.decisions.out.get(bot)
        counted = None if absence is None else absence.deals.get(contest.label)
        return bot not in self.withdrawals.out and (counted is None or counted > deal)

    def _ordered(self, part: Stage) -> Ratings | Margins | None:
        """The table by which a contest stops; None for no results."""
        stop = part.contest.form.stop
        return (self.margins(part) if stop is not None and stop.by == "points" else None) or self.ratings(part)

    def _rated(self) -> set[str]:
        return {bot.name for bot in self.programme.entrants if bot.rated}

    def _league(self, part: Stage) -> Iterator[Fixture | Gate]:
        contest, before = part.contest, 0
        if self._listed is not None and not hangs(contest):
            if contest.label not in self._listed:
                every = league_pairings(self.programme, contest, 0, contest.deals)
                self._listed[contest.label] = [*self._fixtures(part, every)]
            yield from self._listed[contest.label]
            return
        looks: Sequence[int] = (contest.deals,) if contest.form.stop is None else stopping_rule(contest).looks
        for look in looks:
            for fixture in self._fixtures(part, league_pairings(self.programme, contest, before, look - before)):
                if part.stopped:
                    return
                yield fixture
            if contest.form.stop is not None:
                yield Gate(part, look)
            if part.stopped:
                return
            before = look

    def _adaptive(self, part: Stage) -> Iterator[Fixture | Gate]:
        contest = part.contest
        logged = self.withdrawals.decisions.rounds.get(contest.label, {})
        part.adaptive = rounds = AdaptiveRounds(self.programme, contest, logged)
        while rounds.begin():
            yield from self._fixtures(part, play_depths(rounds.before, rounds.depths))
            yield Gate(part, adaptive=True)

    def _swiss(self, part: Stage) -> Iterator[Fixture | Gate]:
        yield Gate(part)  # so that earlier withdrawals are known
        contest = part.contest
        bots = [entrant.name for entrant in self.programme.players(contest)]
        score = dict.fromkeys(bots, 0.0)
        for number in range(contest.form.swiss_rounds(len(bots))):
            first = number * contest.deals
            score = {bot: points for bot, points in score.items() if self._is_in(bot, contest, first)}
            if len(score) < contest.seats:
                return
            pairs = swiss_round(score, [past.round for past in part.rounds], contest.seats, self._lots(part, score))
            yield from self._round(part, pairs, first, contest.deals)
            points = part.rounds[-1].points or {}
            score = {bot: round(sofar + points.get(bot, LEVEL), 9) for bot, sofar in score.items()}

    def _lots(self, part: Stage, bots: Iterable[str]) -> Mapping[str, bytes]:
        """Sort keys for bots with equal points in the next round of a Swiss night."""
        draw = f"{part.label}, round {len(part.rounds) + 1}"
        return {bot: self._secret.seed_order(draw, bot) for bot in bots}

    def _knockout(
        self, part: Stage, seeds: Sequence[str], advance: int | None, deals: int, first_deal: int
    ) -> Iterator[Fixture | Gate]:
        if not part.final:
            yield Gate(part)
        contest, first = part.contest, first_deal
        alive = tuple(bot for bot in seeds if self._is_in(bot, contest, first))
        while len(alive) >= contest.seats:
            tables = knockout_round(alive, contest.seats, advance)
            yield from self._round(part, tables, first, deals)
            played, first = part.rounds[-1], first + deals
            still = {bot for bot in alive if self._is_in(bot, contest, first)}
            points = {bot: (played.points or {}).get(bot, LEVEL) for bot in alive}
            through = survivors(alive, tables, {bot: points[bot] if bot in still else -1 for bot in alive})
            played.through = alive = tuple(bot for bot in through if bot in still)
            played.by_seed = by_seed(tables, points, alive, still.difference(alive))
            if len(tables.tables) == 1 and not tables.byes:
                return

    def _round(self, part: Stage, tables: Round, first_deal: int, deals: int) -> Iterator[Fixture | Gate]:
        played = PlayedRound(tables)
        gate = Gate(part, played=played, since=len(part.fold.results))
        part.rounds.append(played)
        yield from self._fixtures(part, tables.pairings(first_deal, deals))
        yield gate

    def _fixtures(self, part: Stage, pairings: Iterator[Pairing]) -> Iterator[Fixture]:
        found = fixtures_of(self.programme, part.contest, pairings, final=part.final)
        return map(self.withdrawals.decisions.current, found)

    def _drawn(self, contest: Contest) -> list[str]:
        """The bots of a knockout in seed order, which is drawn from the secret."""
        names = [entrant.name for entrant in self.programme.players(contest)]
        return sorted(names, key=lambda bot: self._secret.seed_order(contest.label, bot))

    def _ranking(self, part: Stage, deal: int) -> list[str]:
        """The rated bots of a contest that are still in at this deal, best first."""
        rated = {entrant.name for entrant in self.programme.players(part.contest) if entrant.rated}
        ratings = None if self._rehearsal else self.ratings(part)
        by_points = ratings is not None and self.programme.rate == "points"
        table = (self.margins(part) if by_points else None) or ratings
        order = sorted(rated) if table is None else [row.bot for row in table.rows if row.bot in rated]
        return [bot for bot in order if self._is_in(bot, part.contest, deal)]
