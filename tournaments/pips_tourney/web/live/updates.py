"""Updates for spectators: each look at the database serves all of them.

Its work is limited to what the night can spare.
"""

from __future__ import annotations

import asyncio
import json
import logging
from bisect import bisect_right
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import aclosing
from math import inf
from pathlib import Path
from time import monotonic, thread_time, time
from typing import Any, Final, TypeVar

from pips_tourney.errors import TourneyError
from pips_tourney.night.log.store import Store, read_store, runner_of
from pips_tourney.web.archive import Archive, ArchivedResult
from pips_tourney.web.live.crowd import Crowd, Message, encoded
from pips_tourney.web.public import Public
from pips_tourney.web.scoreboard import night_json

LOOK_S: Final = 2.0
"""The least seconds between two looks at the database while somebody asks."""
OLD_S: Final = 5.0
"""If results were read longer ago, an answer waits until they are read again."""
FRESH_S: Final = 3.5
"""The age at which standings are computed again, in seconds.

With a look every other second, none are older than 5 s.
"""
SHARE: Final = 0.1
"""The most of one core that standings may take.

In a night of some hundred thousand matches they may therefore be older.
"""
FIRST_SHARE: Final = 0.5
"""The most of one core while a bot waits for its first rating."""
PACE_S: Final = 60.0
"""The time left is estimated from the matches of the last minute."""
T = TypeVar("T")
_log = logging.getLogger(__name__)


class Watch:
    """Follows one night's file, in one thread only.

    It does not wait: `look` returns the news at the time of the call.
    """

    def __init__(
        self,
        path: Path,
        clock: Callable[[], float] = monotonic,
        public: Public | None = None,
        share: float = SHARE,
        breathe: Callable[[], None] = lambda: None,
    ) -> None:
        self._clock, self._share, self._breathe_out = clock, share, breathe
        self._others_s = 0.0
        """CPU time that went to questions amid looks, in seconds."""
        self._public = public
        self._store: Store = read_store(path)
        self._version = self._store.version()
        self.archive = Archive(self._store, self._breathe)
        self._pace: deque[tuple[float, int]] = deque([(clock(), self.archive.count.total())])
        self._doing = (self.progress()["state"], self.archive.decisions.paused)
        self._stale = False
        self._listed: Sequence[ArchivedResult] = ()
        self._rows: list[str] = []
        """Rows of the list of matches, as JSON, each made once."""
        self._next_fold = self._next_first = 0.0
        self.night = ""
        """The latest standings, as JSON."""
        self._fold()

    def close(self) -> None:
        self._store.close()

    def look(self, *, at_once: bool = False, read: Callable[[], object] = lambda: None) -> list[Message]:
        """The news; with standings only if they are due, or `at_once`.

        `read` is called once the results are read, before the standings.
        """
        told: list[Message] = []
        before, version = self.archive.decisions, self._store.version()
        if version != self._version:
            self._version, self._stale = version, True
            came = self.archive.refresh()
            told.append(("matches", json.dumps(self._compact(came), separators=(",", ":"))))
            if before.paused != self.archive.decisions.paused:
                self._pace.clear()  # the pace before a pause does not help to estimate the time left
        read()
        self._note_pace()
        at_once |= self.progress()["state"] == "complete"  # the end is shown at once
        due_s = self._next_first if self.archive.lacks_ratings else self._next_fold
        if self._stale and (at_once or self._clock() >= due_s):
            self._fold()
            told.append(("night", self.night))
        if before is not self.archive.decisions:  # a decision may change whether other matches count
            told.insert(0, ("all", "null"))
        progress = self.progress()
        doing = (progress["state"], progress["paused"])
        if told or doing != self._doing:
            told.append(("progress", json.dumps(progress)))
            self._doing = doing
        return told

    def progress(self) -> dict[str, Any]:
        """The progress of the night, by contest and final, and its state.

        It has the remaining seconds if they can be estimated.
        """
        played, scheduled = self.archive.count, self.archive.scheduled
        (since, before), (until, now) = self._pace[0], self._pace[-1]
        missing = scheduled.total() - now
        per_s = (now - before) / (until - since) if until > since else 0.0
        state, paused = self._state(missing), self.archive.decisions.paused
        return {
            "played": now,
            "scheduled": scheduled.total(),
            "contests": [[part, played[part], scheduled[part]] for part in scheduled],
            "per_s": round(per_s, 2),
            "left_s": round(missing / per_s) if per_s and missing and state == "playing" else None,
            "state": state,
            "paused": paused if state == "paused" else None,
        }

    def _state(self, missing: int) -> str:
        """The state, as in `pips-tourney status`."""
        if self.archive.night.is_ended():
            return "complete"
        if self.archive.decisions.paused is not None and missing:
            return "paused"
        if runner_of(self._store.path) is not None:
            return "playing"
        return "stopped" if missing else "complete"

    def matches(self, after: int) -> str:
        """The rows of the list of matches after that number, as JSON."""
        played = self.archive.played
        if self._listed is not played:  # all was read again
            self._listed, self._rows = played, []
        self._rows += [json.dumps(row, separators=(",", ":")) for row in self._compact(played[len(self._rows) :])]
        return f"[{','.join(self._rows[bisect_right(played, after, key=lambda each: each.number) :])}]"

    def _compact(self, played: Iterable[ArchivedResult]) -> list[list[Any]]:
        rows = [each.compact() for each in played]
        return rows if self._public is None else self._public.matches(rows)

    def _note_pace(self) -> None:
        now, played = self._clock(), self.archive.count.total()
        if self._pace and played < self._pace[-1][1]:
            self._pace.clear()  # results were left out
        self._pace.append((now, played))
        while self._pace[0][0] < now - PACE_S:
            self._pace.popleft()

    def _breathe(self) -> None:
        begun = thread_time()
        self._breathe_out()
        self._others_s += thread_time() - begun

    def _fold(self) -> None:
        """Compute the standings, and set when they are due again."""
        begun = thread_time() - self._others_s
        standings = self.archive.standings()
        made = night_json(self.archive, standings) | {"made": round(time())}
        made = made if self._public is None else self._public.night(made)
        self.night = json.dumps(made, separators=(",", ":"))
        took_s, now = thread_time() - self._others_s - begun, self._clock()
        self._next_fold, self._next_first = now + max(FRESH_S, took_s / self._share), now + took_s / FIRST_SHARE
        self._stale = False


class Live:
    """A watch and its spectators. Without spectators it does nothing."""

    def __init__(self, path: Path, public: Public | None = None, share: float = SHARE) -> None:
        self._path = path
        self._public, self._share = public, share
        self._reader = ThreadPoolExecutor(1, "night")  # SQLite wants one thread
        self._questions: deque[tuple[Callable[[], Any], Future[Any]]] = deque()
        self._read_s = -inf
        """When the reading of the last results that were read began."""
        self._looking: asyncio.Task[None] | None = None
        self._read = asyncio.Event()
        """Whether the latest look has read the results."""
        self.crowd = Crowd()
        self._lobby = "null"
        self._watch: Watch

    async def open(self) -> None:
        """Read the night. Raises `StoreError` if there is none."""
        answer = self._answer
        self._watch = await self._work(
            lambda: Watch(self._path, public=self._public, share=self._share, breathe=answer)
        )

    async def ask(self, question: Callable[[], T]) -> T:
        """The answer to a question, computed in the night's thread, also amid a look.

        Only this thread may use `watch`.
        """
        answer: Future[T] = Future()
        self._questions.append((question, answer))
        self._reader.submit(self._answer)
        return await asyncio.wrap_future(answer)

    async def _work(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._reader, work)

    def _answer(self) -> None:
        """Answer those that wait."""
        while self._questions:
            question, answer = self._questions.popleft()
            if answer.set_running_or_notify_cancel():
                try:
                    answer.set_result(question())
                except Exception as error:  # noqa: BLE001 - it is raised where the question was asked
                    answer.set_exception(error)

    @property
    def watch(self) -> Watch:
        return self._watch

    async def keep_looking(self) -> None:
        """Look and send news while there are spectators. Never ends."""
        while True:
            await self.crowd.somebody()
            await self.freshen(now=True)
            await asyncio.sleep(self.crowd.pause_s(LOOK_S))

    async def freshen(self, *, now: bool = False) -> None:
        """Look if due, or `now`; wait for the look `now`, or for its results if old."""
        age_s = monotonic() - self._read_s
        is_due = self._looking is None or (self._looking.done() and age_s >= self.crowd.pause_s(LOOK_S))
        if now or is_due:
            self._read.clear()
            self._looking = asyncio.create_task(self.look())
        if self._looking is not None and now:
            await asyncio.shield(self._looking)
        elif age_s > OLD_S:
            await self._read.wait()

    async def look(self, *, at_once: bool = False) -> None:
        """Look once and inform the spectators."""
        tell, begun_s = asyncio.get_running_loop().call_soon_threadsafe, monotonic()

        def read() -> None:
            self._read_s = begun_s
            tell(self._read.set)

        try:
            told = await self._work(lambda: self._watch.look(at_once=at_once, read=read))
        except TourneyError as error:  # the file was moved, or another version is writing it
            _log.warning("%s", error)
            return
        except Exception:  # noqa: BLE001 - a mistake in one look must not end the news
            _log.exception("A look at the night failed; the next one is made all the same.")
            return
        finally:
            self._read.set()
        if told:
            self.crowd.tell(encoded(told))

    def hear_lobby(self, lobby: dict[str, Any] | None) -> None:
        """Take the list of players in the lobby of a hosted night. None: no lobby.

        Spectators are told of changes.
        """
        told = json.dumps(lobby)
        if told != self._lobby:
            self._lobby = told
            self.crowd.tell(encoded([("lobby", told)]))

    async def spectate(self) -> AsyncGenerator[bytes, None]:
        """The current state, then all changes.

        It ends for a spectator who cannot keep up.
        """
        await self.freshen()
        queue = self.crowd.join()
        try:
            progress = await self.ask(lambda: json.dumps(self._watch.progress()))
            lobby = [] if self._lobby == "null" else [("lobby", self._lobby)]
            yield encoded([*lobby, ("progress", progress), ("night", self._watch.night)])
            async with aclosing(self.crowd.news(queue)) as news:
                async for piece in news:
                    yield piece
        finally:
            self.crowd.leave(queue)

    def close(self) -> None:
        """Close the night after the last question."""
        self._reader.submit(self._watch.close)
        self._reader.shutdown()
