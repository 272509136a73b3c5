"""Whether a failed start or an end is the fault of the bot or of the machine."""

from __future__ import annotations

import pytest

from pips.v1 import record_pb2
from pips_tourney.arena.refusals import MOST_REFUSALS, Refusals, said_by_wrapper

SHORT = "30 of its 30 process numbers are taken"


def test_so_much_is_forgiven_to_each_bot_and_then_counts() -> None:
    told: list[tuple[str, str, int]] = []
    refusals = Refusals({"bo": MOST_REFUSALS - 1}, lambda *event: told.append(event))
    assert [refusals.forgives("ada", SHORT) for _ in range(MOST_REFUSALS + 1)] == [True] * MOST_REFUSALS + [False]
    assert [refusals.forgives("bo", SHORT) for _ in range(2)] == [True, False]
    assert told[-1] == ("bo", SHORT, MOST_REFUSALS + 1)


def record(*details: str) -> bytes:
    match = record_pb2.MatchRecord()
    match.header.seats.extend(["ada", "bo"])
    for seat, detail in enumerate(details):
        if detail:
            match.outcome.faults.add(seat=seat, detail=detail)
    return match.SerializeToString()


@pytest.mark.parametrize(
    ("details", "lack", "void"),
    [
        (("", "RuntimeError: can't start new thread"), SHORT, True),
        (("", "OSError: [Errno 12] Cannot allocate memory"), SHORT, True),
        (("", "BlockingIOError: [Errno 11] Resource temporarily unavailable"), SHORT, True),
        (("", "OSError: [Errno 24] Too many open files"), SHORT, True),
        (("", "RuntimeError: can't start new thread"), "", False),  # nothing is short: it was its own limit
        (("", "ValueError: 7"), SHORT, False),
        ((), SHORT, False),
    ],
)
def test_a_match_is_void_where_a_bot_was_refused_what_the_machine_lacks(
    details: tuple[str, ...], lack: str, void: bool
) -> None:
    refusals = Refusals()
    refused, why = refusals.spoilt(record(*details), lambda: lack)
    assert refused == ("bo" if void else "")
    if void:
        assert why == f"bo: {details[1]} ({SHORT})"
    for _ in range(MOST_REFUSALS):
        refused, why = refusals.spoilt(record(*details), lambda: lack)
    assert not refused, "at whom they gather they count"


def test_what_the_wrapper_says_is_told_from_what_a_bot_prints() -> None:
    said = "bwrap: Creating new namespace failed: No space left on device"
    assert said_by_wrapper(f"{said}\nmore") == said
    assert said_by_wrapper(f"Traceback\n{said}") == ""
    assert said_by_wrapper("bwrap: execvp ./bot: No such file or directory") == ""
