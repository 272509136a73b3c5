"""What a new version changes on the deals of a finished night.

The night's secret is out, so nothing leaks, and these matches are not rated. The new
version takes the old one's seat, with the same cards, opponents and luck.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import count
from pathlib import Path
from time import monotonic
from typing import Any, Final

from msgspec import structs

from pips.v1 import record_pb2, referee_pb2
from pips_referee.records.record import read_record
from pips_referee.records.replay import replay_pages
from pips_tourney.arena.exchange import ArenaLost, VoidMatch
from pips_tourney.engines import EngineError
from pips_tourney.engines.choice import make_engine
from pips_tourney.engines.local import LocalEngine
from pips_tourney.league.league import League
from pips_tourney.league.read import read_league
from pips_tourney.league.submissions import roster
from pips_tourney.night.director import Office
from pips_tourney.night.log.file_watch import private_files
from pips_tourney.night.log.store import read_store
from pips_tourney.night.night import Night, last_night, nights
from pips_tourney.night.plan.decisions import BY_AUTHOR
from pips_tourney.night.plan.fixtures import ID_BYTES, Fixture
from pips_tourney.night.plan.from_league import make_programme
from pips_tourney.night.plan.programme import Contest
from pips_tourney.play.rerun import answers_of
from pips_tourney.reports.own_records import own_record
from pips_tourney.workshop.duels.compare import ELO, PARTED, Differences, PairedDeal
from pips_tourney.workshop.duels.compare_report import answer

BUDGET_S: Final = 20.0
"""How long one core plays for a version, including starts, in seconds."""
STEADY: Final = 10
"""How many matches of the old version are replayed, to see if answers repeat."""

Order = referee_pb2.MatchOrder
Play = Callable[[Order], Awaitable[bytes]]
"""Plays a match and returns its record; b"" if it could not be played."""
Json = dict[str, Any]


@dataclass(eq=False)
class Replay:
    """The deals of one contest, played by two versions."""

    night: Night
    old: str
    new: str
    differences: Differences = field(init=False)
    steady: bool = True
    """Whether the old version and its opponents answered as they did in the night."""

    def __post_init__(self) -> None:
        self.differences = Differences(ELO)

    def order(self, fixture: Fixture, bot: str) -> Order:
        """The order of a match of the night, with `bot` in the old version's seat."""
        seating = tuple(bot if name == self.old else name for name in fixture.seating)
        match_id = sha256(f"{bot} {fixture.match_id}".encode()).hexdigest()[: 2 * ID_BYTES]
        secret = self.night.secret
        order = structs.replace(fixture, seating=seating, match_id=match_id).order(secret, self.night.programme.clock)
        order.rng_seeds[:] = [secret.rng_seed(fixture.match_id, seat) for seat in range(len(seating))]
        return order

    async def play(self, deals: Sequence[Sequence[Fixture]], play: Play, at_once: int, until: float) -> None:
        """Play deals in their order, as long as there is time."""
        stored = self.night.store.rows([fixture.match_id for deal in deals for fixture in deal])
        records = {match_id: row.record for match_id, row in stored.items()}
        tried = [deal[0] for deal in deals[:STEADY]]
        again = await asyncio.gather(*(play(self.order(fixture, self.old)) for fixture in tried))
        late = any(fault.kind == "timeout" for row in stored.values() for fault in row.seat_faults)
        self.steady = not late and all(
            record and answers_of(record) == answers_of(records[fixture.match_id])
            for fixture, record in zip(tried, again, strict=True)
        )
        gate = asyncio.Semaphore(max(1, at_once // len(deals[0])))

        async def one(number: int, deal: Sequence[Fixture]) -> PairedDeal | None:
            async with gate:
                known = records if self.steady else {}
                return await self._deal(number, deal, play, known) if monotonic() < until else None

        for deal in await asyncio.gather(*map(one, count(1), deals)):
            if deal is not None:
                self.differences.add(deal)

    async def _deal(
        self, number: int, deal: Sequence[Fixture], play: Play, records: Mapping[str, bytes]
    ) -> PairedDeal | None:
        """A deal for both versions; None if an opponent or the machine failed."""
        news = await asyncio.gather(*(play(self.order(fixture, self.new)) for fixture in deal))
        olds = [records.get(fixture.match_id) or await play(self.order(fixture, self.old)) for fixture in deal]
        pairs = []
        for fixture, new, old in zip(deal, news, olds, strict=True):
            seat = fixture.seating.index(self.old)
            if not all(record and _faulted(record) <= {seat} for record in (new, old)):
                return None
            seats = self.differences.seat(new, self.new), self.differences.seat(old, self.old)
            pairs.append((*seats, seat))
        others = ", ".join(name for name in deal[0].combination if name != self.old)
        return PairedDeal.of(number, others, pairs)

    def lines(self, contest: Contest) -> Iterator[str]:
        """The result, in sentences."""
        deals = self.differences.deals
        if not deals:
            yield f"{contest.label}: no deal could be played again."
            return
        bots = len({name for deal in deals for name in deal.other.split(", ")})
        yield f"{contest.label}: {answer(self.differences, fixed=True)}. It met {bots} of the bots that {self.old} met."
        if not self.steady:
            yield f"Matches of {self.old} were played again, and not everybody answered as before: so both play now."

    def parted(self) -> Iterator[Json]:
        """The first deals that the change affected, as the author may see them."""
        for deal in [deal for deal in self.differences.changed if deal.parting is not None][:PARTED]:
            assert deal.parting is not None
            seat = deal.parting.seat
            new, old = (own_record("", record, seat).data for record in deal.parting.records)
            line = f"against {deal.other}: {replace(deal.parting, records=(new, old)).line()}"
            pages = replay_pages(read_record(new), seat)
            yield {"line": line, "replay": "\n".join(row for page in pages for row in [*page, ""])}


def _faulted(record: bytes) -> set[int]:
    return {fault.seat for fault in record_pb2.MatchRecord.FromString(record).outcome.faults}


def deals_of(night: Night, old: str, contest: Contest, left_out: Mapping[str, str]) -> list[list[Fixture]]:
    """The deals that an old version has completed, grouped by table.

    Deals with faults of other bots are left out.
    """
    deals: defaultdict[str, list[Fixture]] = defaultdict(list)
    for step in night.walk():
        fixture, row = step.fixture, step.row
        if row is None or fixture.contest.label != contest.label or old not in fixture.seating:
            continue
        failed = {fixture.seating[fault.seat] for fault in row.seat_faults}
        if failed <= {old} and left_out.keys().isdisjoint(fixture.seating):
            deals[fixture.block].append(fixture)
    whole = [deal for deal in deals.values() if len(deal) == contest.matches_a_deal]
    return sorted(whole, key=lambda deal: sha256("/".join(deal[0].combination).encode()).digest())


def what_changed(database: Path, league_file: Path, running: Path, folder: Path, new: str, *earlier: str) -> Json:
    """Play the deals of a finished night with a new version, and report the changes.

    `earlier` are the author's earlier versions, newest first; the first of them that
    played that night is the old one. The result is empty if none did. `running` is the
    database of the current night, which no bot may read.
    """
    with read_store(database) as store:
        night = last_night(store)
        bots = Office(night).bots()
        old = next((name for name in earlier if name in bots), "")
        if not old or new in bots or not night.is_ended():
            return {}
        league, left_out = _league(league_file, night, folder, new)
        left_out |= dict.fromkeys(_withdrawn(running) & bots, BY_AUTHOR)
        if old in left_out:
            return {"lines": [f"{old} is not played again: {left_out[old]}."], "deals": []}
        which = database.stem.rpartition(".")[2]
        told = f"on deals of night {which}. You could have seen these: on fresh ones it may gain less"
        lines, parted = [f"{new} beside {old}, {told}."], list[Json]()
        played = [(each, deals) for each in night.programme.contests if (deals := deals_of(night, old, each, left_out))]
        for contest, deals in played:
            replay = Replay(night, old, new)
            asyncio.run(_in_arena(replay, deals, league, private_files(running), BUDGET_S / len(played)))
            lines += replay.lines(contest)
            parted += replay.parted()
        lines += [] if played else [f"No deal of {old} can be played again."]
        lines += [f"Without {bot}: {why}." for bot, why in sorted(left_out.items())]
        return {"lines": lines, "deals": parted}


def _withdrawn(running: Path) -> set[str]:
    """The bots that their authors withdrew from the current night."""
    if not running.exists():
        return set()
    with read_store(running) as store:
        out = last_night(store).decisions().out if nights(store) else {}
    return {bot for bot, absence in out.items() if absence.why.endswith(BY_AUTHOR)}


def _league(league_file: Path, night: Night, folder: Path, new: str) -> tuple[League, dict[str, str]]:
    """The league with the new version, and by bot why it cannot play now."""
    league = read_league(league_file).joined_by(night.decisions().added.values())
    left_out = {bot.name: bot.why_not_again for bot in league.file.bots if bot.why_not_again}
    here = [bot for bot in league.file.bots if not bot.why_not_again]
    league = replace(league, file=league.file.model_copy(update={"bots": here, "engine": "local"})).installed()
    now = {entrant.name: entrant.fingerprints for entrant in make_programme(league).entrants}
    for entrant in night.programme.entrants:
        if now.get(entrant.name) != dict(entrant.fingerprints):
            left_out.setdefault(entrant.name, "it is not here as it was in the night")
    entry = {**roster([{"path": folder.name, "name": new}], folder.parent).entries[0], "optional": True}
    return league.joined_by([{**entry, "cwd": str((folder.parent / entry["cwd"]).resolve())}]).installed(), left_out


async def _in_arena(
    replay: Replay, deals: Sequence[Sequence[Fixture]], league: League, private: Iterator[Path], seconds: float
) -> None:
    """Play on one core, with the bots' start-up on the same core."""
    until = monotonic() + seconds
    engine = make_engine(league, replay.night.programme, 1, league.sandbox(private))
    assert isinstance(engine, LocalEngine)

    try:
        async with engine.new_arena(0) as arena:

            async def play(order: Order) -> bytes:
                try:
                    return await arena.play(order)
                except VoidMatch:
                    return b""

            await replay.play(deals, play, league.file.tables, until)
    except ArenaLost as lost:
        raise EngineError(str(lost)) from None
