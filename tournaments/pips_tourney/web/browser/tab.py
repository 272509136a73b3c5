"""Plays in a browser's tab: the functions that the tab's worker calls (static/tab.js).

A tab has one thread, no processes, and no clock of a league.
"""

from __future__ import annotations

import io
import json
import sys
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from hashlib import sha256
from inspect import isfunction
from itertools import chain
from operator import itemgetter
from pathlib import Path
from time import perf_counter
from types import CodeType
from typing import Any, Final

from pips.v1 import record_pb2
from pips_referee.errors import PipsError
from pips_referee.match import Question
from pips_referee.printable import plain
from pips_referee.records.record import read_record
from pips_sdk import Bot
from pips_sdk._runtime.hints import hints
from pips_sdk._runtime.start import StartError
from pips_sdk._runtime.table import own_frames
from pips_sdk.run_file import load_bots
from pips_tourney.bots.found import BotProblem, FoundBot, PythonFile, Sample
from pips_tourney.errors import TourneyError
from pips_tourney.night.plan.fixtures import Fixture
from pips_tourney.web.browser.syntax import newer_syntax
from pips_tourney.web.match.frames import record_json
from pips_tourney.workshop.duels.duel import Duel, Scoresheet, Wanted, plan_duel
from pips_tourney.workshop.duels.in_process import PATIENCE_S, Stopped, Stuck, Watchdog, play_order
from pips_tourney.workshop.duels.play_report import headline, result_lines
from pips_tourney.workshop.problems import INDENT, fault_problems

NAME: Final = "my_bot"
RIVAL: Final = "rival"
"""The module of a bot that another author has published."""
TESTS: Final = f"test_{NAME}"
OWN: Final = tuple([f"{name}.py" for name in (NAME, RIVAL, TESTS)])
"""The files in the working folder, with the same names in faults as elsewhere."""
ANALYSED_S: Final = 6.0
"""CPU time of the rollouts for one match, in seconds."""
NEWS_S: Final = 0.2
"""Seconds between two reports of progress to the page."""
LOST: Final = 12
"""How many lost matches can be viewed: faults first, then the clearest losses."""
PRINTED: Final = 20_000
"""How many characters of the output are shown, from its end."""
JUMPS: Final = 64
"""After this many jumps in the bot's code, the watchdog reads the clock."""
ABSENT: Final = (
    "Fix the name of the module. A tab has only Python's own modules and Pips. "
    "Where bots are checked, NumPy may be there too."
)
UNTIMED: Final = (
    "{bot} took {mean:.1f} ms for an answer here, {most:.0f} ms at most. That is a rough guide: "
    "a tab has no clock, and a league has its own machine."
)

Post = Callable[[str], object]


def handle(request: str, post: Post, folder: str = "/home/my_bot") -> None:
    """Handle a request of the page; `post` gets the answers, as JSON.

    The bot's files are written into `folder`.
    """
    asked = json.loads(request)
    if asked["kind"] == "replay":
        _post(post, "replay", id=asked["id"], views=_views(b64decode(asked["record"])))
    elif asked["kind"] == "course":
        _post(post, "course", id=asked["id"], **_course(b64decode(asked["record"])))
    else:
        kind = _Tests if asked["kind"] == "tests" else _Series
        _run(kind(asked, post, Path(folder)), post, Path(folder))


def _run(job: _Tests | _Series, post: Post, folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    try:
        with chdir(folder):
            job.play()
    except TourneyError as error:
        _post(post, "refused", lines=[plain(line) for line in str(error).splitlines()])
    _post(post, "over", printed=job.printed.text(), size=job.printed.size)


def _post(post: Post, kind: str, **values: Any) -> None:
    post(json.dumps({"kind": kind, **values}))


def _course(data: bytes) -> dict[str, Any]:
    """The cost of every decision of a match, or why it cannot be computed."""
    from pips_tourney.web.match.course import course_json  # imported for the first analysis

    try:
        record = read_record(data)
        return {"course": course_json(record, sha256(data).digest(), ANALYSED_S)}
    except (PipsError, TourneyError) as error:
        return {"error": str(error)}


def _views(data: bytes) -> list[dict[str, Any]]:
    """A match for the page of replays: with all cards, then as each seat saw it."""
    record = read_record(data)
    explained = [line for _, problem in fault_problems(record) for line in problem.lines()]
    views = [record_json(record, seat) for seat in (None, *range(len(record.header.names)))]
    for frame in chain.from_iterable(view["frames"] for view in views):
        frame.pop("ms", None)  # no times were measured
    return [view | {"explained": explained} for view in views]


class Printed(io.TextIOBase):
    """The end of the output, and its total length."""

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
        """Capture output separately for a while; it also counts towards the total."""
        part = Printed()
        try:
            with redirect_stdout(part), redirect_stderr(part):
                yield part
        finally:
            self.write(part.text())
            self.size += part.size - len(part.text())


class TabWatchdog(Watchdog):
    """Reads the clock whenever the bot's own code jumps back: a tab has no threads."""

    def __init__(self, folder: Path, patience_s: float) -> None:
        super().__init__(patience_s)
        self._folder, self._jumps = str(folder), 0

    if sys.version_info >= (3, 12):  # a tab's Python may be newer than a place's

        def _begin(self) -> None:
            watch = sys.monitoring
            watch.use_tool_id(watch.DEBUGGER_ID, "pips")
            watch.register_callback(watch.DEBUGGER_ID, watch.events.JUMP, self._jumped)
            watch.set_events(watch.DEBUGGER_ID, watch.events.JUMP)

        def _end(self) -> None:
            sys.monitoring.set_events(sys.monitoring.DEBUGGER_ID, 0)
            sys.monitoring.free_tool_id(sys.monitoring.DEBUGGER_ID)

        def _jumped(self, code: CodeType, _at: int, _to: int) -> object:
            if code.co_filename not in OWN and not code.co_filename.startswith(self._folder):
                return sys.monitoring.DISABLE
            self._jumps += 1
            if self._jumps % JUMPS == 0 and self._is_late():
                raise Stopped
            return None


@dataclass(frozen=True, slots=True)
class _TabFile(PythonFile):
    """A file of the editor, or one that another author has published, parsed here."""

    bots: tuple[type[Bot], ...] = ()

    def games(self) -> tuple[str, ...]:
        return tuple(bot.game for bot in self.bots)

    def bot_class(self, game: str) -> type[Bot]:
        return next(bot for bot in self.bots if bot.game == game)


def _written(text: str, path: Path) -> str:
    """The text as written to the file; half a surrogate pair cannot be written."""
    path.write_bytes(text.encode(errors="replace"))
    return path.read_text(encoding="utf-8")


def _read(source: str, path: Path, version: tuple[int, int], name: str = NAME) -> _TabFile:
    """The bot in a text. `BotProblem` says what is wrong with the file."""
    source = _written(source, path)
    try:
        bots = load_bots(path)
    except StartError as error:
        what, _, todo = str(error).rpartition("\n")
        raise BotProblem(f"{what}\n{ABSENT if 'ModuleNotFoundError: ' in what else todo}".strip()) from None
    if newer := newer_syntax(source, version):
        line, what = newer
        named = ".".join(map(str, version))
        raise BotProblem(
            f"{path.name}, line {line}: {what}. The Python that plays here is {named}: it cannot read this."
        )
    return _TabFile(name, path, bots)


class _Tests:
    """The functions of the tests' file, called one after another as pytest does."""

    def __init__(self, asked: dict[str, Any], post: Post, folder: Path) -> None:
        self._asked, self._post, self._folder, self.printed = asked, post, folder, Printed()

    def play(self) -> None:
        """Run the tests. Raises `BotProblem` for a bot that cannot be parsed."""
        path, patience_s = Path(f"{TESTS}.py"), self._asked.get("patience_s", PATIENCE_S)
        text = _written(self._asked["tests"], path)
        variables: dict[str, Any] = {"__name__": TESTS, "__file__": str(path)}
        with self.printed.part():
            with TabWatchdog(self._folder, patience_s):
                _read(self._asked["source"], Path(f"{NAME}.py"), tuple(self._asked["python"]))
            ended = {path.name: self._failure(lambda: exec(compile(text, path, "exec"), variables))}  # noqa: S102 - running the tests is the purpose
            tests = {name: test for name, test in variables.items() if name.startswith("test") and isfunction(test)}
            ended |= {name: self._failure(test) for name, test in tests.items()}
        lines = [f"{name}: {what or 'passed'}" for name, what in ended.items() if what or name in tests]
        if not lines:
            lines = [f"{path.name} has no function whose name begins with `test`."]
        shown = [plain(row) for line in lines for row in line.splitlines()]
        _post(self._post, "tested", lines=shown, passed=sum(not ended[name] for name in tests), of=len(tests))

    def _failure(self, test: Callable[[], object]) -> str:
        """The error of a function; "" if there was none."""
        try:
            with TabWatchdog(self._folder, self._asked.get("patience_s", PATIENCE_S)):
                test()
        except Stuck as stuck:
            return f"it did not end in time. {stuck.problem.where}"
        except (Exception, SystemExit) as error:  # noqa: BLE001 - the author sees the exception
            own = own_frames(error)
            where = f" in {Path(own[-1].filename).name}, line {own[-1].lineno}:\n{INDENT}{own[-1].line}" if own else ""
            todo = f"\n{ABSENT}" if isinstance(error, ModuleNotFoundError) else ""
            return f"failed{where}\n{INDENT}{type(error).__name__}: {error}{todo}"
        return ""


class _Series:
    """The matches that the page requested, one after another."""

    def __init__(self, asked: dict[str, Any], post: Post, folder: Path) -> None:
        self._asked, self._post, self._folder, self.printed = asked, post, folder, Printed()
        self._lost: list[tuple[tuple[bool, int], dict[str, Any]]] = []
        self._losses, self._digest = 0, sha256()
        self._since, self._told = 0.0, 0.0
        self._took: list[float] = []
        """How long each answer of the bot took, in seconds."""

    def play(self) -> None:
        """Play the matches. Raises `BotProblem`, `Stuck` and `Spoilt`."""
        with TabWatchdog(self._folder, self._asked.get("patience_s", PATIENCE_S)) as watchdog:
            with self.printed.part():
                duel, hinted = self._planned()
            _post(self._post, "begun", line=headline(duel), seed=duel.seed, hints=hinted)
            sheet = self._played(duel, watchdog)
        lines = [plain(line) for line in result_lines(sheet)]
        if self._took:
            mean, most = 1000 * sum(self._took) / len(self._took), 1000 * max(self._took)
            lines.append(UNTIMED.format(bot=NAME, mean=mean, most=most))
        self._tell(sheet)
        _post(
            self._post,
            "result",
            lines=lines,
            lost=[match for _, match in self._lost],
            losses=self._losses,
            digest=self._digest.hexdigest(),
        )

    def _planned(self) -> tuple[Duel, list[str]]:
        asked = self._asked
        own = _read(asked["source"], Path(f"{NAME}.py"), tuple(asked["python"]))
        wanted = Wanted(
            asked["matches"], game=asked["game"], seats=asked.get("seats"), options=asked.get("options") or {},
            seed=asked.get("seed"),
        )  # fmt: skip
        other: FoundBot = Sample(asked["opponent"], None)
        if (rival := asked.get("rival")) is not None:
            other = _read(rival, Path(f"{RIVAL}.py"), tuple(asked["python"]), asked["opponent"])
        duel = plan_duel(own, other, wanted)
        return duel, [*hints(own.bot_class(duel.game.name))]

    def _played(self, duel: Duel, watchdog: Watchdog) -> Scoresheet:
        sheet = Scoresheet(duel)
        bots = duel.bot_classes()

        def asks(bot: Bot, question: Question) -> None:
            self._note_time()
            watchdog.asks(bot, question)
            if type(bot) is bots[NAME]:
                self._since = perf_counter()
            if perf_counter() - self._told > NEWS_S:
                self._tell(sheet)

        for fixture in duel.fixtures():
            watchdog.begins()
            with self.printed.part() as printed:
                record, faulted = play_order(duel.order(fixture), bots.__getitem__, asks)
            self._note_time()
            if faulted:
                sheet.note_output(fixture, dict.fromkeys(bots, printed.text()))
            sheet.add(fixture, record)
            self._digest.update(record)
            self._note_lost(fixture, record)
            if sheet.has_to_stop():
                break
        return sheet

    def _note_time(self) -> None:
        """Note the time of the bot's answer, if the bot was asked last."""
        if self._since:
            self._took.append(perf_counter() - self._since)
            self._since = 0.0

    def _note_lost(self, fixture: Fixture, record: bytes) -> None:
        message = record_pb2.MatchRecord.FromString(record)
        places, own = message.outcome.places, [*message.header.seats].index(NAME)
        if places[own] == min(places):
            return
        scores = [*message.outcome.scores]
        behind = abs(scores[[*places].index(min(places))] - scores[own])
        told = " to ".join(map(str, [scores.pop(own), *scores]))
        fault = ", by a fault" if own in {fault.seat for fault in message.outcome.faults} else ""
        line = f"{fixture.match_id[:8]}, in seat {own}: {told}{fault}"
        match = {"id": f"own-{fixture.match_id}", "line": line, "record": b64encode(record).decode()}
        self._lost = sorted([*self._lost, ((bool(fault), behind), match)], key=itemgetter(0), reverse=True)[:LOST]
        self._losses += 1

    def _tell(self, sheet: Scoresheet) -> None:
        self._told, difference = perf_counter(), sheet.difference()
        told = {} if difference is None else {name: getattr(difference, name) for name in ("elo", "low", "high")}
        _post(self._post, "far", played=sheet.played, of=sheet.duel.matches, **told)
