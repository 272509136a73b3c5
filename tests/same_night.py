"""Whether two nights are the same, times left out.

A change that may not change what is played is held against the commit before it:
play a league with one `--secret-file` on both, then
`python -m tests.same_night before.db after.db`.
"""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from pips.v1 import record_pb2


def timeless(record: record_pb2.MatchRecord) -> bytes:
    """Return the record without its times, as bytes; it loses them."""
    for answer in record.answers:
        answer.used_us = answer.credited_us = answer.shared_by = answer.thought_us = answer.wire_us = 0
    return record.SerializeToString(deterministic=True)


def timeless_records(database: Path) -> dict[str, bytes]:
    """Return all records of a night by match, without times."""
    return {match: timeless(record_pb2.MatchRecord.FromString(record)) for match, (*_, record) in _rows(database)}


def differences(before: Path, after: Path) -> Iterator[str]:
    """Yield a sentence for each match in which two nights differ.

    That is its seats, places, scores and faults, and all of its record but the times.
    """
    one, other = (dict(_rows(database)) for database in (before, after))
    for match in sorted(one.keys() ^ other.keys()):
        yield f"{match}: only {before if match in one else after} has it"
    for match in sorted(one.keys() & other.keys()):
        (*columns, record), (*others, again) = one[match], other[match]
        if columns != others:
            yield f"{match}: {columns} became {others}"
        elif timeless(record_pb2.MatchRecord.FromString(record)) != timeless(record_pb2.MatchRecord.FromString(again)):
            yield f"{match}: its header, answers or outcome are not the same"


def _rows(database: Path) -> Iterator[tuple[str, list[bytes]]]:
    """What every version of the database holds of a match."""
    with closing(sqlite3.connect(database)) as connection:
        query = "SELECT id, seats, places, scores, faults, record FROM results"
        for match, *columns in connection.execute(query).fetchall():
            yield match, columns


def _main(before: str, after: str) -> None:
    lines = [*differences(Path(before), Path(after))]
    print(*lines, sep="\n")
    print(f"{len(timeless_records(Path(before)))} matches before, {len(lines)} differences")
    sys.exit(bool(lines))


if __name__ == "__main__":
    _main(*sys.argv[1:])
