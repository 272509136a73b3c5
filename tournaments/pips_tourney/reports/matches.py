"""The matches of a night as a list: of all bots, or of one."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Final

from pips_referee.printable import plain
from pips_tourney.night.log.rows import Row
from pips_tourney.night.log.store import Store, StoreError
from pips_tourney.night.night import ScheduleStep, last_night
from pips_tourney.reports.exports import harmless
from pips_tourney.reports.own_records import SHORT

SEAT_COLUMNS: Final = (
    "match", "game", "contest", "deal", "rotation", "block", "counts", "seat", "bot", "place", "score", "fault",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Listed:
    """A match in the list, its bots by seat."""

    match: str
    game: str
    contest: str
    """The contest's label; "" for a match that is no longer in the schedule."""
    deal: str
    rotation: int | None
    block: str
    """The deal for these bots, which statistics count as one."""
    counts: bool
    bots: tuple[str, ...]
    places: tuple[int, ...]
    scores: tuple[int, ...]
    faults: tuple[str, ...]
    """The kind of fault by seat; "" for a seat without one."""


def matches(store: Store, bot: str = "") -> list[Listed]:
    """The matches in the order in which they were played.

    With `bot`, only those of this bot. Raises `StoreError` if there are none.
    """
    steps = {step.fixture.match_id: step for step in last_night(store).walk()}
    found = [_listed(row, steps.get(row.id)) for _, row in store.since(0)]
    if not bot:
        return found
    seen = [match for match in found if bot in match.bots]
    if not seen:
        names = sorted({name for match in found for name in match.bots})
        raise StoreError(f"no match of {store.path} has a bot {bot}; there are {', '.join(names) or 'no matches yet'}")
    return seen


def match_lines(listed: list[Listed]) -> Iterator[str]:
    """A line for each match: its id, game, and bots by place with their scores."""
    for match in listed:
        ranked = sorted(zip(match.places, match.bots, match.scores, match.faults, strict=True))
        told = ", ".join(
            f"{place}. {bot} {score}{f' ({fault})' if fault else ''}" for place, bot, score, fault in ranked
        )
        yield plain(f"{match.match[:SHORT]}  {match.game}: {told}")


def matches_csv(listed: list[Listed]) -> str:
    """One row for each seat of each match."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(SEAT_COLUMNS)
    writer.writerows(map(harmless, row.values()) for row in seat_rows(listed))
    return text.getvalue()


def seat_rows(listed: list[Listed]) -> Iterator[dict[str, object]]:
    """One row for each seat of each match, by column."""
    for match in listed:
        of_match = asdict(match)
        beside = [of_match[name] for name in SEAT_COLUMNS[:7]]
        seats = zip(match.bots, match.places, match.scores, match.faults, strict=True)
        for seat, values in enumerate(seats):
            yield dict(zip(SEAT_COLUMNS, (*beside, seat, *values), strict=True))


def matches_json(listed: list[Listed]) -> list[dict[str, object]]:
    """The matches as JSON values."""
    return [asdict(match) for match in listed]


def _listed(row: Row, step: ScheduleStep | None) -> Listed:
    faults = {fault.seat: fault.kind for fault in row.seat_faults}
    by_seat = tuple(faults.get(seat, "") for seat in range(len(row.bots)))
    where: tuple[str, str, int | None, str, bool] = ("", "", None, "", False)
    if step is not None:
        fixture = step.fixture
        where = (fixture.contest.label, fixture.deal.name, fixture.rotation, fixture.block, step.kept)
    return Listed(row.id, row.game, *where, row.bots, row.seat_places, row.seat_scores, by_seat)
