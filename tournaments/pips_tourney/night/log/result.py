"""A match's result as a row of the database, read from its record alone."""

from __future__ import annotations

import json
from collections.abc import Iterable
from hashlib import sha256
from typing import Final

from pips.v1 import record_pb2
from pips_referee.errors import PipsError
from pips_referee.records.record import verify as verify_record
from pips_tourney.night.log.rows import bucket_of
from pips_tourney.night.log.store import Row

SENTENCE: Final = 200
"""The most characters of a fault's detail in a row."""
_KINDS: Final = {
    value.number: value.name.removeprefix("FAULT_KIND_").lower() for value in record_pb2.FaultKind.DESCRIPTOR.values
}


def row_of(record: bytes) -> Row:
    """The row for a match's record."""
    match = record_pb2.MatchRecord.FromString(record)
    header, outcome = match.header, match.outcome
    times: list[list[int]] = [[] for _ in header.seats]
    for answer in match.answers:
        times[answer.seat].append(answer.used_us)
    return Row(
        header.match_id,
        header.game,
        _json(list(header.seats)),
        _numbers(outcome.places),
        _numbers(outcome.scores),
        _json([[fault.seat, _KINDS[fault.kind], _sentence(fault)] for fault in outcome.faults]),
        outcome.questions,
        f"[{','.join(map(_buckets, times))}]",
        sha256(record).digest(),
        record,
    )


def row_problem(row: Row) -> str:
    """What is wrong with a row and its record, taken alone; empty if nothing is.

    Only the first mistake is reported, because later ones follow from it.
    """
    try:
        verify_record(row.record)
        read = row_of(row.record)
    except PipsError as error:
        return str(error)
    except Exception as error:  # noqa: BLE001 - a forged record may make a reader raise anything
        return f"its record cannot be read: {error!r}"
    if read.sha256 != row.sha256:
        return "its record is not the one that was stored: the SHA-256 differs"
    if read != row:
        fields = [name for name in Row._fields if getattr(read, name) != getattr(row, name)]
        return f"its row does not say what its record says: {', '.join(fields)}"
    return ""


def _buckets(times_us: Iterable[int]) -> str:
    """The buckets of these times with their counts as JSON, the shortest first."""
    counts: dict[int, int] = {}
    for bucket in map(bucket_of, times_us):
        counts[bucket] = counts.get(bucket, 0) + 1
    return f"[{','.join([f'[{bucket},{counts[bucket]}]' for bucket in sorted(counts)])}]"


def _sentence(fault: record_pb2.Fault) -> str:
    """The fault in one line."""
    return (fault.detail or fault.reason)[:SENTENCE]


_json: Final = json.JSONEncoder(separators=(",", ":")).encode


def _numbers(values: Iterable[int]) -> str:
    """Whole numbers as JSON: the same text as from `_json`, but faster."""
    return str(list(values)).replace(" ", "")
