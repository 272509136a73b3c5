"""A night's programme: all that decides which matches are played, in schedule order.

It is made from a league file and kept in the night's log. Nothing else is needed to
know which matches there are. A match's id is the hash of what it is. So a resumed night
plays exactly the matches that its log lacks.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache, cached_property, lru_cache
from hashlib import sha256
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Any, Final, Literal

from pips_referee.game import AnyGame, Options, get_game
from pips_tourney.bots.executable import REMOTE
from pips_tourney.bots.process_name import ProcessName
from pips_tourney.league.form import USUAL_FAULT_MARGIN, FaultMargin, Format, Name, OrderedBy
from pips_tourney.league.suites import Deal, drawn_deals, read_suite
from pips_tourney.schedule import (
    Pairing,
    balance,
    balanced_orders,
    balanced_tables,
    cyclic_orders,
    gauntlet,
    play_deals,
    play_once,
    reseated,
    round_robin,
)
from pips_tourney.secret import Secret, as_json, canonical

if TYPE_CHECKING:
    from pydantic import TypeAdapter

    from pips.v1 import referee_pb2
    from pips_referee.record import Header
    from pips_tourney.league.entries import GameEntry
    from pips_tourney.league.file import LeagueFile
    from pips_tourney.league.league import League

ID_BYTES: Final = 16
METHOD: Final = 5
"""How nights are drawn and rated. Those of another method are refused."""


Orders = Literal["cyclic", "balanced"]


@dataclass(frozen=True)
class Contest:
    """One game of the night, with its options and seats."""

    label: Name
    game: Name
    rules_version: int
    seats: int
    options: Mapping[str, Any]
    deals: int
    """How many of the night's deals every combination plays.

    It is the maximum where results may stop the contest. In a Swiss tournament and a
    knockout it holds for every round.
    """
    form: Format = field(default_factory=Format)
    orders: Orders = "cyclic"
    """The orders at its tables: `cyclic_orders`, or `balanced_orders`."""

    @cached_property
    def rules(self) -> tuple[AnyGame, Options]:
        """Its game, and the options of it."""
        game = get_game(self.game)
        return game, game.options(self.options)

    @property
    def matches_a_deal(self) -> int:
        """Matches of a deal that every combination plays."""
        return self.seats if self.form.duplicate else 1

    def part_label(self, *, final: bool) -> str:
        """The label of the contest's table, or of its final's, in the standings.

        The final's label is unique: no contest's label holds a comma.
        """
        return f"{self.label}, final" if final else self.label


@dataclass(frozen=True)
class Entrant:
    """A player of the night.

    `fingerprints` are by the games it plays. A house bot that fills a seat is not
    rated.
    """

    name: Name
    fingerprints: Mapping[str, str]
    rated: bool = True


@dataclass(frozen=True)
class Anchor:
    """The bot whose rating is fixed."""

    name: str
    elo: float


@dataclass(frozen=True)
class Programme:
    """What a night plays.

    Two nights with equal programmes and one secret have the same matches.
    """

    league: str
    contests: tuple[Contest, ...]
    entrants: tuple[Entrant, ...]
    deals: tuple[Deal, ...]
    clock: Mapping[str, int]
    """As in referee.proto."""
    anchor: Anchor | None = None
    forfeits: Literal["loss", "unrated"] = "loss"
    """How ratings count a match with a fault."""
    max_faults: int | None = None
    """This many faults take a bot out for the rest of the night."""
    method: int = METHOD
    """`METHOD` when the night began."""
    rate: OrderedBy = "results"
    """What the order of a game's table is decided by."""
    fault_margin: FaultMargin = USUAL_FAULT_MARGIN
    """How margins take a match with a fault."""

    @cached_property
    def digest(self) -> str:
        return sha256(canonical(self.dump())).hexdigest()

    def dump(self) -> dict[str, Any]:
        """The programme as JSON values."""
        parts = [part.name for part in fields(self) if part.name != "deals"]
        dumped = {name: as_json(getattr(self, name)) for name in parts}
        dumped["deals"] = [[*deal] for deal in self.deals]
        return dumped

    def players(self, contest: Contest) -> tuple[Entrant, ...]:
        """The rated bots, and house bots if there are too few of them for the seats."""
        here = [entrant for entrant in self.entrants if contest.game in entrant.fingerprints]
        rated = [entrant for entrant in here if entrant.rated]
        house = [entrant for entrant in here if not entrant.rated]
        return (*rated, *house[: max(0, contest.seats - len(rated))])

    def copies(self, *games: str) -> tuple[tuple[str, ...], ...]:
        """The names of bots that are one bot in truth: the same command and files."""
        alike: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
        for entrant in self.entrants:
            marks = tuple(entrant.fingerprints.get(game, "") for game in games)
            if not {"", REMOTE} & {*marks}:
                alike[marks].append(entrant.name)
        return tuple(tuple(sorted(bots)) for bots in alike.values() if len(bots) > 1)


@cache
def _adapter() -> TypeAdapter[Programme]:
    from pydantic import TypeAdapter  # who plays two bots reads no programme

    return TypeAdapter(Programme)


def load_programme(dumped: object) -> Programme:
    """Load a programme from its dump; `ValidationError` if it holds what none can.

    Files and folders are called after its games, bots and contests. So a label that is
    no name, such as `../x`, is refused here and reaches no path.
    """
    return _adapter().validate_python(dumped)


@dataclass(frozen=True, slots=True)
class Fixture:
    """One match of the schedule."""

    match_id: str
    contest: Contest
    deal: Deal
    combination: tuple[str, ...]
    rotation: int
    seating: tuple[str, ...]
    players: tuple[tuple[str, str], ...]
    """The combination's bots with their fingerprints: the deal belongs to them."""
    block: str
    """The name of its deal for these bots.

    It counts when it was played in all rotations. Where only one rotation is played, it
    names what that rotation plays.
    """
    attempt: int = 0
    """How often the director has had it replayed."""
    final: bool = False
    """Whether it belongs to the knockout at the end of its contest."""
    redeal: int = 0
    """How often its block was dealt afresh."""

    @property
    def part(self) -> str:
        """The label of the table in which it counts."""
        return self.contest.part_label(final=self.final)

    @property
    def times(self) -> int:
        """How often it was to be played before."""
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
        from pips_referee.record import Header  # who only reads a night needs no protobuf

        contest = self.contest
        game, options = contest.rules
        seed = secret.deal_seed(contest.game, contest.options, self.players, self.deal.seed, self.redeal)
        return Header(self.match_id, game, options, self.seating, seed, secret.nonce(self.match_id))

    def order(self, secret: Secret, clock: Mapping[str, int]) -> referee_pb2.MatchOrder:
        """The order that the referee receives."""
        from pips.v1 import referee_pb2

        order = referee_pb2.MatchOrder(
            processes=self.processes,
            rng_seeds=[secret.rng_seed(self.match_id, seat) for seat in range(len(self.seating))],
            clock=referee_pb2.Clock(**clock),
        )
        self.header(secret).write(order.header)
        return order


def fixtures(programme: Programme) -> Iterator[Fixture]:
    """All matches of round-robins and gauntlets played to their end, in schedule order.

    That is contest by contest, every deal in all rotations. `live_schedule.py` has the
    schedules that depend on results.
    """
    for contest in programme.contests:
        yield from fixtures_of(programme, contest, league_pairings(programme, contest, 0, contest.deals))


def possible_fixtures(programme: Programme) -> Iterator[Fixture]:
    """All matches that may ever be needed, whatever the results."""
    for contest in programme.contests:
        if contest.form.has_rounds:
            names = sorted(entrant.name for entrant in programme.players(contest))
            every = play_deals(combinations(names, contest.seats), len(programme.deals))
        else:
            every = league_pairings(programme, contest, 0, contest.deals)
        yield from fixtures_of(programme, contest, every)


def league_pairings(programme: Programme, contest: Contest, first_deal: int, deals: int) -> Iterator[Pairing]:
    """This many deals of every combination of a round-robin or gauntlet."""
    names = [entrant.name for entrant in programme.players(contest)]
    form = contest.form
    if form.hero is None:
        return round_robin(names, contest.seats, deals, form.max_tables, first_deal)
    field = [name for name in names if name != form.hero]
    return gauntlet(form.hero, field, contest.seats, deals, form.max_tables, first_deal)


def choice_of(programme: Programme, contest: Contest) -> str:
    """How even a choice of tables is, if not all tables are played; else empty."""
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

    @lru_cache(maxsize=1)  # most matches are of the same deal as the one before
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
    if contest.orders == "balanced":
        deals_a_turn = 1 if contest.form.duplicate else contest.seats
        pairings = (reseated(pair, deals_a_turn) for pair in pairings)
    for pairing in pairings:  # an id hashes a JSON list, which is joined here from parts: most parts have come before
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


def make_programme(league: League) -> Programme:
    """Make a league's programme; reads its suite and its bots' files."""
    from pips_tourney.league.entries import ClockEntry  # who only reads a night needs no league file
    from pips_tourney.league.file import label_of

    league = league if league.contents is not None else league.with_contents()
    file = league.file
    contests = tuple(_contest(entry, label_of(entry, file.games), file) for entry in file.games)
    games = sorted({contest.game for contest in contests})
    entrants = tuple(
        Entrant(bot.name, {game: league.fingerprint(bot, game) for game in games if bot.plays(game)}, bot in file.bots)
        for bot in sorted(league.players(max(contest.seats for contest in contests)), key=lambda bot: bot.name)
    )
    anchor = None if file.anchor is None else Anchor(file.anchor.name, file.anchor.elo)
    clock = ClockEntry(answer_ms=0) if file.debug else file.clock
    decided = (file.forfeits, file.max_faults, METHOD, file.rate, file.fault_margin)
    programme = Programme(league.name, contests, entrants, (), clock.settings(), anchor, *decided)
    count = max(c.form.all_deals(len(programme.players(c)), c.seats, c.deals) for c in contests)
    dealt = drawn_deals(count) if file.suite is None else read_suite(file.suite, league.folder)[:count]
    return replace(programme, deals=dealt)


def _contest(entry: GameEntry, label: str, file: LeagueFile) -> Contest:
    game = get_game(entry.name)
    options = game.options(entry.options)
    seats = entry.seats or game.seats(options)[0]
    deals, form = file.deals_of(entry), file.form_of(entry)
    # Adaptive rounds are whole turns of the cyclic orders.
    uneven = balanced_orders(seats) != cyclic_orders(seats) and not form.is_adaptive
    orders: Orders = "balanced" if uneven else "cyclic"
    return Contest(label, game.name, game.rules_version, seats, options.named(), deals, form, orders)
