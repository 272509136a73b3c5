"""The matches of a programme, in schedule order.

A match's id is the hash of everything that defines it. So a resumed night plays exactly
the matches that its log lacks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from hashlib import sha256
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from pips_tourney.bots.process_name import ProcessName
from pips_tourney.league.suites import Deal
from pips_tourney.night.plan.programme import Contest, Programme
from pips_tourney.schedule.balance import balance, balanced_tables
from pips_tourney.schedule.league import gauntlet, round_robin
from pips_tourney.schedule.tables import Pairing, play_deals, play_once
from pips_tourney.secret import Secret, canonical

if TYPE_CHECKING:
    from pips.v1 import referee_pb2
    from pips_referee.records.record import Header

ID_BYTES: Final = 16


class Fixture(Struct, frozen=True):
    """One match of the schedule."""

    match_id: str
    contest: Contest
    deal: Deal
    combination: tuple[str, ...]
    rotation: int
    seating: tuple[str, ...]
    players: tuple[tuple[str, str], ...]
    """The combination's bots with their fingerprints; the deal depends on them."""
    block: str
    """The contest, the deal and the bots, by name.

    A block counts once it was played in all its rotations.
    """
    attempt: int = 0
    """How often the director has had the match replayed."""
    final: bool = False
    """Whether it belongs to the knockout at the end of its contest."""
    redeal: int = 0
    """How often its block was dealt anew."""

    @property
    def part(self) -> str:
        """The label of the table in which the match counts."""
        return self.contest.part_label(final=self.final)

    @property
    def times(self) -> int:
        """How often the match was to be played before."""
        return self.attempt + self.redeal

    @property
    def processes(self) -> tuple[str, ...]:
        """Process names by seat.

        Rotation r is played by process r of a bot. A replay is played by a process that
        never saw the match.
        """
        turn = f"{self.rotation}.{self.times}" if self.times else str(self.rotation)
        return tuple(str(ProcessName(name, self.contest.label, turn)) for name in self.seating)

    def header(self, secret: Secret) -> Header:
        """The match's header, known before its first question."""
        from pips_referee.records.record import Header  # reading a night should need no protobuf

        contest = self.contest
        game, options = contest.rules
        seed = secret.deal_seed(contest.game, contest.options, self.players, self.deal.seed, self.redeal)
        return Header(self.match_id, game, options, self.seating, seed, secret.nonce(self.match_id))

    def order(self, secret: Secret, clock: Mapping[str, int]) -> referee_pb2.MatchOrder:
        """The order for the referee."""
        from pips.v1 import referee_pb2

        order = referee_pb2.MatchOrder(
            processes=self.processes,
            rng_seeds=[secret.rng_seed(self.match_id, seat) for seat in range(len(self.seating))],
            clock=referee_pb2.Clock(**clock),
        )
        self.header(secret).write(order.header)
        return order


def fixtures(programme: Programme) -> Iterator[Fixture]:
    """All matches of complete round-robins and gauntlets, in schedule order.

    They come contest by contest, every deal in all rotations. `live_schedule.py` has
    the schedules that depend on results.
    """
    for contest in programme.contests:
        yield from fixtures_of(programme, contest, league_pairings(programme, contest, 0, contest.deals))


def possible_fixtures(programme: Programme) -> Iterator[Fixture]:
    """All matches that any results could make necessary."""
    for contest in programme.contests:
        if contest.form.has_rounds:
            names = sorted(entrant.name for entrant in programme.players(contest))
            every = play_deals(combinations(names, contest.seats), len(programme.deals))
        else:
            every = league_pairings(programme, contest, 0, contest.deals)
        yield from fixtures_of(programme, contest, every)


def league_pairings(programme: Programme, contest: Contest, first_deal: int, deals: int) -> Iterator[Pairing]:
    """A range of deals for every combination of a round-robin or gauntlet."""
    names = [entrant.name for entrant in programme.players(contest)]
    form = contest.form
    if form.hero is None:
        return round_robin(names, contest.seats, deals, form.max_tables, first_deal)
    field = [name for name in names if name != form.hero]
    return gauntlet(form.hero, field, contest.seats, deals, form.max_tables, first_deal)


def choice_of(programme: Programme, contest: Contest) -> str:
    """How balanced the choice of tables is, if not all are played; else empty."""
    form, bots = contest.form, len(programme.players(contest))
    if form.schedule not in ("round-robin", "gauntlet"):
        return ""
    hero = form.hero is not None
    field, seats = bots - hero, contest.seats - hero
    if (every := comb(field, seats)) <= form.max_tables:
        return ""
    spread = balance(field, balanced_tables(field, seats, form.max_tables))
    played, met = ("to ".join(f"{end} " for end in dict.fromkeys(ends)) for ends in (spread.tables, spread.meetings))
    others = f", and two of them meet at {met}" if seats > 1 else ""
    return (
        f"{contest.label}: {form.max_tables} of {every} combinations are played; a bot sits at {played}of them{others}"
    ).rstrip()


def fixtures_of(
    programme: Programme, contest: Contest, pairings: Iterable[Pairing], *, final: bool = False
) -> Iterator[Fixture]:
    """The matches of pairings."""
    prints = {entrant.name: entrant.fingerprints[contest.game] for entrant in programme.players(contest)}
    head = canonical(["match", contest.game, contest.rules_version, contest.options, programme.clock])

    @cache
    def players(names: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
        return tuple((name, prints[name]) for name in names)

    @lru_cache(maxsize=1)  # most matches have the same deal as the one before
    def dealt(deal: Deal) -> bytes:
        return b"%b,%b" % (head[:-1], canonical(deal.seed))

    deal_at = lru_cache(maxsize=1)(programme.deals.__getitem__)  # shared by its rotations

    @lru_cache(maxsize=1)
    def block_of(deal: Deal, names: tuple[str, ...]) -> str:
        return "/".join((contest.label, deal.name, *names))

    @cache
    def seated(names: tuple[str, ...]) -> bytes:
        return canonical(players(names))

    if not contest.form.duplicate:
        pairings = (play_once(pair.combination, pair.deal) for pair in pairings if pair.rotation == 0)
    for pairing in pairings:  # an id hashes a JSON list, joined here from cached parts
        deal, seating, names = deal_at(pairing.deal), pairing.seating, pairing.combination
        what = b"%b,%d,%b]" % (dealt(deal), pairing.rotation, seated(seating))
        match_id = sha256(what).hexdigest()[: 2 * ID_BYTES]
        block = block_of(deal, names)
        yield Fixture(match_id, contest, deal, names, pairing.rotation, seating, players(names), block, final=final)


def most_matches(programme: Programme) -> int:
    """The most matches that the programme can have, computed without listing them.

    Rounds that depend on results are left out.
    """
    count = 0
    for contest in programme.contests:
        hero = contest.form.hero is not None
        combinations_ = comb(len(programme.players(contest)) - hero, contest.seats - hero)
        count += min(combinations_, contest.form.max_tables) * contest.deals * contest.matches_a_deal
    return count
