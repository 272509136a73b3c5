"""Plays in a browser's tab: what the worker there calls (static/tab.js).

A tab has one thread, no processes, and no clock of a league.
"""

from __future__ import annotations

import ast
import io
import json
import sys
from base64 import b64decode, b64encode
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from time import perf_counter
from types import CodeType
from typing import Any, Final

from pips.v1 import record_pb2
from pips_referee.match import Question
from pips_referee.printable import plain
from pips_referee.records.record import read_record
from pips_sdk import Bot
from pips_sdk.hints import hints
from pips_sdk.run_file import load_bots
from pips_sdk.start import StartError
from pips_tourney.bots.found import BotProblem, PythonFile, Sample
from pips_tourney.errors import TourneyError
from pips_tourney.night.plan.fixtures import Fixture
from pips_tourney.web.frames import record_json
from pips_tourney.workshop.duel import Duel, Scoresheet, Wanted, plan_duel
from pips_tourney.workshop.in_process import PATIENCE_S, Stopped, Watchdog, play_order
from pips_tourney.workshop.play_report import headline, result_lines
from pips_tourney.workshop.problems import fault_problems
from pips_tourney.workshop.repeat import Repeat

NAME: Final = "my_bot"
NEWS_S: Final = 0.2
"""How often the page hears how far it is."""
LOST: Final = 12
"""How many lost matches can be looked at, the last ones."""
PRINTED: Final = 20_000
"""How many characters of what was printed are shown, the last ones."""
JUMPS: Final = 64
"""After so many jumps in the bot's code its watchdog looks at the time."""
ABSENT: Final = "Fix the name of the module. A tab has Python's own modules and Pips, and no others."
UNTIMED: Final = (
    "{bot} took {mean:.1f} ms for an answer here, {most:.0f} ms at most. That is a rough guide: "
    "a tab has no clock, and a league has its own machine."
)

Post = Callable[[str], object]


def handle(request: str, post: Post, folder: str = "/home/my_bot") -> None:
    """Do what the page asks for; `post` gets what it is told, as JSON.

    The bot's file is written into the folder.
    """
    asked = json.loads(request)
    if asked["kind"] == "replay":
        _post(post, "replay", id=asked["id"], views=_views(b64decode(asked["record"])))
        return
    series = _Series(asked, post, Path(folder))
    try:
        series.play()
    except TourneyError as error:
        _post(post, "refused", lines=[plain(line) for line in str(error).splitlines()])
    _post(post, "over", printed=series.printed.text(), size=series.printed.size)


def _post(post: Post, kind: str, **values: Any) -> None:
    post(json.dumps({"kind": kind, **values}))


def _views(data: bytes) -> list[dict[str, Any]]:
    """A match for the page of replays: with all cards, then as each seat saw it."""
    record = read_record(data)
    explained = [line for _, problem in fault_problems(record) for line in problem.lines()]
    views = [record_json(record, seat) for seat in (None, *range(len(record.header.names)))]
    for frame in chain.from_iterable(view["frames"] for view in views):
        frame.pop("ms", None)  # nothing was measured
    return [view | {"explained": explained} for view in views]


class Printed(io.TextIOBase):
    """The end of what was printed, and how much that was."""

    def __init__(self) -> None:
        self._end, self.size = io.StringIO(), 0

    def write(self, text: str) -> int:
        self.size += len(text)
        self._end.write(text[-PRINTED:])
        if self._end.tell() > 10 * PRINTED:
            self._end = io.StringIO(self.text())
            self._end.seek(0, io.SEEK_END)
        return len(text)

    def text(self) -> str:
        return self._end.getvalue()[-PRINTED:]

    @contextmanager
    def part(self) -> Iterator[Printed]:
        """What is printed meanwhile; it is a part of this."""
        part = Printed()
        try:
            with redirect_stdout(part), redirect_stderr(part):
                yield part
        finally:
            self.write(part.text())
            self.size += part.size - len(part.text())


class TabWatchdog(Watchdog):
    """Looks at the time whenever the bot's own code jumps back: a tab has no thread."""

    def __init__(self, folder: Path, patience_s: float) -> None:
        super().__init__(patience_s)
        self._folder, self._jumps = str(folder), 0

    if sys.version_info >= (3, 12):  # a tab's Python is newer than a place's may be

        def _begin(self) -> None:
            watch = sys.monitoring
            watch.use_tool_id(watch.DEBUGGER_ID, "pips")
            watch.register_callback(watch.DEBUGGER_ID, watch.events.JUMP, self._jumped)
            watch.set_events(watch.DEBUGGER_ID, watch.events.JUMP)

        def _end(self) -> None:
            sys.monitoring.set_events(sys.monitoring.DEBUGGER_ID, 0)
            sys.monitoring.free_tool_id(sys.monitoring.DEBUGGER_ID)

        def _jumped(self, code: CodeType, _at: int, _to: int) -> object:
            if not code.co_filename.startswith(self._folder):
                return sys.monitoring.DISABLE
            self._jumps += 1
            if self._jumps % JUMPS == 0 and self._is_late():
                raise Stopped
            return None


@dataclass(frozen=True, slots=True)
class _TabFile(PythonFile):
    """The file of the editor, which was read here."""

    bots: tuple[type[Bot], ...] = ()

    def games(self) -> tuple[str, ...]:
        return tuple(bot.game for bot in self.bots)

    def bot_class(self, game: str) -> type[Bot]:
        return next(bot for bot in self.bots if bot.game == game)


def _read(source: str, path: Path, version: tuple[int, int]) -> _TabFile:
    """The bot of the editor. `BotProblem` says what is wrong with its file."""
    source = source.encode(errors="replace").decode()  # half a surrogate pair is in no file
    path.write_text(source, encoding="utf-8")
    try:
        bots = load_bots(path)
    except StartError as error:
        what, _, todo = str(error).rpartition("\n")
        raise BotProblem(f"{what}\n{ABSENT if 'ModuleNotFoundError: ' in what else todo}".strip()) from None
    try:
        ast.parse(source, feature_version=version)
    except SyntaxError as error:
        where = f"{path.name}, line {error.lineno}"
        named = ".".join(map(str, version))
        raise BotProblem(f"{where}: {error.msg}. The Python that plays here is {named}: it cannot read this.") from None
    return _TabFile(NAME, path, bots)


class _Series:
    """The matches that the page asked for, one after another."""

    def __init__(self, asked: dict[str, Any], post: Post, folder: Path) -> None:
        self._asked, self._post, self._folder, self.printed = asked, post, folder, Printed()
        self._lost = deque[dict[str, Any]](maxlen=LOST)
        self._since, self._told = 0.0, 0.0
        self._took: list[float] = []
        """How long each answer of the bot was waited for, in seconds."""

    def play(self) -> None:
        """Play them. Raises `BotProblem`, `Stuck` and `Spoilt`."""
        self._folder.mkdir(exist_ok=True)
        with TabWatchdog(self._folder, self._asked.get("patience_s", PATIENCE_S)) as watchdog:
            with self.printed.part():
                duel, hinted = self._planned(self._folder / f"{NAME}.py")
            _post(self._post, "begun", line=headline(duel), seed=duel.seed, hints=hinted)
            sheet = self._played(duel, watchdog)
        lines = [plain(line) for line in result_lines(sheet)]
        if self._took:
            mean, most = 1000 * sum(self._took) / len(self._took), 1000 * max(self._took)
            lines.append(UNTIMED.format(bot=NAME, mean=mean, most=most))
        self._tell(sheet)
        _post(self._post, "result", lines=lines, lost=[*self._lost])

    def _planned(self, path: Path) -> tuple[Duel, list[str]]:
        asked = self._asked
        own = _read(asked["source"], path, tuple(asked["python"]))
        wanted = Wanted(
            asked["matches"], game=asked["game"], seats=asked.get("seats"), options=asked.get("options") or {},
            seed=asked.get("seed"),
        )  # fmt: skip
        duel = plan_duel(own, Sample(asked["opponent"], None), wanted)
        return duel, [*hints(own.bot_class(duel.game.name))]

    def _played(self, duel: Duel, watchdog: Watchdog) -> Scoresheet:
        sheet, repeat = Scoresheet(duel), Repeat(duel)
        bots = duel.bot_classes()

        def asks(bot: Bot, question: Question) -> None:
            self._note_time()
            watchdog.asks(bot, question)
            if type(bot) is bots[NAME]:
                self._since = perf_counter()
            if perf_counter() - self._told > NEWS_S:
                self._tell(sheet)

        for fixture in (*duel.fixtures(), *filter(None, [repeat.fixture])):
            watchdog.begins()
            with self.printed.part() as printed:
                record, faulted = play_order(duel.order(fixture), bots.__getitem__, asks)
            self._note_time()
            if repeat.is_second(fixture, record):
                sheet.unlike = repeat.said
                break
            if faulted:
                sheet.note_output(fixture, dict.fromkeys(bots, printed.text()))
            sheet.add(fixture, record)
            self._note_lost(fixture, record)
            if sheet.has_to_stop():
                break
        return sheet

    def _note_time(self) -> None:
        """Note that the bot's answer is there, if it was asked last."""
        if self._since:
            self._took.append(perf_counter() - self._since)
            self._since = 0.0

    def _note_lost(self, fixture: Fixture, record: bytes) -> None:
        message = record_pb2.MatchRecord.FromString(record)
        places, own = message.outcome.places, [*message.header.seats].index(NAME)
        if places[own] == min(places):
            return
        scores = [*message.outcome.scores]
        told = " to ".join(map(str, [scores.pop(own), *scores]))
        fault = ", by a fault" if own in {fault.seat for fault in message.outcome.faults} else ""
        line = f"{fixture.match_id[:8]}, in seat {own}: {told}{fault}"
        self._lost.append({"id": f"own-{fixture.match_id}", "line": line, "record": b64encode(record).decode()})

    def _tell(self, sheet: Scoresheet) -> None:
        self._told, difference = perf_counter(), sheet.difference()
        told = {} if difference is None else {name: getattr(difference, name) for name in ("elo", "low", "high")}
        _post(self._post, "far", played=sheet.played, of=sheet.duel.matches, **told)
