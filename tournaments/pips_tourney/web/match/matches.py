"""One match of a night for the screen: its frames, and the reasons for its faults."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

from pips_referee.errors import RecordError
from pips_referee.records.record import read_record
from pips_tourney.errors import TourneyError
from pips_tourney.night.log.store import Store, read_store
from pips_tourney.night.night import last_night
from pips_tourney.reports.explain import explain, own_faults
from pips_tourney.reports.own_records import without_folders
from pips_tourney.web.match.frames import record_json


class NoMatch(TourneyError):
    """A match that does not exist, or cannot be shown."""


def match_json(
    path: Path,
    match_id: str,
    seat: int | None,
    name: Callable[[str], str] = lambda bot: bot,
    own: Collection[str] | None = None,
) -> dict[str, Any]:
    """A stored match: its players, its frames, and its faults with explanations.

    The frames are as that seat saw them (None: the complete truth). `name` maps a bot
    to its name on the page. With `own`, only faults of these bots are explained, for
    their author.
    """
    with read_store(path) as store:
        row = store.rows([match_id]).get(match_id)
        if row is None:
            yet = "" if last_night(store).is_ended() else " yet"
            raise NoMatch(f"there is no match {match_id}{yet}")
        try:
            record = read_record(row.record)
            names = tuple(map(name, record.header.names))
            record = replace(record, header=replace(record.header, names=names))
            if seat is not None and not 0 <= seat < len(record.header.names):
                raise NoMatch(f"match {match_id} has no seat {seat}")
            shown = record_json(record, seat)
        except RecordError as error:
            raise NoMatch(str(error)) from None
        faults = record.outcome.faults
        return shown | {"id": match_id, "explained": _explained(store, match_id, own) if faults else []}


def _explained(store: Store, match_id: str, own: Collection[str] | None) -> list[str]:
    return [*explain(store, match_id)] if own is None else [*map(without_folders, own_faults(store, match_id, own))]
