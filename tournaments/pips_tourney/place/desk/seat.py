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
from pips_tourney.place.desk.processes import END_S, command
from pips_tourney.web.live.seats import NoSeat
from pips_tourney.workshop.checks.scrimmage import BUDGET_S

MOST_AT_ONCE: Final = 6
"""Tables at once. Each has an arena, which takes 200 MB."""
WAIT_S: Final = 5.0
"""Seconds to wait for another table to end."""
STEP_S: Final = 0.1
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
        self._wait_for_a_place()
        words = command(self._words)
        pipe, quiet = subprocess.PIPE, subprocess.DEVNULL
        try:
            self._check_open()
            with subprocess.Popen(
                words, stdin=pipe, stdout=pipe, stderr=quiet, text=True, start_new_session=True
            ) as self._child:
                try:
                    return self._play(self._child, header, person)
                finally:
                    self.close()
                    with suppress(subprocess.TimeoutExpired):
                        self._child.wait(END_S)
                    self._child.kill()
        finally:
            _FREE.release()

    def _play(self, child: subprocess.Popen[str], header: Header, person: type[Bot]) -> bytes:
        from pips_sdk._runtime.client import play_at  # with gRPC

        assert child.stdin is not None
        self._check_open()  # `close` may have found no process yet
        message = MatchHeader()
        header.write(message)
        with suppress(BrokenPipeError):  # arguments could be read by bots, and the seed deals the cards
            child.stdin.write(f"{message.SerializeToString().hex()}\n")
            child.stdin.flush()
        door = _told(child)
        if "address" not in door or self._is_closed:
            raise NoSeat(str(door.get("why", f"{self._name} did not start. Its author finds out why by a scrimmage.")))
        play_at(door["address"], bytes.fromhex(door["token"]), {person.game: person})
        ended = _told(child)
        if "record" not in ended:
            raise NoSeat("The match was broken off.")
        return bytes.fromhex(ended["record"])

    def _wait_for_a_place(self) -> None:
        """Take one of `MOST_AT_ONCE` places; `NoSeat` if none is free soon."""
        for _ in range(int(WAIT_S / STEP_S)):
            self._check_open()
            if _FREE.acquire(timeout=STEP_S):
                return
        raise NoSeat(f"{MOST_AT_ONCE} people are playing published bots already: wait until one leaves.")

    def _check_open(self) -> None:
        if self._is_closed:
            raise NoSeat("The match was broken off.")

    def close(self) -> None:
        self._is_closed = True
        if self._child is not None and self._child.stdin is not None:
            self._child.stdin.close()  # so the process ends


def _told(child: subprocess.Popen[str]) -> dict[str, Any]:
    """The next JSON object that the process prints; empty at its end."""
    assert child.stdout is not None
    for line in child.stdout:
        with suppress(ValueError):
            if isinstance(told := json.loads(line), dict):
                return told
    return {}
