"""A guest's session while the machine of its host stands still."""

from __future__ import annotations

import pytest

from pips_referee.match import Spent
from pips_referee.service.guest import PING_S, SILENT_S, Way
from pips_referee.service.session import Session
from pips_referee.timing.standstill import BEATS
from tests.pips_referee.guests import TERMS, asked_session, match_of, never_late


@pytest.fixture
def session() -> Session:
    return asked_session()


def test_a_guest_that_is_lost_after_a_standstill_of_its_host_keeps_its_drops(session: Session) -> None:
    assert session.guest is not None
    head = session.queue[0]
    for time in (160.0, 220.0):
        session.stood_still(time, 60.0)
        session.disconnect(time)
        session.connect("bare", ["serpent"])
        session.take_out(time)
    assert session.guest.way.drops_left == TERMS.drops and not match_of(head).faulted
    session.disconnect(230.0)
    session.connect("bare", ["serpent"])
    assert session.guest.way.drops_left == TERMS.drops - 1


def test_who_answered_after_the_standstill_is_lost_as_ever(session: Session) -> None:
    assert session.guest is not None
    way = session.guest.way
    session.stood_still(160.0, 60.0)
    assert way.pong(way.ping(160.0), 160.1)
    session.disconnect(161.0)
    session.connect("bare", ["serpent"])
    assert way.drops_left == TERMS.drops - 1


def test_a_standstill_is_no_silence_of_a_guest(session: Session) -> None:
    assert session.guest is not None
    way = session.guest.way
    ping = way.ping(100.0)
    session.stood_still(160.0, 60.0)
    assert not way.is_silent(160.0)
    assert way.pong(ping, 160.05) and way.rtt_us == 30_000
    way.ping(200.0)
    assert not way.is_silent(200.0 + SILENT_S) and way.is_silent(200.1 + SILENT_S)


def test_a_lost_guest_has_its_grace_without_a_standstill_of_its_host(session: Session) -> None:
    head = session.queue[0]
    session.disconnect(101.0)
    session.stood_still(170.0, 60.0)
    session.await_return(180.9, usual_s=10.0)
    assert not match_of(head).faulted
    session.await_return(181.1, usual_s=10.0)
    assert list(match_of(head).faulted) == [0]


def test_one_that_is_lost_after_the_standstill_has_its_grace_from_then(session: Session) -> None:
    session.disconnect(160.0)
    session.stood_still(160.01, 60.0)
    assert session.lost_at == 160.01


def test_time_for_which_the_referee_stood_still_stays_credited(session: Session) -> None:
    """The answer comes some looks after the host's machine has gone on."""
    assert session.overdue(104.0, lambda now: 3.9) is None
    assert [session.overdue(104.0 + look / 100, never_late) for look in (1, 2, 3)] == [None, None, None]
    assert session.spent(104.25, never_late, 1) == Spent(320_000, 3_900_000, 1, wire_us=30_000)


def test_each_time_that_the_referee_stood_still_is_credited(session: Session) -> None:
    assert session.overdue(102.0, lambda now: 1.9) is None
    assert session.overdue(102.01, lambda now: 0.001) is None
    assert session.overdue(104.0, lambda now: 1.9) is None
    assert session.spent(104.25, never_late, 1) == Spent(420_000, 3_800_000, 1, wire_us=30_000)


def test_a_stream_that_was_lost_while_the_referee_stood_still_costs_what_came_before(session: Session) -> None:
    session.disconnect(160.4, lambda _: 60.0)
    session.connect("bare", ["serpent"])
    session.take_out(161.0)
    assert session.spent(161.2, never_late, 1).used_us == 570_000


def test_a_pong_that_lay_unread_tells_nothing_of_the_way() -> None:
    way = Way(TERMS)
    assert way.pong(way.ping(0.0), 0.2)
    ping = way.ping(10.0)
    way.stood_still(70.01, 60.0)  # it stood still from 10.01 s on
    assert way.pong(ping, 70.011) and way.rtt_us == 200_000
    assert way.pong(way.ping(71.0), 71.15) and way.rtt_us == 150_000


def test_it_does_not_tell_either_that_the_guest_still_waited() -> None:
    """It may have come before the guest lost patience and hung up."""
    way = Way(TERMS)
    ping = way.ping(10.0)
    way.stood_still(70.01, 60.0)
    assert way.pong(ping, 70.011)
    assert [way.forgives() for _ in range(2)] == [True, True] and way.drops_left == TERMS.drops


def test_a_ping_after_the_standstill_is_measured_as_ever() -> None:
    way = Way(TERMS)
    way.stood_still(70.0, 60.0)
    assert way.pong(way.ping(70.0), 70.2) and way.rtt_us == 200_000


def always_late(session: Session, begin_s: float, seconds: float) -> float:
    """Each look of the referee's clock is late; return the time after so long."""
    now = begin_s
    while now < begin_s + seconds:
        now += 0.01 + 0.6
        session.stood_still(now, 0.6)
    return now


def test_a_lost_guest_is_not_waited_for_without_end_by_a_host_that_is_always_late(session: Session) -> None:
    head = session.queue[0]
    for since in (100.0, 200.0):
        session.disconnect(since)
        session.await_return(always_late(session, since, 25.0), usual_s=10.0)
        assert not match_of(head).faulted
        session.connect("bare", ["serpent"])
        session.take_out(since + 25.0)
    session.disconnect(300.0)
    session.await_return(always_late(session, 300.0, TERMS.grace_s + BEATS * 0.6), usual_s=10.0)
    assert list(match_of(head).faulted) == [0]


def test_nor_is_a_silent_one(session: Session) -> None:
    way = session.way
    assert way is not None
    for since in (100.0, 200.0):
        ping = way.ping(since)
        assert not way.is_silent(always_late(session, since, 1.5 * SILENT_S))
        assert way.pong(ping, since + 1.5 * SILENT_S)
    way.ping(300.0)
    assert way.is_silent(always_late(session, 300.0, SILENT_S + BEATS * 0.6))


def test_it_is_asked_again_where_it_is_though_the_host_is_always_late(session: Session) -> None:
    way = session.way
    assert way is not None
    assert way.pong(way.ping(100.0), 100.1)
    assert way.wants_ping(always_late(session, 100.0, PING_S))
