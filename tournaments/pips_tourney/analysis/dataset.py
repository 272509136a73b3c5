"""A night as a dataset: every decision with the seat's knowledge, and the result.

Each contest becomes files of numpy arrays (`.npz`), with at most `PART` rows per file.
A row is one step of `pips_sdk.env`: an observation, a mask and an action's number. Only
a layout in Wichita may take several rows. No row contains anything hidden from its
seat.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache
from itertools import chain
from math import ceil
from pathlib import Path
from typing import Any, Final, NamedTuple
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
from numpy.typing import NDArray

from pips_referee.game import Action, View
from pips_referee.records.record import Record, check_end, play_answer, read_record
from pips_sdk.learning.space import Space
from pips_sdk.spaces import space_of
from pips_tourney.analysis.chosen import NothingChosen
from pips_tourney.analysis.complete import complete_deals_of
from pips_tourney.files import FILE_HINT, make_folder, replaced
from pips_tourney.night.night import Night, chunks

PART: Final = 100_000
"""The most rows of one file."""
AT_ONCE: Final = 32
"""Matches in one job of a process."""


class Rows(NamedTuple):
    """Decisions as arrays with one entry or row per decision."""

    observations: NDArray[np.int16]
    """(rows, observation_size), as `Space.observe` gives them."""
    masks: NDArray[np.uint8]
    """(rows, action_count), 1 where the action is legal."""
    actions: NDArray[np.int16]
    rewards: NDArray[np.float32]
    """The seat's reward at the match's end, from -1 (last) to 1 (first)."""
    seats: NDArray[np.int8]
    questions: NDArray[np.int16]
    """The question's number within its seat, from 1."""
    matches: NDArray[np.int32]
    """The match, as an index into `match_ids`."""
    bots: NDArray[np.int16]
    """The bot that answered, as an index into `bot_names`."""


def write_dataset(night: Night, folder: Path, processes: int) -> int:
    """Write the decisions of complete deals to that folder; return the number of rows.

    Raises `NothingChosen` if there are none, and `NotWritten` if writing fails.
    """
    make_folder(folder, FILE_HINT)
    names = [entrant.name for entrant in night.programme.entrants]
    total = 0
    for contest in night.programme.contests:
        ids = [match for deal in complete_deals_of(night, contest.label) for match in deal]
        parts = _parts(night, ids, names, processes)
        for number, rows in enumerate(_of_size(parts), 1):
            about = _about(night, contest.label, names, ids)
            _save(folder / f"{contest.label}-{number:03}.npz", {**rows._asdict(), **about})
            total += len(rows.actions)
    if not total:
        raise NothingChosen("no decision is left: no deal was played in every seating")
    return total


def _save(file: Path, arrays: Mapping[str, Any]) -> None:
    """Write the arrays as `numpy.savez_compressed` does, at zlib's quickest level."""
    with replaced(file, b"PK\0") as opened, ZipFile(opened, "w", ZIP_DEFLATED, compresslevel=1) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, np.asanyarray(array), allow_pickle=False)


def _about(night: Night, label: str, names: Sequence[str], ids: Sequence[str]) -> dict[str, Any]:
    """The description that every file has of its rows."""
    contest = next(each for each in night.programme.contests if each.label == label)
    record = read_record(night.store.rows(ids[:1])[ids[0]].record)
    fields = _space(record).fields
    return {
        "game": contest.game,
        "options": json.dumps(record.header.options.named()),
        "match_ids": np.array(ids),
        "bot_names": np.array(names),
        "field_names": np.array([field.name for field in fields]),
        "field_sizes": np.array([field.size for field in fields]),
        "field_most": np.array([field.most for field in fields]),
    }


def _parts(night: Night, ids: Sequence[str], names: Sequence[str], processes: int) -> Iterator[Rows]:
    """The rows of these matches, in their order, in one batch per chunk of matches."""
    jobs = (
        ([rows[match].record for match in some], first * AT_ONCE, list(names))
        for first, some in enumerate(chunks(ids, AT_ONCE))
        for rows in [night.store.rows(some)]
    )
    with ProcessPoolExecutor(processes) as pool:
        yield from pool.map(_rows_of_job, jobs)


def _rows_of_job(job: tuple[list[bytes], int, list[str]]) -> Rows:
    records, first, names = job
    parts = [rows_of(read_record(record), first + at, names) for at, record in enumerate(records)]
    return _joined(parts)


def _joined(parts: Sequence[Rows]) -> Rows:
    return Rows._make(np.concatenate(column) for column in zip(*parts, strict=True))


def _of_size(parts: Iterator[Rows]) -> Iterator[Rows]:
    """The rows of the parts, in batches of `PART`."""
    waiting: list[Rows] = []
    count = 0
    for part in chain(parts, [None]):
        if part is not None:
            waiting.append(part)
            count += len(part.actions)
        if count and (part is None or count >= PART):
            whole = _joined(waiting)
            for piece in range(ceil(count / PART)):
                yield Rows._make(column[piece * PART : (piece + 1) * PART] for column in whole)
            waiting, count = [], 0


def rows_of(record: Record, match: int, names: Sequence[str]) -> Rows:
    """The decisions of one match, without faults.

    `match` is its number in the dataset. `RecordError` if it does not fit its record.
    """
    table = _MatchRows(record)
    played = record.header.new_match()
    bots = [names.index(name) for name in record.header.names]
    for index in range(len(record.answers)):
        seat, before = played.to_ask, len(played.history)
        view = played.state.view(seat) if seat is not None else None
        play_answer(played, record, index)
        reply = played.history[before]
        if view is not None and reply.seat == seat and reply.fault is None and reply.action is not None:
            table.add(view, reply.action, (reply.seat, reply.number, match, bots[reply.seat]))
    check_end(record, played)
    return table.rows(played.outcome.places)


class _MatchRows:
    """The rows of one match, collected during its replay."""

    def __init__(self, record: Record) -> None:
        self._space = _space(record)
        self._about: list[tuple[int, int, int, int, int]] = []
        self._observed: list[list[int]] = []
        self._masks: list[bytearray] = []

    def add(self, view: View, action: Action, about: tuple[int, int, int, int]) -> None:
        """Add one answer; `about` is its seat, question, match and bot."""
        numbers = self._space.spell(view, action)
        for step, number in enumerate(numbers):
            said, mask = numbers[:step], bytearray(self._space.action_count)
            for legal in self._space.numbers(view, said):
                mask[legal] = 1
            self._observed.append(self._space.observe(view, said))
            self._masks.append(mask)
            self._about.append((number, *about))

    def rows(self, places: Sequence[int]) -> Rows:
        """All rows, with every seat's reward."""
        rewards = [sum([(mine < other) - (mine > other) for other in places]) / (len(places) - 1) for mine in places]
        actions, seats, questions, matches, bots = np.array(self._about, np.int32).reshape(-1, 5).T
        return Rows(
            np.array(self._observed, np.int16).reshape(-1, self._space.observation_size),
            np.array(self._masks, np.uint8).reshape(-1, self._space.action_count),
            actions.astype(np.int16),
            np.array(rewards, np.float32)[seats],
            seats.astype(np.int8),
            questions.astype(np.int16),
            matches,
            bots.astype(np.int16),
        )


def _space(record: Record) -> Space[Any]:
    return _space_of(record.header.game.name, record.header.options, len(record.header.names))


_space_of = lru_cache(maxsize=16)(space_of)
"""A cache of the latest spaces: building one takes long compared with a match."""
