"""The check of all submissions of a league at once.

Each plays fixed deals of every game of the league against sample bots, in the league's
own sandbox, with its options and its clock.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import grpc

from pips_referee.printable import plain
from pips_sdk import Bot
from pips_sdk.samples import usual_sample
from pips_tourney.arena.arena import Arena
from pips_tourney.arena.children import LOGGED_BYTES
from pips_tourney.arena.exchange import ArenaLost, VoidMatch
from pips_tourney.bots.executable import Executable
from pips_tourney.bots.find import find_bot
from pips_tourney.bots.found import BotProblem, Command, FoundBot, Sample
from pips_tourney.bots.logs import logged, logs_of
from pips_tourney.bots.process_name import ProcessName
from pips_tourney.league.entries import BotEntry
from pips_tourney.league.league import League
from pips_tourney.league.model_bots import missing_keys, unready
from pips_tourney.league.read import read_league, read_league_for
from pips_tourney.league.submissions import look_at_stranger
from pips_tourney.league.suites import drawn_deals
from pips_tourney.names import name_from
from pips_tourney.night.log.file_watch import files_of_nights
from pips_tourney.night.plan.from_league import make_programme
from pips_tourney.night.plan.programme import Contest, Entrant, Programme
from pips_tourney.system import claim_core, own_cores
from pips_tourney.workshop.checks.check import DEALS, SEED, play_in_turn
from pips_tourney.workshop.checks.check_report import Report
from pips_tourney.workshop.duels.duel import Duel
from pips_tourney.workshop.duels.in_process import Spoilt
from pips_tourney.workshop.duels.play import START_S
from pips_tourney.workshop.problems import Problem, plays_not

TODO_MODEL: Final = "Fix the bot's `model` in the league file, its key or its server. Then check again."


@dataclass(frozen=True, slots=True)
class ClassReport:
    """The results of all submissions, by name."""

    checked: tuple[Report, ...]
    notes: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        return not any(each.problems or each.same_as for each in self.checked)

    def as_json(self) -> dict[str, Any]:
        """JSON values."""
        bots = [{"ready": each.ok, **each.as_json()} for each in self.checked]
        return {"ok": self.ok, "bots": bots, "notes": list(self.notes)}

    def lines(self) -> Iterator[str]:
        """A table for a reader, submissions with the same files, and the count."""
        names = max((len(each.bot) for each in self.checked), default=0)
        places = max((len(each.submission) for each in self.checked), default=0)
        for each in self.checked:
            mark = "✗" if each.problems else "✓"
            yield plain(f"{mark} {each.bot:{names}}  {each.submission:{places}}  {each.verdict}")
        told: set[str] = set()
        for each in self.checked:
            if each.same_as and each.bot not in told:
                told |= {each.bot, *each.same_as}
                yield plain(f"The same files: {', '.join([each.bot, *each.same_as])}")
        yield from map(plain, self.notes)
        ready = sum(not each.problems for each in self.checked)
        yield f"{ready} of {len(self.checked)} are ready."


@dataclass(frozen=True, slots=True)
class OfLeague(FoundBot):
    """A bot as its league starts it."""

    league: League
    entry: BotEntry

    def games(self) -> tuple[str, ...]:
        return tuple(self.entry.games or ())

    def program(self, game: str) -> Executable:
        return self.league.program(self.entry, game)

    def bot_class(self, game: str) -> type[Bot]:
        if self.entry.cwd is None:
            return FoundBot.bot_class(self, game)
        return find_bot(str(self.league.folder / self.entry.cwd)).bot_class(game)


def bots_of_night(path: Path) -> tuple[list[FoundBot], list[str]]:
    """The bots of a league file as opponents, and those left out, with reasons."""
    league = read_league(path)
    bots, left_out = list[FoundBot](), list[str]()
    for entry in league.file.bots:
        if entry.why_not_again:
            left_out.append(f"{entry.name} is no opponent here: {entry.why_not_again}")
        elif entry.sample is not None:
            game, _, name = entry.sample.rpartition("/")
            bots.append(Sample(name, game or None))
        else:
            bots.append(OfLeague(entry.name, league, entry))
    return bots, left_out


Tell = Callable[[str], object]


def check_class(path: Path, checked: Tell = str) -> ClassReport:
    """Check every bot of a league that is neither a sample nor on another machine.

    `checked` is called with a line after each. Raises `LeagueError`, `SandboxError`,
    and `Spoilt` if the machine failed.
    """
    return _check(read_league(path), checked=checked)


def check_in_league(word: str, path: Path, progress: Tell = str, *, by_its_author: bool = False) -> Report:
    """Check the bot that a word names, as the league in a file would.

    Authors vouch for their own bots, so without a fence such a bot plays all the same.
    `progress` is called with a line before each match. Raises `BotProblem`, and the
    errors of `check_class`.
    """
    bot = find_bot(word, look_at_stranger)
    if isinstance(bot, Sample):
        raise BotProblem(f"{word} is a sample bot, and those are checked; name a bot of your own")
    name = name_from(bot.name)
    command = isinstance(bot, Command) and bot.folder is None
    entry = {"command": list(bot.command)} if command else {"path": Path(word).absolute()}
    league = read_league_for(path.absolute(), {"name": name, **entry, "trusted": by_its_author})
    checked = _check(league, progress)
    [report] = checked.checked
    report.notes += checked.notes
    return report


def _check(league: League, progress: Tell = str, checked: Tell = str) -> ClassReport:
    league = league.installed().with_contents()
    entries = [bot for bot in league.file.bots if bot.sample is None and not bot.remote]
    programme = make_programme(league)
    found = {
        bot: Report(bot, programme.clock["answer_ms"], league=league.name, submission=league.where.get(bot, bot))
        for bot in (*(entry.name for entry in entries), *league.broken)
    }
    for bot, why in league.broken.items():
        found[bot].problems.append(Problem("It cannot be read.", why, ""))
    submitted = {bot.name for bot in entries if bot.submitted}
    for group in programme.all_copies:
        for bot in submitted.intersection(group):
            found[bot].same_as = sorted({*found[bot].same_as, *submitted.intersection(group)} - {bot})
    entries = _ask_models(entries, found)
    try:
        notes = asyncio.run(_check_all(league, programme, entries, found, progress, checked))
    except (ArenaLost, VoidMatch, grpc.aio.AioRpcError) as error:
        raise Spoilt(str(error)) from None
    return ClassReport(tuple(found[bot] for bot in sorted(found)), notes)


def _ask_models(entries: list[BotEntry], found: Mapping[str, Report]) -> list[BotEntry]:
    """Ask each bot's model once; return the other bots, whose matches cost nothing."""
    asking = {bot.name: bot.model for bot in entries if bot.model is not None}
    if asking:
        silent = dict(why.split(": ", 1) for why in missing_keys(asking))
        silent |= unready({bot: model for bot, model in asking.items() if bot not in silent})
        for bot, why in silent.items():
            found[bot].problems.append(Problem("Its model gave no reply.", why, TODO_MODEL))
    return [bot for bot in entries if bot.model is None]


async def _check_all(
    league: League,
    programme: Programme,
    entries: list[BotEntry],
    found: Mapping[str, Report],
    progress: Tell,
    checked: Tell,
) -> tuple[str, ...]:
    """Check the bots on all cores; return the notes of the sandbox."""
    sandbox = league.sandbox(files_of_nights(league.path))
    left = list(reversed(entries))
    numbers = count(1)

    async def work(core: int) -> None:
        while left:
            bot = left.pop()
            duels = [
                duel_of(OfLeague(bot.name, league, bot), programme, contest, bot.name, DEALS, SEED)
                for contest in programme.contests
                if bot.plays(contest.game)
            ]
            if not duels:
                found[bot.name].problems.append(plays_not(league.file.games[0].name, bot.games or ()))
                continue
            with TemporaryDirectory(prefix="pips-check-") as logs:
                programs = logged(program_of(duels), Path(logs))
                async with Arena(core, programs, START_S, sandbox=sandbox) as arena:
                    await _play_all(arena, duels, found[bot.name], progress)
                found[bot.name].printed = _printed(found[bot.name], Path(logs))
            checked(plain(f"{next(numbers)} of {len(entries)} checked: {bot.name}, {found[bot.name].verdict}"))

    if len(entries) == 1:  # checks at a place run side by side and choose cores themselves
        core, claim = claim_core()
        with claim:
            await work(core)
    else:
        await asyncio.gather(*map(work, own_cores()))
    return tuple(sandbox.notes)


def _printed(report: Report, logs: Path) -> str:
    """How much output a bot left in the folder `logs`, as a sentence."""
    size = sum(log.stat().st_size for log in logs_of(logs, report.bot))
    kept = f"of each of its processes a night keeps the first {LOGGED_BYTES >> 20} MB"
    return f"It printed {size / 1000:.1f} kB in {report.matches} matches; {kept}." if size else ""


async def _play_all(arena: Arena, duels: Sequence[Duel], report: Report, progress: Tell) -> None:
    for duel in duels:
        sheet = await play_in_turn(arena, duel, report, progress)
        await arena.end_bots()
        if sheet is None:
            break
        report.note_game(duel, sheet)


def duel_of(bot: OfLeague, programme: Programme, contest: Contest, called: str, deals: int, seed: str) -> Duel:
    """The bot at a table of the league, with the sample bot in all other seats.

    Bots that are `called` the same meet the same cards and luck.
    """
    sample = usual_sample(contest.game)
    filler = sample if called != sample else f"{sample} (2)"
    others = [filler, *(f"house {sample} {number}" for number in range(2, contest.seats))]
    bots: dict[str, FoundBot] = {called: bot}
    bots |= {name: Sample(sample, contest.game) for name in others}
    entrants = tuple(Entrant(name, {contest.game: ""}, rated=name in (called, filler)) for name in bots)
    plain_form = Contest(contest.label, contest.game, contest.rules_version, contest.seats, contest.options, deals)
    dealt = drawn_deals(deals)
    return Duel(replace(programme, contests=(plain_form,), entrants=entrants, deals=dealt, anchor=None), bots, seed)


def program_of(duels: Sequence[Duel]) -> Callable[[str], Executable]:
    """Return how to start a process of these duels, by its name."""
    by_label = {duel.contest.label: duel for duel in duels}

    def program(process: str) -> Executable:
        name = ProcessName.parse(process)
        duel = by_label[name.contest]
        return duel.bots[name.bot].program(duel.contest.game)

    return program
