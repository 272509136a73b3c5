"""The check that a bot passes to enter a league.

The bot must start, say hello and play fixed deals of all its games.

On Linux its processes play as in a league. Elsewhere, or on request, it plays in this
process. The deals are the same, but neither its start nor its clock can be checked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any, Final

import grpc

from pips_referee.printable import plain
from pips_sdk._runtime.log_marks import SAID, STRAY
from pips_sdk.samples import usual_sample
from pips_tourney.arena.arena import Arena
from pips_tourney.arena.exchange import ArenaLost, VoidMatch
from pips_tourney.bots.described import hints_in
from pips_tourney.bots.executable import Executable
from pips_tourney.bots.find import find_bot, look_here
from pips_tourney.bots.found import BotProblem, FoundBot, Sample
from pips_tourney.bots.process_name import ProcessName
from pips_tourney.engines.played import last_words
from pips_tourney.league.submissions import look_at_stranger
from pips_tourney.sandbox.limits import Limits
from pips_tourney.sandbox.tiers import choose
from pips_tourney.system import ELSEWHERE, own_cores
from pips_tourney.workshop.checks.check_report import Report
from pips_tourney.workshop.duels.duel import Duel, Scoresheet, Wanted, plan_duel
from pips_tourney.workshop.duels.in_process import PATIENCE_S, Listener, Spoilt, Stuck, play_here
from pips_tourney.workshop.duels.play import START_S
from pips_tourney.workshop.problems import last_lines, plays_not, refused, start_problem

_PRINTS: Final = " prints. In a league "
"""Part of the SDK's hint on printing; a check shows an example instead."""
DEALS: Final = 2
SEED: Final = "check"
HELLO: Final = "hello"
"""The contest of the process that is asked only for its games."""


def check(word: str, *, in_process: bool, answer_ms: int, wanted: Sequence[str] = ()) -> Report:
    """Check the bot that a word names.

    It plays the `wanted` games, by default all that it says it plays.

    Raises `BotProblem` if there is no such bot, and `Spoilt` if the machine failed.
    """
    bot = find_bot(word, look_here if in_process else look_at_stranger)
    if isinstance(bot, Sample):
        raise BotProblem(f"{word} is a sample bot, and those are checked; name a bot of your own")
    report = Report(bot.name, answer_ms, in_process)
    if in_process:
        _check_here(bot, report, wanted)
    else:
        try:
            asyncio.run(_check_processes(bot, report, wanted))
        except (ArenaLost, VoidMatch, grpc.aio.AioRpcError) as error:
            raise Spoilt(str(error)) from None
    return report


@dataclass(frozen=True, slots=True)
class _Heard(FoundBot):
    """A bot that named its games in its hello, from within the sandbox.

    Its file is not read anywhere else.
    """

    bot: FoundBot
    plays: tuple[str, ...]

    def games(self) -> tuple[str, ...]:
        return self.plays

    def program(self, game: str) -> Executable:
        return self.bot.program(game)

    @property
    def folder(self) -> Path | None:
        return self.bot.folder


def _duels(bot: FoundBot, games: Sequence[str], answer_ms: int) -> Iterator[Duel]:
    for game in games:
        yield plan_duel(
            bot, Sample(usual_sample(game), game), Wanted(None, DEALS, game, seed=SEED, answer_ms=answer_ms)
        )


def _chosen(plays: Sequence[str], wanted: Sequence[str], report: Report) -> tuple[str, ...]:
    """The games to check; a wanted game that the bot does not play is a problem."""
    report.problems += [plays_not(game, plays) for game in wanted if game not in plays]
    return tuple(game for game in plays if not wanted or game in wanted)


def _check_here(bot: FoundBot, report: Report, wanted: Sequence[str]) -> None:
    report.notes.append("played in this process: its start and its answer times were not checked")
    try:
        games = bot.games()
    except BotProblem as problem:
        report.problems.append(refused(str(problem)))
        return
    report.notes += [plain(hint) for hint in bot.hints() if _PRINTS not in hint]
    if not games:
        raise BotProblem(
            f"{bot.name} is a program of its own: in this process only Python files can be checked. "
            f"Others need Linux: {ELSEWHERE}"
        )
    for duel in _duels(bot, _chosen(games, wanted, report), report.answer_ms):
        sheet, listener = Scoresheet(duel), Listener(passes_on=False)
        try:
            play_here(duel, duel.fixtures(), sheet.add, PATIENCE_S, listener)
        except Stuck as stuck:
            sheet.stuck(stuck.problem)
        report.note_game(duel, sheet)
        _note_printed(report, listener.first_on_stdout)


async def _check_processes(bot: FoundBot, report: Report, wanted: Sequence[str]) -> None:
    duels: dict[str, Duel] = {}

    def program_of(process: str) -> Executable:
        contest = ProcessName.parse(process).contest
        return bot.program("") if contest == HELLO else duels[contest].program_of(process)

    sandbox = choose(None, Limits())
    report.notes += sandbox.notes
    async with _CheckArena(own_cores()[0], program_of, START_S, sandbox=sandbox) as arena:
        first = str(ProcessName(bot.name, HELLO, "0"))
        began = monotonic()
        if failures := await arena.start([first]):
            report.problems.append(start_problem(failures[0]))
            return
        report.hello_ms = 1000 * (monotonic() - began)
        hellos = [hello for hello in await arena.listed() if hello.process == first]
        games = _chosen([game for hello in hellos for game in hello.games], wanted, report)
        for duel in _duels(_Heard(bot.name, bot, games, word=bot.word), games, report.answer_ms):
            duels[duel.contest.label] = duel
            await _check_game(arena, duel, report)
        await _check_ends(arena, bot, report)


async def _check_game(arena: Arena, duel: Duel, report: Report) -> None:
    sheet = await play_in_turn(arena, duel, report)
    if sheet is None:
        return
    if not sheet.faults:
        await _play_at_once(arena, duel, sheet)
    report.note_game(duel, sheet)


async def play_in_turn(
    arena: Arena, duel: Duel, report: Report, tell: Callable[[str], object] = lambda _: None
) -> Scoresheet | None:
    """Play a duel's matches one at a time, so that an endless loop shows its question.

    None if the first bot did not start, or plays other games: the report says so.
    """
    bot, sheet = duel.names[0], Scoresheet(duel)
    for number, fixture in enumerate(duel.fixtures(), 1):
        tell(f"Match {number} of {fixture.contest.label} is played.")
        own = fixture.processes[fixture.seating.index(bot)]
        if failures := await arena.start([own]):
            report.problems.append(start_problem(failures[0], duel.game.name, in_league=bool(report.league)))
            return None
        plays = [game for hello in await arena.listed() if hello.process == own for game in hello.games]
        if plays and fixture.contest.game not in plays:
            report.problems.append(plays_not(fixture.contest.game, plays))
            return None
        record = await arena.play(duel.order(fixture))
        sheet.note_output(fixture, await last_words(arena, fixture.seating, fixture.processes, record))
        sheet.add(fixture, record)
        if bot in sheet.problems:  # the report has its first fault only
            break
    return sheet


async def _play_at_once(arena: Arena, duel: Duel, sheet: Scoresheet) -> None:
    """Play the deals again, all at once as a league does, and note the faults.

    Only when several of its questions are open can a bot answer in the wrong order.
    """
    again = Scoresheet(duel)
    fixtures = [*duel.fixtures()]
    records = await asyncio.gather(*(arena.play(duel.order(fixture)) for fixture in fixtures))
    for fixture, record in zip(fixtures, records, strict=True):
        again.note_output(fixture, await last_words(arena, fixture.seating, fixture.processes, record))
        again.add(fixture, record)
    sheet.faults.update(again.faults)
    sheet.problems |= again.problems
    sheet.evidence |= again.evidence


async def _check_ends(arena: _CheckArena, bot: FoundBot, report: Report) -> None:
    """End the bot's processes, and note their output."""
    for process in [name for name in arena.endings if name.startswith(f"{bot.name}/")]:
        _note_hints(report, await arena.output(process))
        _note_printed(report, await arena.end(process))


def _note_printed(report: Report, printed: str) -> None:
    lines = last_lines(printed)
    note = f"it prints, for example {lines[-1]!r}" if lines else ""
    if note and not any(said.startswith("it prints") for said in report.notes):
        report.notes.append(
            f"{note}: in a league nobody reads that, and printing takes time from its clock. "
            "What you want to see while you look for a mistake goes to stderr: print(..., file=sys.stderr)"
        )


def _note_hints(report: Report, printed: str) -> None:
    """Note the SDK's hints when the process began, and the first stray line."""
    strays = [line.removeprefix(SAID) for line in printed.splitlines() if line.startswith(f"{SAID}{STRAY}")]
    found = [*hints_in(printed), *map(plain, strays[:1])]
    report.notes += [note for note in found if note not in report.notes and _PRINTS not in note]


@dataclass(eq=False)
class _CheckArena(Arena):
    """An arena that remembers the output of its processes."""

    endings: dict[str, asyncio.Event] = field(default_factory=dict)
    _printed: dict[str, str] = field(default_factory=dict)

    def _on_event(self, event: dict[str, Any]) -> None:
        name = event["name"]
        if event["event"] == "started":
            self.endings[name] = asyncio.Event()
        elif event["event"] == "ended" and name in self.endings:
            self._printed[name] = event["printed"]
            self.endings[name].set()
        super()._on_event(event)

    async def end(self, process: str) -> str:
        """End a process and its group; returns the end of its stdout."""
        self._launcher.stop(process)
        await self.endings[process].wait()
        return self._printed[process]
