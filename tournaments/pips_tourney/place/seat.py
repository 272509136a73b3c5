"""A person's table with a published version, which plays in a process of its own."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from threading import BoundedSemaphore
from typing import Any, Final

from pips.v1.record_pb2 import MatchHeader
from pips_referee.records.record import Header
from pips_sdk import Bot
from pips_tourney.place.processes import END_S, command
from pips_tourney.web.seats import NoSeat
from pips_tourney.workshop.scrimmage import BUDGET_S

MOST_AT_ONCE: Final = 6
"""Tables at once. Each has an arena, which takes 200 MB."""
WAIT_S: Final = 5.0
"""Seconds to wait for another table to end."""
_FREE: Final = BoundedSemaphore(MOST_AT_ONCE)


class PublishedTable:
    """The arena for one match of a person with `bot`, an entry of a league's `bots`."""

    budget_s: float | None = BUDGET_S

    def __init__(self, league: Path, database: Path, bot: Mapping[str, Any]) -> None:
        self._words = ["seat", str(league), str(database), json.dumps(bot)]
        self._name = bot["name"]
        self._child: subprocess.Popen[str] | None = None
        self._is_closed = False

    def play(self, header: Header, person: type[Bot]) -> bytes:
        if not _FREE.acquire(timeout=WAIT_S):
            raise NoSeat(f"{MOST_AT_ONCE} people are playing published bots already: wait until one leaves.")
        message = MatchHeader()
        header.write(message)
        words = command([*self._words, message.SerializeToString().hex()])
        pipe, quiet = subprocess.PIPE, subprocess.DEVNULL
        try:
            self._check_open()
            with subprocess.Popen(
                words, stdin=pipe, stdout=pipe, stderr=quiet, text=True, start_new_session=True
            ) as self._child:
                try:
                    return self._play(self._child, person)
                finally:
                    self.close()
                    with suppress(subprocess.TimeoutExpired):
                        self._child.wait(END_S)
                    self._child.kill()
        finally:
            _FREE.release()

    def _play(self, child: subprocess.Popen[str], person: type[Bot]) -> bytes:
        from pips_sdk.client import play_at  # with gRPC

        assert child.stdout is not None
        self._check_open()  # `close` may have found no process yet
        door = json.loads(child.stdout.readline() or "{}")
        if not door or self._is_closed:
            raise NoSeat(f"{self._name} did not start. Its author finds out why by a scrimmage.")
        play_at(door["address"], bytes.fromhex(door["token"]), {person.game: person})
        ended = json.loads(child.stdout.readline() or "{}")
        if not ended:
            raise NoSeat("The match was broken off.")
        return bytes.fromhex(ended["record"])

    def _check_open(self) -> None:
        if self._is_closed:
            raise NoSeat("The match was broken off.")

    def close(self) -> None:
        self._is_closed = True
        if self._child is not None and self._child.stdin is not None:
            self._child.stdin.close()  # so the process ends
