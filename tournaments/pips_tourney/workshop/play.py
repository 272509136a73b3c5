"""A duel played to its end, and its result in words."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, islice
from pathlib import Path
from shlex import quote
from typing import Any, Final

from pips_referee.game import AnyGame
from pips_referee.match import FaultKind
from pips_tourney.bots.executable import Executable
from pips_tourney.bots.found import BotProblem, FoundBot, Sample
from pips_tourney.bots.logs import logged, marked
from pips_tourney.bots.process_name import ProcessName
from pips_tourney.engines import BotsDidNotStart, EngineError, Job, PlayedMatch, Queue
from pips_tourney.engines.local import LocalEngine
from pips_tourney.engines.match_queue import MOST_VOIDS
from pips_tourney.files import make_folder, replaced
from pips_tourney.night.plan.fixtures import Fixture
from pips_tourney.ratings.table import Difference
from pips_tourney.system import own_cores
from pips_tourney.workshop.duel import Duel, Scoresheet
from pips_tourney.workshop.in_process import PATIENCE_S, Listener, Spoilt, play_here
from pips_tourney.workshop.problems import start_problem
from pips_tourney.workshop.repeat import Repeat

TABLES: Final = 16
"""Matches under way at once, in each arena."""
FEW_MATCHES: Final = 40
"""One arena is enough for this number of matches.

Every further arena starts all the bots again.
"""
DIFFERENCE: Final = ("elo", "low", "high", "better", "bound", "note")
START_S: Final = 10.0
HINT: Final = "name another folder with --save"


class Enough(Exception):
    """There is no use in playing on."""


class _InOrder(Queue):
    """The matches as they are scheduled.

    Whenever play is stopped, whole deals have been played. `last` comes when all others
    are over.
    """

    def __init__(self, matches: Iterable[Fixture], last: Fixture | None) -> None:
        self._left = deque(matches)
        self._last, self._open = last, len(self._left)
        self._news = asyncio.Event()
        self._voids: Counter[str] = Counter()

    def take(self, arena: int = 0) -> Fixture | None:
        return self._left.popleft() if self._left else None

    async def more(self) -> bool:
        while self._open and self._last is not None and not self._left:
            self._news.clear()
            await self._news.wait()
        return bool(self._left)

    def is_last(self, fixture: Fixture) -> bool:
        """Whether it can only be the last one."""
        return not self._open and self._last is not None and fixture.match_id == self._last.match_id

    def over(self) -> None:
        """A match needs no more play; the last one begins when no other does."""
        self._open -= 1
        if not self._open and self._last is not None:
            self._left.append(self._last)
        self._news.set()

    def put_back(self, fixture: Fixture) -> None:
        self._voids[fixture.match_id] += 1
        if self._voids[fixture.match_id] < MOST_VOIDS:
            self._left.appendleft(fixture)
            self._news.set()
        elif self._open:
            self.over()


class _DuelResults:
    """Hands each record on once, and has spoilt matches played again."""

    def __init__(
        self,
        matches: Iterable[Fixture],
        on_record: Callable[[Fixture, bytes], object],
        on_output: Callable[[Fixture, dict[str, str]], None],
        last: Fixture | None,
    ) -> None:
        self.missing = {fixture.match_id: fixture for fixture in matches}
        self.queue = _InOrder(self.missing.values(), last)
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
            self.queue.over()
        elif self.queue.is_last(fixture):
            self._on_record(fixture, played.record)


def play(
    duel: Duel,
    on_record: Callable[[Fixture, bytes], object],
    *,
    in_process: bool = False,
    patience_s: float = PATIENCE_S,
    logs: Path | None = None,
) -> Scoresheet:
    """Play to the end; the results.

    The first match is played again at the end, see `Repeat`.
    Play ends early when somebody presses Ctrl-C, or a bot does nothing but fault.

    `on_record` gets every match as it ends, and may raise `Enough`. What the bots'
    processes print is kept in the folder `logs`. Raises
    `BotProblem`, `Stuck` and `Spoilt`.
    """
    sheet, repeat = Scoresheet(duel), Repeat(duel)
    last = repeat.fixture

    def note(fixture: Fixture, record: bytes) -> None:
        if repeat.is_second(fixture, record):
            sheet.unlike = repeat.said
            return
        sheet.add(fixture, record)
        on_record(fixture, record)
        if sheet.has_to_stop():
            raise Enough

    try:
        if in_process:
            play_here(duel, chain(duel.fixtures(), [last] if last else []), note, patience_s)
        else:
            _play_in_arenas(duel, duel.fixtures(), note, sheet.note_output, logs, last=last)
    except (Enough, KeyboardInterrupt):
        pass
    return sheet


def play_one(duel: Duel, *, listener: Listener | None = None, logs: Path | None = None) -> bytes:
    """The record of the duel's first match.

    With a `listener` it is played in this process; without, `logs` get what is printed,
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
    *,
    last: Fixture | None = None,
) -> None:
    results = _DuelResults(matches, on_record, on_output, last)
    job = Job(
        queue=results.queue,
        order=duel.order,
        results=results.take,
        check=[str(ProcessName(name, duel.contest.label, "0")) for name in duel.bots],
    )
    arenas = 1 if duel.matches <= FEW_MATCHES else len(own_cores())
    program_of = program_of or duel.program_of
    for process in job.check:
        program_of(process)  # what cannot be played is said before anything starts
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


def headline(duel: Duel) -> str:
    """The headline of a duel."""
    one, other = duel.names
    deals = f"{count_of(len(duel.programme.deals), 'deal')}, each from every seat"
    return f"{one} against {other}{table_text(duel)}; {duel.matches} matches = {deals}; --seed {duel.seed}"


def table_text(duel: Duel) -> str:
    """The opponents at a duel's tables, and what is played there."""
    fillers = f", with {', '.join(list(duel.bots)[2 : 2 + duel.fillers])}" if duel.fillers else ""
    return f"{fillers}: {duel.game.title}, {duel.contest.seats} seats{options_text(duel.game, duel.contest.options)}"


def options_text(game: AnyGame, options: Mapping[str, object]) -> str:
    """The options that are not as usual."""
    usual = game.options()
    return "".join(f", {name} {value}" for name, value in options.items() if getattr(usual, name) != value)


def result_lines(sheet: Scoresheet) -> Iterator[str]:
    """The result, for a person."""
    duel, difference = sheet.duel, sheet.difference()
    one, other = duel.names
    if sheet.played < duel.matches:
        yield f"Stopped after {sheet.played} of {duel.matches} matches."
    if difference is None:
        yield "No deal was played from every seat yet, so there is no result."
    else:
        above, level, below = sheet.direct()
        won = "was placed above it" if duel.fillers else "won"
        lost = "below" if duel.fillers else "lost"
        share = (above + level / 2) / (above + level + below)
        yield f"{one} {won} {above}, drew {level}, {lost} {below}: {100 * share:.1f} % against {other}"
        yield difference_text(difference)
    if clock := _slowest(sheet):
        yield clock
    if sheet.unlike:
        yield sheet.unlike
    yield from fault_lines(sheet)


def result_json(sheet: Scoresheet) -> dict[str, Any]:
    """The same for a program."""
    duel, difference = sheet.duel, sheet.difference()
    won, drawn, lost = sheet.direct()
    told = {} if difference is None else {name: getattr(difference, name) for name in DIFFERENCE}
    return about_json(sheet) | {"won": won, "drawn": drawn, "lost": lost} | told | {
        "matches": duel.matches, "complete_deals": len(sheet.complete()) // duel.contest.seats,
        "answer_ms": duel.programme.clock["answer_ms"], "slowest_us": dict(sheet.slowest_us),
    }  # fmt: skip


def about_json(sheet: Scoresheet) -> dict[str, Any]:
    """What was played by whom, and who was at fault how often."""
    duel = sheet.duel
    faults: dict[str, dict[str, int]] = {}
    for (bot, kind), count in sheet.faults.items():
        faults.setdefault(bot, {})[kind] = count
    return {
        "bots": list(duel.names), "with": list(duel.bots)[2:], "game": duel.game.name, "seats": duel.contest.seats,
        "options": dict(duel.contest.options), "seed": duel.seed, "played": sheet.played,
        "faults": faults,
    }  # fmt: skip


def _slowest(sheet: Scoresheet) -> str:
    """The longest answers of the two bots; "" where no clock was read."""
    limit = sheet.duel.programme.clock["answer_ms"]
    times = [f"{bot} {sheet.slowest_us[bot] / 1000:.0f}" for bot in sheet.duel.names if sheet.slowest_us[bot]]
    return f"slowest answer: {', '.join(times)} of {limit} ms" if times else ""


def difference_text(difference: Difference) -> str:
    """How much stronger the first bot is, and how sure that is."""
    a, b, elo, low, high = difference.a, difference.b, difference.elo, difference.low, difference.high
    if difference.bound:
        won, limit = ("won", low) if difference.bound == ">" else ("lost", -(high or 0))
        more = "stronger" if won == "won" else "weaker"
        if limit is None or limit <= 0:
            return f"{a} {won} everything, but {count_of(difference.deals, 'deal')} can hardly tell: play more, with -n"
        return f"{a} is at least {limit:.0f} Elo {more} than {b} (95 %), for it {won} everything"
    if elo is None:
        return f"How far {a} and {b} are apart is not known: {difference.note}"
    apart = round(abs(elo))
    told = f"{a} is {apart} Elo {'weaker' if elo < 0 else 'stronger'} than {b}" if apart else f"{a} is as strong as {b}"
    few = f"{count_of(difference.deals, 'deal')} can hardly tell"
    if (low is None or high is None) and not apart:
        return f"{few} {a} and {b} apart: play more, with -n"
    if low is None or high is None:
        return f"{a} is {'ahead of' if elo > 0 else 'behind'} {b}, but {few}: play more, with -n"
    sure = (
        "" if difference.better is None else f"; {a} is the stronger one with probability {_percent(difference.better)}"
    )
    return f"{told}, 95 % interval {low:+z.0f} to {high:+z.0f}{sure}"


def _percent(probability: float) -> str:
    if probability > 0.999:
        return "> 99.9 %"
    return "< 0.1 %" if probability < 0.001 else f"{100 * probability:.1f} %"


def fault_lines(sheet: Scoresheet) -> Iterator[str]:
    """The faults of each bot, and how its first one came about."""
    for bot in sheet.duel.bots:
        kinds = {kind: count for (name, kind), count in sheet.faults.items() if name == bot}
        if not kinds:
            continue
        listed = ", ".join(f"{count} by {kind}" for kind, count in sorted(kinds.items()))
        yield ""
        yield f"{bot} lost {count_of(sum(kinds.values()), 'match', 'matches')} by a fault ({listed}). The first one:"
        yield from sheet.problems[bot].lines()
        if FaultKind.TIMEOUT.value in kinds:
            yield _busy(sheet.duel.bots[bot])
        if bot == sheet.has_to_stop():
            yield f"{bot} hardly does anything else, so the rest was not played."


def _busy(bot: FoundBot) -> str:
    """Why a bot may have been late.

    For a bot that can be checked: what would show it.
    """
    why = "A process has many matches under way, and may have been busy with a question of another one"
    if isinstance(bot, Sample) or not bot.word:
        return f"{why}."
    return f"{why}: `pips-bot check {quote(bot.word)}` plays them one by one."


def count_of(number: int, one: str, many: str = "") -> str:
    """A number of things, such as `1 deal` or `2 matches`."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def save_to(folder: Path) -> Callable[[Fixture, bytes], Path]:
    """Keep every record in a file of its own, which is returned.

    Raises `NotWritten`, now or then, when it cannot.
    """
    make_folder(folder, HINT)

    def save(fixture: Fixture, record: bytes) -> Path:
        file = folder / f"{fixture.match_id}.pips"
        with replaced(file, b"\n\0", HINT) as opened:
            opened.write(record)
        return file

    return save
