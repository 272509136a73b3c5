"""Play a duel to its end."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from pips_tourney.bots.executable import Executable
from pips_tourney.bots.found import BotProblem
from pips_tourney.bots.logs import logged, marked
from pips_tourney.bots.process_name import ProcessName
from pips_tourney.engines import BotsDidNotStart, EngineError, Job, PlayedMatch, Queue
from pips_tourney.engines.local import LocalEngine
from pips_tourney.engines.match_queue import MOST_VOIDS
from pips_tourney.files import NotWritten, make_folder, replaced
from pips_tourney.night.plan.fixtures import Fixture
from pips_tourney.system import own_cores
from pips_tourney.workshop.duels.duel import Duel, Scoresheet
from pips_tourney.workshop.duels.in_process import PATIENCE_S, Listener, Spoilt, play_here
from pips_tourney.workshop.problems import start_problem

TABLES: Final = 16
"""Matches in progress at once, in each arena."""
FEW_MATCHES: Final = 40
"""For up to this number of matches, one arena is enough.

Every further arena starts all the bots again.
"""
START_S: Final = 10.0
HINT: Final = "name another folder with --save"


class Enough(Exception):
    """No further match is needed."""


class _InOrder(Queue):
    """The matches in the order of the schedule.

    Whenever play stops, only complete deals have been played.
    """

    def __init__(self, matches: Iterable[Fixture]) -> None:
        self._left = deque(matches)
        self._voids: Counter[str] = Counter()

    def take(self, arena: Hashable = 0) -> Fixture | None:
        return self._left.popleft() if self._left else None

    async def more(self) -> bool:
        return bool(self._left)

    def put_back(self, fixture: Fixture) -> None:
        self._voids[fixture.match_id] += 1
        if self._voids[fixture.match_id] < MOST_VOIDS:
            self._left.appendleft(fixture)


class MatchesInOrder:
    """Passes on each record once, and repeats spoilt matches."""

    def __init__(
        self,
        matches: Iterable[Fixture],
        on_record: Callable[[Fixture, bytes], object],
        on_output: Callable[[Fixture, dict[str, str]], None] = lambda *_: None,
    ) -> None:
        self.missing = {fixture.match_id: fixture for fixture in matches}
        self.queue = _InOrder(self.missing.values())
        self.spoilt: list[str] = []
        self._on_record, self._on_output = on_record, on_output

    def take(self, fixture: Fixture, played: PlayedMatch) -> None:
        if not played.record:
            self.spoilt.append(played.void)
            self.queue.put_back(fixture)
            return
        if played.output:
            self._on_output(fixture, dict(played.output))
        if self.missing.pop(fixture.match_id, None) is not None:
            self._on_record(fixture, played.record)


def play(
    duel: Duel,
    on_record: Callable[[Fixture, bytes], object],
    *,
    in_process: bool = False,
    patience_s: float = PATIENCE_S,
    logs: Path | None = None,
) -> Scoresheet:
    """Play to the end; returns the results.

    Play ends early on Ctrl-C, or if a bot does nothing but fault.

    `on_record` is called with each finished match, and may raise `Enough`. The output
    of the bots' processes is stored in the folder `logs`. Raises `BotProblem`, `Stuck`
    and `Spoilt`.
    """
    sheet = Scoresheet(duel)

    def note(fixture: Fixture, record: bytes) -> None:
        sheet.add(fixture, record)
        on_record(fixture, record)
        if sheet.has_to_stop():
            raise Enough

    try:
        if in_process:
            play_here(duel, duel.fixtures(), note, patience_s)
        else:
            _play_in_arenas(duel, duel.fixtures(), note, sheet.note_output, logs)
    except Enough:
        pass
    except KeyboardInterrupt:
        sheet.was_interrupted = True
    return sheet


def play_one(duel: Duel, *, listener: Listener | None = None, logs: Path | None = None) -> bytes:
    """The record of the duel's first match.

    With a `listener` it is played in this process. Without one, `logs` gets the output,
    with marks (log_marks.py). Raises `BotProblem`, `Stuck` and `Spoilt`.
    """
    records: list[bytes] = []

    def note(_: Fixture, record: bytes) -> None:
        records.append(record)

    only = islice(duel.fixtures(), 1)
    if listener is not None:
        play_here(duel, only, note, listener=listener)
    else:
        _play_in_arenas(duel, only, note, logs=logs, program_of=marked(duel.program_of))
    return records[0]


def _play_in_arenas(
    duel: Duel,
    matches: Iterator[Fixture],
    on_record: Callable[[Fixture, bytes], object],
    on_output: Callable[[Fixture, dict[str, str]], None] = lambda *_: None,
    logs: Path | None = None,
    program_of: Callable[[str], Executable] | None = None,
) -> None:
    results = MatchesInOrder(matches, on_record, on_output)
    job = Job(
        queue=results.queue,
        order=duel.order,
        results=results.take,
        check=[str(ProcessName(name, duel.contest.label, "0")) for name in duel.bots],
    )
    arenas = 1 if duel.matches <= FEW_MATCHES else len(own_cores())
    program_of = program_of or duel.program_of
    for process in job.check:
        program_of(process)  # an error is raised before anything starts
    engine = LocalEngine(arenas, TABLES, START_S, program_of if logs is None else logged(program_of, logs))
    try:
        asyncio.run(engine.play(job))
    except BotsDidNotStart as error:
        raise BotProblem("\n\n".join(_not_started(error))) from None
    except EngineError as error:
        raise Spoilt(str(error)) from None
    if results.missing:
        count, why = len(results.missing), results.spoilt[-1]
        raise Spoilt(f"{count} matches were void again and again: {why}")


def _not_started(error: BotsDidNotStart) -> Iterator[str]:
    for failure in error.failures:
        name = ProcessName.parse(failure.process).bot
        yield "\n".join([f"{name}:", *start_problem(failure).lines()])


def save_to(folder: Path) -> Callable[[Fixture, bytes], Path]:
    """Return a function that stores each record in a file, and returns its path.

    Raises `NotWritten` if writing fails, or if the folder has records already: an
    analysis would take both for matches of one version.
    """
    make_folder(folder, HINT)
    if any(folder.glob("*.pips")):
        raise NotWritten(f"{folder} has the records of other matches; {HINT}")

    def save(fixture: Fixture, record: bytes) -> Path:
        file = folder / f"{fixture.match_id}.pips"
        with replaced(file, b"\n\0", HINT) as opened:
            opened.write(record)
        return file

    return save
