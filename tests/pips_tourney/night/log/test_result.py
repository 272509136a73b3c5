"""Rows say what records say; answer times are counted well enough for medians."""

from __future__ import annotations

import json
from collections import Counter
from hashlib import sha256
from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pips.v1 import record_pb2
from pips_referee.game import get_game
from pips_referee.records.record import Header, read_record
from pips_tourney.night.log.result import row_of
from pips_tourney.night.log.rows import bucket_of, quantile_us
from tests.pips_tourney.in_process import play

SERPENT = get_game("serpent")
HEADER = Header("cafe", SERPENT, SERPENT.options(), ("ada", "bo"), bytes(32))


def test_a_row_says_what_its_record_says() -> None:
    record = play(HEADER, bytes(32))
    row, outcome = row_of(record), read_record(record).outcome
    assert (row.id, row.game, json.loads(row.seats)) == ("cafe", "serpent", ["ada", "bo"])
    assert tuple(json.loads(row.places)) == outcome.places
    assert tuple(json.loads(row.scores)) == outcome.scores
    assert (row.questions, row.faults) == (outcome.questions, "[]")
    assert (row.record, row.sha256) == (record, sha256(record).digest())
    assert sum(count for seat in json.loads(row.times) for _, count in seat) == outcome.questions


def test_a_fault_is_in_the_row_with_its_seat_and_kind() -> None:
    row = row_of(play(HEADER, bytes(32), crash_at=3))
    assert json.loads(row.faults) == [[0, "crash", "exit status 3"]]
    assert json.loads(row.places) == [2, 1]


@given(st.lists(st.integers(0, 10_000_000), min_size=1))
def test_the_median_of_buckets_is_within_their_width_of_the_median(times: list[int]) -> None:
    found = quantile_us(Counter(map(bucket_of, times)), 0.5)
    low = sorted(times)[(len(times) - 1) // 2]
    assert found is not None
    assert abs(found - low) <= 0.025 * low + 1
    if len(times) % 2:
        assert abs(found - median(times)) <= 0.025 * median(times) + 1


@given(st.integers(0, 4_000_000_000))
def test_a_longer_time_is_never_in_an_earlier_bucket(time_us: int) -> None:
    assert bucket_of(time_us) <= bucket_of(time_us + 1)


SEATS = st.lists(st.lists(st.integers(0, 10_000_000), max_size=9), min_size=1, max_size=5)


@given(SEATS)
def test_a_row_counts_the_answers_of_each_seat(times: list[list[int]]) -> None:
    header = Header("cafe", SERPENT, SERPENT.options(), ("ada",) * len(times), bytes(32))
    answers = [record_pb2.RecordedAnswer(seat=seat, used_us=used) for seat, each in enumerate(times) for used in each]
    record = record_pb2.MatchRecord(answers=answers)
    header.write(record.header)
    row = row_of(record.SerializeToString())
    assert row.answer_times == [sorted(Counter(map(bucket_of, each)).items()) for each in times]


def test_nobody_asked_has_no_median() -> None:
    assert quantile_us({}, 0.5) is None


@pytest.mark.parametrize("times", ["[[[-3,5]]]", "[[[99999999999,1]]]", "[[[3,-1]]]", "[[[3]]]"])
def test_damaged_times_are_an_error(times: str) -> None:
    row = row_of(play(HEADER, bytes(32)))._replace(times=times)
    with pytest.raises(ValueError, match=r"such times|not enough values"):
        _ = row.answer_times
