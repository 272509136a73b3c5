"""Play all bots of a league on the same deals, and find those that are alike.

Each plays matches against the sample bot, with the same cards and luck, in the league's
own sandbox. So bots that play alike are asked the same questions.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from pathlib import Path
from time import monotonic
from typing import Final

import grpc

from pips_referee.records.record import Record, read_record
from pips_referee.records.replay import get_text, steps
from pips_sdk.samples import sample_files
from pips_tourney.arena.arena import Arena
from pips_tourney.arena.exchange import ArenaLost, VoidMatch
from pips_tourney.bots.executable import files_below
from pips_tourney.bots.found import BotProblem
from pips_tourney.league.entries import BotEntry
from pips_tourney.league.league import League
from pips_tourney.night.plan.from_league import make_programme
from pips_tourney.night.plan.programme import Programme
from pips_tourney.sandbox.tiers import Sandbox
from pips_tourney.system import own_cores
from pips_tourney.workshop.begin.kits import KITS, kit_folder
from pips_tourney.workshop.begin.kits import TEMPLATES as LINES
from pips_tourney.workshop.begin.new_bot import TEMPLATES
from pips_tourney.workshop.checks.class_check import OfLeague, duel_of, program_of
from pips_tourney.workshop.checks.likeness import Answers, Likeness, alike, mark
from pips_tourney.workshop.duels.play import START_S

QUESTIONS: Final = 500
"""How many answers with a choice each bot gives, divided equally among games."""
MOST_S: Final = 60.0
"""Seconds after which a bot gets no more matches."""
DRY: Final = 4
"""A bot with this many fewer answers than matches fails at its first question."""
DEALS: Final = 200
CALLED: Final = "bot"
"""All bots get the same name, so that they meet the same deals."""
MOST_BYTES: Final = 1 << 20
MOST_MARKED: Final = 1 << 18
"""How many characters of a bot's sources its mark is about."""
CODE: Final = frozenset(
    (".c", ".cc", ".cjs", ".cpp", ".cs", ".go", ".h", ".hpp", ".java", ".jl", ".js", ".kt", ".lua", ".mjs", ".php")
).union((".pl", ".py", ".rb", ".rs", ".scala", ".sh", ".swift", ".ts"))
"""Suffixes of the files that are compared."""


def likeness(league: League, out: Collection[str] = (), private: Iterable[Path] = ()) -> Likeness:
    """Compare a league's bots whose files this machine has, except samples and `out`.

    No bot can read `private` paths. Raises `LeagueError` and `SandboxError`.
    """
    league = league.installed().with_contents()
    entries = [bot for bot in league.file.bots if not (bot.ships_with_pips or bot.remote or bot.name in out)]
    games = sorted({game.name for game in league.file.games})
    sources = {bot.name: "\n".join(_texts(league, bot)) for bot in entries}
    programme, names = make_programme(league), {bot.name for bot in entries}
    sandbox, played = league.sandbox(private), [bot for bot in entries if bot.model is None]
    answers, left_out = asyncio.run(_all_answers(league, programme, played, sandbox))
    pairs = alike(sources, house_sources(games), answers)
    same = [tuple(sorted(names.intersection(group))) for group in programme.all_copies]
    of_more = tuple(group for group in same if len(group) > 1)
    return Likeness(tuple(pairs), len(entries), {**league.broken, **left_out}, of_more)


def mark_of(folder: Path, games: Collection[str]) -> str:
    """The `mark` of a bot's sources."""
    return mark("\n".join(texts_in(folder))[:MOST_MARKED], house_sources(games))


def house_sources(games: Collection[str]) -> Iterator[str]:
    """Sources that all authors may start from: sample bots and starters."""
    samples = [file for game in games for file in sample_files(game).values()]
    folders = {file.parent for file in samples} | {TEMPLATES, LINES, *map(kit_folder, KITS)}
    for file in sorted({file for folder in folders for file in folder.rglob("*") if file.suffix in CODE}):
        yield file.read_text(encoding="utf-8")


def _texts(league: League, bot: BotEntry) -> Iterator[str]:
    places = [Path(place) for game in league.file.games for place in league.program(bot, game.name).files]
    for place in dict.fromkeys(places):
        yield from texts_in(place)


def texts_in(place: Path) -> Iterator[str]:
    """The sources in a folder, or of a file; a stranger's links are not followed."""
    for _, path in files_below(place) if place.is_dir() else [("", place)]:
        if path.suffix in CODE and not path.is_symlink() and path.stat().st_size <= MOST_BYTES:
            yield path.read_text(encoding="utf-8", errors="replace")


async def _all_answers(
    league: League, programme: Programme, entries: list[BotEntry], sandbox: Sandbox
) -> tuple[dict[str, Answers], dict[str, str]]:
    """The answers of all bots, and the bots that could not play to the end."""
    seed = secrets.token_hex(8)
    answers, left_out, left = dict[str, Answers](), dict[str, str](), [*reversed(entries)]

    async def work(core: int) -> None:
        while left:
            bot = left.pop()
            try:
                answers[bot.name] = await _answers(core, league, bot, programme, sandbox, seed)
            except (ArenaLost, BotProblem, VoidMatch, grpc.aio.AioRpcError) as error:
                left_out[bot.name] = str(error)

    await asyncio.gather(*map(work, own_cores()))
    return answers, left_out


async def _answers(
    core: int, league: League, bot: BotEntry, programme: Programme, sandbox: Sandbox, seed: str
) -> Answers:
    """A bot's answers when it had a choice, match by match."""
    contests = [each for each in programme.contests if bot.plays(each.game)]
    duels = [duel_of(OfLeague(bot.name, league, bot), programme, each, CALLED, DEALS, seed) for each in contests]
    until, answered = monotonic() + MOST_S, list[list[str]]()
    async with Arena(core, program_of(duels), START_S, sandbox=sandbox) as arena:
        for part, duel in enumerate(duels, 1):
            for fixture in duel.fixtures():
                count = sum(map(len, answered))
                if count >= QUESTIONS * part / len(duels) or count < len(answered) - DRY or monotonic() > until:
                    break
                if failures := await arena.start([fixture.processes[fixture.seating.index(CALLED)]]):
                    raise BotProblem(failures[0].how)
                record = read_record(await arena.play(duel.order(fixture)))
                answered.append([*_choices(record, fixture.seating.index(CALLED))])
            await arena.end_bots()
    return answered


def _choices(record: Record, seat: int) -> Iterator[str]:
    """A seat's answers when it had a choice, in words, up to a fault."""
    text = get_text(record.header.game.name)
    for question, reply in ((step.question, step.reply) for step in steps(record)):
        if question is None or reply is None or reply.seat != seat:
            continue
        if reply.action is None:
            return
        if len([*islice(question.view.legal_actions(), 2)]) > 1:
            yield text.action_text(reply.action)
