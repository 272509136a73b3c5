"""The session of a guest that is asked three questions."""

from __future__ import annotations

from typing import Final

from pips_referee.match import Match
from pips_referee.service.asked import Asked
from pips_referee.service.guest import Guest, Terms, Way
from pips_referee.service.session import Session
from pips_referee.service.table import Table
from pips_referee.timing.clock import TimeControl
from tests.records import new_header

TERMS: Final = Terms(grace_s=20.0, most_rtt_us=100_000, drops=1)


def never_late(now: float) -> float:
    return 0.0


def match_of(asked: Asked) -> Match:
    """The match that a question is of."""
    assert isinstance(asked.table, Table)
    return asked.table.match


def asked_session() -> Session:
    """A session with a round trip of 30 ms.

    It is asked three questions at second 100; each may take a second.
    """
    session, other = Session("a/*/*"), Session("b/0")
    guest = Guest(session.process, b"", ("serpent",), Way(TERMS))
    session.invite(guest)
    for one in (session, other):
        one.connect("bare", ["serpent"])
    assert guest.way.pong(session.take_out(0.0).ping, 0.03)
    for _ in range(3):
        Table(new_header(), [session, other], [bytes(32)] * 2, TimeControl(1_000_000), print, print).open()
    session.take_out(100.0)
    return session
