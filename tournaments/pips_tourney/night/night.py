"""A night as stored in its database.

That is its programme, its secret, and its results in the order of the schedule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain, groupby, islice
from typing import Any, Final, NamedTuple, TypeVar

from pydantic import ValidationError

from pips_referee.errors import GameProblem, UnknownGame
from pips_referee.game import get_game
from pips_tourney.night.log.commitment import first_mistake
from pips_tourney.night.log.kinds import BEGUN, DECIDING, ENDED, OUT_OF_TURN, PAUSE, RESUME, ROUND
from pips_tourney.night.log.store import Entry, Row, Store, StoreError, copied, secret_of
from pips_tourney.night.plan.decisions import Decisions, decide
from pips_tourney.night.plan.fixtures import Fixture, fixtures
from pips_tourney.night.plan.live_schedule import LiveSchedule
from pips_tourney.night.plan.programme import METHOD, Contest, Programme, load_programme
from pips_tourney.night.plan.stages import Gate
from pips_tourney.secret import Secret

T = TypeVar("T")
CHUNK: Final = 500


LookUp = Callable[[Sequence[str]], dict[str, Row]]


KnownFaults = tuple[Sequence[str], list[str]]
"""The bots of a match, and those of them that made a fault in it."""


class ScheduleStep(NamedTuple):
    """A match of the schedule, its result if it has one, and whether it is kept.

    A match is kept if it is to be played and counts.
    """

    fixture: Fixture
    row: Row | None
    kept: bool


class NightDigest:
    """The digest of a night, computed step by step; see `Night.digest`."""

    def __init__(self) -> None:
        self._whole = sha256()

    def add(self, step: ScheduleStep) -> None:
        if step.kept:
            row = step.row
            self._whole.update(step.fixture.match_id.encode() + (row.sha256 if row is not None else b"-"))

    def hexdigest(self) -> str:
        return self._whole.hexdigest()


@dataclass(frozen=True, slots=True)
class Night:
    """A programme that was begun, and the store of its results."""

    store: Store
    programme: Programme
    secret: Secret
    before: int | None = None
    """The number of a log entry; later decisions are ignored. None: all count."""
    supposed: tuple[Entry, ...] = ()
    """Hypothetical decisions, which come after all others."""
    reader: LookUp | None = None
    """Looks up results instead of the store."""
    listed: dict[str, list[Fixture]] | None = None
    """Keeps matches from one walk to the next, while the decisions stay the same."""

    def decisions(self) -> Decisions:
        """The decisions in force."""
        entries = (entry for entry in self.store.log(*DECIDING) if self.before is None or entry.seq < self.before)
        return decide(chain(entries, self.supposed), self.programme)

    def course(self, *, folding: bool = False) -> LiveSchedule:
        """A new `LiveSchedule` of the night; it can be walked through only once."""
        return LiveSchedule(self.programme, self.secret, self.decisions(), folding=folding, listed=self.listed)

    def look_up(self, ids: Sequence[str]) -> dict[str, Row]:
        """The results of these matches, by match, without their records."""
        return (self.reader or self.store.results)(ids)

    def walk(self, course: LiveSchedule | None = None, look_up: LookUp | None = None) -> Iterator[ScheduleStep]:
        """The matches of the schedule, as far as results determine it.

        Rows have no records, unless `look_up` provides them.
        """
        course = course or self.course()
        for contest in self.programme.contests:
            yield from self._walk(course, contest, look_up or self.look_up)
        course.close_block()

    def fixtures(self) -> Iterator[Fixture]:
        """The matches of the schedule, as they count.

        They go as far as results determine the schedule. A replay replaces the first
        attempt.
        """
        return (step.fixture for step in self.walk())

    def seatings(self) -> dict[str, Fixture]:
        """The matches by id, with their deals and seatings."""
        return {fixture.match_id: fixture for fixture in self.fixtures()}

    def records(self) -> Iterator[tuple[Fixture, Row | None]]:
        """The matches with their results and records."""
        return ((step.fixture, step.row) for step in self.walk(look_up=self.store.rows))

    def _walk(self, course: LiveSchedule, contest: Contest, look_up: LookUp) -> Iterator[ScheduleStep]:
        chunk: list[Fixture] = []
        for item in chain(course.items(contest), (None,)):
            if isinstance(item, Fixture):
                chunk.append(item)
                if len(chunk) < CHUNK:
                    continue
            rows = look_up([fixture.match_id for fixture in chunk])
            for fixture in chunk:
                row = rows.get(fixture.match_id)
                yield ScheduleStep(fixture, row, course.add(fixture, row))
            chunk = []
            if isinstance(item, Gate) and not course.reach(item):
                return

    def beyond(self, course: LiveSchedule) -> Iterator[Fixture]:
        """Matches played after a gate had made them needless.

        They are stored but do not count.
        """
        for contest in self.programme.contests:
            for ahead in course.beyond(contest):
                stored = self.store.stored([fixture.match_id for fixture in ahead])
                if not stored:
                    break
                yield from (fixture for fixture in ahead if fixture.match_id in stored)

    def kept(self) -> Iterator[tuple[Fixture, Row | None]]:
        """The matches that are to be played and count, with their results.

        Matches of bots withdrawn before them are left out, and so are annulled ones.
        """
        return ((step.fixture, step.row) for step in self.walk() if step.kept)

    def count(self, faulted: list[KnownFaults] | None = None) -> tuple[int, int]:
        """How many matches there are to play, and how many of them have a result.

        The first number includes only matches known so far. If faults decide what is
        played, each result is added to `faulted`.
        """
        scheduled = played = 0
        if (course := self.course()).watches:
            for fixture, row in self.kept():
                scheduled += 1
                if row is not None:
                    played += 1
                    if faulted is not None:
                        faulted.append((fixture.seating, [fixture.seating[fault.seat] for fault in row.seat_faults]))
            return scheduled, played
        current = map(course.withdrawals.decisions.current, fixtures(self.programme))
        for chunk in chunks(current, CHUNK):
            scheduled += len(chunk)
            played += len(self.store.stored([fixture.match_id for fixture in chunk]))
        return scheduled, played

    def complete_deals(self, bot: str) -> dict[str, int]:
        """By contest, how many deals, counted from the first, a bot has completed.

        A deal is complete once it was played against everybody and from every seat.
        """
        numbers = {deal.name: number for number, deal in enumerate(self.programme.deals)}
        known = dict.fromkeys((contest.label for contest in self.programme.contests), 0)
        if bot not in {entrant.name for entrant in self.programme.entrants}:
            return known  # the bot was added, and the night was not played since
        complete: dict[str, int] = {}
        for _, pairs in groupby(self.kept(), lambda pair: pair[0].block):
            block = list(pairs)
            fixture = block[0][0]
            label, number = fixture.contest.label, numbers[fixture.deal.name]
            known[label] = max(known[label], number + 1)
            if bot in fixture.combination and any(row is None for _, row in block):
                complete[label] = min(complete.get(label, number), number)
        return known | complete

    def digest(self) -> str:
        """SHA-256 over all matches that count, in schedule order.

        For each match it hashes the id and the record's SHA-256.
        """
        whole = NightDigest()
        for step in self.walk():
            whole.add(step)
        return whole.hexdigest()

    def out_of_turn_us(self) -> dict[str, dict[str, int]]:
        """By match and bot, the CPU time used out of turn, in microseconds.

        Only amounts large enough for a log entry are known. Each match counts once.
        """
        found: dict[str, dict[str, int]] = {}
        for entry in self.store.log(OUT_OF_TURN):
            found.setdefault(entry.payload["match"], entry.payload["us"])
        return found

    def is_ended(self) -> bool:
        """Whether this night has ended and no decision was made since.

        Its end, which reveals its secret, is then in the log.
        """
        changing = [kind for kind in DECIDING if kind not in (PAUSE, RESUME, ROUND)]
        return self.store.last(ENDED) > self.store.last(BEGUN, *changing)


def nights(store: Store) -> list[Programme]:
    """The programmes that were begun in a database, oldest first.

    Each replaces the previous one.
    """
    try:
        for entry in store.log(BEGUN):
            _refuse_others(store, entry.payload["programme"])
        programmes = [load_programme(entry.payload["programme"]) for entry in store.log(BEGUN)]
    except KeyError as error:
        raise StoreError(f"{store.path}: its log cannot be read: a night has no {error}") from None
    except ValidationError as error:
        raise StoreError(f"{store.path}: its log cannot be read: {first_mistake(error)}") from None
    for contest in (contest for programme in programmes for contest in programme.contests):
        _refuse_other_rules(store, contest)
    return programmes


def _refuse_other_rules(store: Store, contest: Contest) -> None:
    """Refuse a night played under other rules: all its records would seem wrong."""
    try:
        here = get_game(contest.game).rules_version
    except (UnknownGame, GameProblem) as error:
        raise StoreError(f"{store.path}: it cannot be read without its games: {error}") from None
    if here != contest.rules_version:
        raise StoreError(
            f"{store.path}: it was played by version {contest.rules_version} of {contest.game}'s rules, and here they "
            f"are of version {here}: only the version that played it can show and verify it"
        )


def _refuse_others(store: Store, programme: Any) -> None:
    method = programme.get("method") if isinstance(programme, dict) else METHOD
    if isinstance(method, int | None) and method != METHOD:
        raise StoreError(
            f"{store.path}: another version of Pips began this night (its ratings are of method {method or 1}, here "
            f"they are of method {METHOD}): only that version shows and verifies it"
        )


def last_night(store: Store) -> Night:
    """The night in a database; raises `StoreError` if none was begun."""
    programmes, secret = nights(store), secret_of(store)
    if not programmes or secret is None:
        raise StoreError(f"{store.path}: no night was begun in it{copied(store.path)}")
    return Night(store, programmes[-1], secret)


def chunks(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Lists of `size` items each; the last one may be shorter."""
    iterator = iter(items)
    while chunk := list(islice(iterator, size)):
        yield chunk
