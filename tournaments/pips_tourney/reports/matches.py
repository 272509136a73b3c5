"""The matches of a night as a list: of one bot, or only those that it did not win."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Final

from pips_referee.printable import plain
from pips_tourney.night.rows import Row
from pips_tourney.night.store import Store, StoreError
from pips_tourney.reports.exports import harmless

SHORT: Final = 12


@dataclass(frozen=True, slots=True)
class Listed:
    """A match in the list, its bots by seat."""

    match: str
    game: str
    bots: tuple[str, ...]
    places: tuple[int, ...]
    scores: tuple[int, ...]
    faults: tuple[str, ...]
    """The kind of fault by seat; "" for a seat without one."""


def matches(store: Store, bot: str = "", *, lost: bool = False) -> list[Listed]:
    """The matches in the order in which they were played.

    With `bot`, those in which it sat; with `lost` too, those in which another was
    placed above it. `StoreError` when no match has such a bot.
    """
    found = [_listed(row) for _, row in store.since(0)]
    if not bot:
        return found
    seen = [match for match in found if bot in match.bots]
    if not seen:
        names = sorted({name for match in found for name in match.bots})
        raise StoreError(f"no match of {store.path} has a bot {bot}; there are {', '.join(names) or 'no matches yet'}")
    return [match for match in seen if not lost or match.places[match.bots.index(bot)] > 1]


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
    writer.writerow(["match", "game", "seat", "bot", "place", "score", "fault"])
    for match in listed:
        seats = zip(match.bots, match.places, match.scores, match.faults, strict=True)
        writer.writerows([match.match, match.game, seat, *map(harmless, values)] for seat, values in enumerate(seats))
    return text.getvalue()


def matches_json(listed: list[Listed]) -> list[dict[str, object]]:
    """The matches as JSON values."""
    return [asdict(match) for match in listed]


def _listed(row: Row) -> Listed:
    faults = {fault.seat: fault.kind for fault in row.seat_faults}
    by_seat = tuple(faults.get(seat, "") for seat in range(len(row.bots)))
    return Listed(row.id, row.game, row.bots, row.seat_places, row.seat_scores, by_seat)
