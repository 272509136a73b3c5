"""A process that serves the night which this one plays.

Nothing heavy is imported here: the runner has its own work.
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
"""How often the pages are informed what is under way."""
TOLD: Final = 50
"""How many of the last lines the organiser's page has."""
NIGHT: Final = "night/"
"""Where the night is among the pages of a place."""
END_S: Final = 20.0
"""How long the process may take to end."""


class UnderWay:
    """What a runner tells of the matches that it plays, and where."""

    def __init__(self) -> None:
        self._fixtures: Callable[[], Collection[Fixture]] = tuple
        self._referees: Collection[OrganiserDoor] = ()
        self._since: dict[str, float] = {}

    def follow(self, fixtures: Callable[[], Collection[Fixture]], referees: Collection[OrganiserDoor]) -> None:
        """The matches and referees of a run, which change while it lasts."""
        self._fixtures, self._referees = fixtures, referees

    def news(self) -> dict[str, Any]:
        """The tables with their seconds, and the doors of the referees."""
        now, fixtures = monotonic(), self._fixtures()
        self._since = {fixture.match_id: self._since.get(fixture.match_id, now) for fixture in fixtures}
        tables = [_table(fixture, now - self._since[fixture.match_id]) for fixture in fixtures]
        return {"tables": tables, "referees": sorted(self._referees)}


@dataclass(frozen=True, slots=True)
class PlaceAround:
    """The pages of a place go around those of the night, where bots dial in.

    `words` are for its process, before the address. `secure`: they are served by TLS.
    """

    words: Sequence[str]
    secure: bool = False


class Beside:
    """A context in which a process serves the night that this one plays.

    The process ends with the context, however that ends.
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
        """The rest of the last line, which the pipe did not take yet."""
        self._teller: threading.Thread | None = None

    @property
    def link(self) -> str:
        return link(self._listener, self._token, *(() if self._place is None else (NIGHT, self._place.secure)))

    def told(self, line: str) -> None:
        """Note what the night says, for the organiser's page."""
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
        """The database is there: serve it, and send what is under way, and where.

        Returns whether this is the first time.
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
            start_new_session=True,  # Ctrl-C is the runner's
        )
        os.set_blocking(self._process.stdin.fileno(), False)  # type: ignore[union-attr]  # it is a pipe
        self._teller = threading.Thread(target=self._keep_telling, daemon=True)
        self._teller.start()
        return True

    def stay(self) -> None:
        """Wait until the process that serves ends."""
        if self._process is not None:
            self._process.wait()

    def _keep_telling(self) -> None:
        while not self._over.wait(TELL_S):
            told = {} if self._place is None else {"told": [*self._told]}
            if not self._tell(self._under_way.news() | {"lobby": self._lobby()} | told):
                return

    def _tell(self, news: dict[str, Any]) -> bool:
        """Send a line; whether the other process still reads.

        While an earlier line is not taken no other is sent.
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
