"""Serve a night in a separate process while this process plays it.

Nothing heavy is imported here, because the runner has its own work.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Any, Final, Self

from pips_referee.service.tokens import OrganiserDoor
from pips_tourney.night.plan.fixtures import Fixture
from pips_tourney.web.address import link, listen, token_for

TOKEN: Final = "PIPS_WEB_TOKEN"  # noqa: S105 - the name of a variable
TELL_S: Final = 2.0
"""Seconds between two messages to the pages about matches in progress."""
TOLD: Final = 50
"""How many of the last lines the organiser's page shows."""
NIGHT: Final = "night/"
"""The path of the night among the pages of a place."""
END_S: Final = 20.0
"""Seconds in which the process must end."""


class UnderWay:
    """The matches that a runner is playing, and their referees."""

    def __init__(self) -> None:
        self._fixtures: Callable[[], Collection[Fixture]] = tuple
        self._referees: Collection[OrganiserDoor] = ()
        self._since: dict[str, float] = {}

    def follow(self, fixtures: Callable[[], Collection[Fixture]], referees: Collection[OrganiserDoor]) -> None:
        """Report the matches and referees of a run, which change while it lasts."""
        self._fixtures, self._referees = fixtures, referees

    def news(self) -> dict[str, Any]:
        """The tables with their durations, and the addresses of the referees."""
        now, fixtures = monotonic(), self._fixtures()
        self._since = {fixture.match_id: self._since.get(fixture.match_id, now) for fixture in fixtures}
        tables = [_table(fixture, now - self._since[fixture.match_id]) for fixture in fixtures]
        return {"tables": tables, "referees": sorted(self._referees)}


@dataclass(frozen=True, slots=True)
class PlaceAround:
    """The pages of a place around those of the night, if bots dial in.

    `words` are arguments of its process, before the address. `secure` means TLS.
    """

    words: Sequence[str]
    secure: bool = False


class Beside:
    """A context in which another process serves the night that this one plays.

    That process ends with the context, in every case.
    """

    def __init__(
        self,
        database: Path,
        host: str,
        port: int,
        *,
        open_cards: bool = False,
        lobby: Callable[[], dict[str, Any] | None] = lambda: None,
        place: PlaceAround | None = None,
    ) -> None:
        self._database = database
        self._place = place
        self._told: deque[str] = deque(maxlen=TOLD)
        self._listener = listen(host, port)
        self._token = token_for(host)
        self._open_cards = open_cards
        self._lobby = lobby
        self._process: subprocess.Popen[bytes] | None = None
        self._over = threading.Event()
        self._under_way = UnderWay()
        self._unsaid = b""
        """The rest of the last line, which the pipe has not accepted yet."""
        self._teller: threading.Thread | None = None

    @property
    def link(self) -> str:
        return link(self._listener, self._token, *(() if self._place is None else (NIGHT, self._place.secure)))

    def told(self, line: str) -> None:
        """Store a line from the night, for the organiser's page."""
        self._told.append(line)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._over.set()
        if self._teller is not None:
            self._teller.join()
        if self._process is not None:
            assert self._process.stdin is not None
            self._process.stdin.close()
            try:
                self._process.wait(END_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._listener.close()

    def begin(self, under_way: Callable[[], Collection[Fixture]], referees: Collection[OrganiserDoor]) -> bool:
        """Serve the database, which now exists, and send the matches in progress.

        Returns whether this is the first call.
        """
        self._under_way.follow(under_way, referees)
        if self._process is not None:
            return False
        words = ["pips_tourney.web"]
        if self._place is not None:
            at = link(self._listener, None, "", self._place.secure)
            words = ["pips_tourney.place.child", "pages", *self._place.words, at]
        words += [str(self._database), str(self._listener.fileno())]
        words += ["--open-cards"] if self._open_cards else []
        environment = dict(os.environ) | ({} if self._token is None else {TOKEN: self._token})
        self._process = subprocess.Popen(
            [sys.executable, "-m", *words],
            stdin=subprocess.PIPE,
            pass_fds=[self._listener.fileno()],
            env=environment,
            start_new_session=True,  # only the runner handles Ctrl-C
        )
        os.set_blocking(self._process.stdin.fileno(), False)  # type: ignore[union-attr]  # it is a pipe
        self._teller = threading.Thread(target=self._keep_telling, daemon=True)
        self._teller.start()
        return True

    def stay(self) -> None:
        """Wait until the serving process ends."""
        if self._process is not None:
            self._process.wait()

    def _keep_telling(self) -> None:
        while not self._over.wait(TELL_S):
            told = {} if self._place is None else {"told": [*self._told]}
            if not self._tell(self._under_way.news() | {"lobby": self._lobby()} | told):
                return

    def _tell(self, news: dict[str, Any]) -> bool:
        """Send a line. Return whether the other process still reads.

        No other line is sent until the pipe has accepted all of the earlier one.
        """
        assert self._process is not None
        assert self._process.stdin is not None
        if not self._unsaid:
            self._unsaid = json.dumps(news, separators=(",", ":")).encode() + b"\n"
        try:
            self._unsaid = self._unsaid[os.write(self._process.stdin.fileno(), self._unsaid) :]
        except BlockingIOError:
            pass
        except OSError:
            return False
        return True


def _table(fixture: Fixture, seconds: float) -> dict[str, Any]:
    bots = list(fixture.seating)
    return {"id": fixture.match_id, "contest": fixture.part, "bots": bots, "s": round(seconds)}
