"""The sessions by process, with their tokens and invited guests."""

from __future__ import annotations

import hmac
from hashlib import sha256
from typing import Final

from pips.v1 import player_pb2, referee_pb2
from pips_referee.service.guest import Guest, Terms, Way
from pips_referee.service.session import PROTOCOL_VERSION, Session
from pips_referee.service.tokens import read_token
from pips_referee.timing.clock import WATCH_S, Lateness

GRACE_S: Final = 10.0
"""How many seconds a match waits for a process to connect, or to come back."""
REVOKED: Final = "this invite was revoked: ask the organiser for another"
MOST_RETURNS: Final = 20
"""The most returns of a process without an answer in between.

A process at no table that floods has nothing else to lose.
"""


class SessionRegistry:
    """The sessions by process name."""

    def __init__(self, key: bytes, most_sessions: int = 1024) -> None:
        self._key = key
        self._most_sessions = most_sessions
        self.lateness = Lateness(WATCH_S)
        self.sessions: dict[str, Session] = {}
        self._guests: dict[bytes, Guest] = {}
        """The guests by the SHA-256 of their tokens."""
        self.has_invited = False
        """Whether the guests are known yet."""

    def session(self, process: str) -> Session:
        """The session of that process, connected or not."""
        if process not in self.sessions:
            self.sessions[process] = Session(process)
        return self.sessions[process]

    def guest(self, token: bytes) -> Guest | None:
        """The guest invited with this token, if any.

        A token is good for any number of hellos, but for one stream at a time.
        """
        return self._guests.get(sha256(token).digest())

    def invite(self, invited: referee_pb2.Invited, now: float) -> None:
        """Let exactly these guests connect from other machines."""
        terms = Terms(invited.grace_ms / 1000, 1000 * invited.most_rtt_ms, invited.drops)
        before, self._guests, self.has_invited = self._guests, {}, True
        for one in invited.guests:
            session = self.session(one.process)
            guest = before.pop(one.token_sha256, None)
            if guest is None or guest.process != one.process:
                guest = Guest(one.process, one.token_sha256, tuple(one.games), Way(terms))
                session.lost_at = now if session.lost_at is None else session.lost_at
            guest.games = tuple(one.games)
            self._guests[one.token_sha256] = guest
            if session.guest not in (None, guest):
                session.send_away(REVOKED)
            session.invite(guest)
        for guest in before.values():
            guest.send_away(REVOKED)
            session = self.session(guest.process)
            if session.guest is guest:
                session.send_away(REVOKED)

    def before(self, hello: player_pb2.Hello, door: str = "") -> Session | None:
        """The known session whose current stream this hello replaces, if any.

        `door` is the process that owns the socket, "" for the shared address.
        """
        if not door and (guest := self.guest(hello.token)) is not None:
            return self.session(guest.process)
        claim = read_token(self._key, hello.token)
        if door and (claim is None or claim[0] != door):
            return None
        session = None if claim is None else self.sessions.get(claim[0])
        return session if session is not None and claim is not None and claim[1] > session.launch else None

    def welcome(self, hello: player_pb2.Hello, door: str = "") -> Session | str:
        """The session for a hello, or why it is refused; `door` as in `before`."""
        if hello.protocol_version != PROTOCOL_VERSION:
            theirs = hello.protocol_version
            return f"this referee speaks protocol version {PROTOCOL_VERSION}, the bot {theirs}: update the bot's SDK"
        if not door and (guest := self.guest(hello.token)) is not None:
            session = self.session(guest.process)
            _connect(session, hello)
            return session
        claim = read_token(self._key, hello.token)
        if claim is None:
            return "the token is not one of this referee's: start the bot through pips-tourney or pips-bot"
        process, launch = claim
        if door and process != door:
            return "the token is another process's: this socket is for one process alone"
        if len(self.sessions) >= self._most_sessions and process not in self.sessions:
            return f"this referee has its {self._most_sessions} sessions"
        session = self.session(process)
        if session.connected.is_set():
            return f"{process} is already connected"
        if launch <= session.launch and not hmac.compare_digest(hello.session_key, session.key):
            return f"the token of {process} was used before: a bot that comes back shows the session key of its welcome"
        session.returns = session.returns + 1 if launch <= session.launch else 0
        if session.returns > MOST_RETURNS:
            return f"{process} has come back {MOST_RETURNS} times without an answer in between, which is enough"
        session.launch = max(launch, session.launch)
        _connect(session, hello)
        return session


def _connect(session: Session, hello: player_pb2.Hello) -> None:
    session.connect(hello.bot_name, hello.games, hello.games_without_events, hello.most_tables, reads_json=hello.json)
