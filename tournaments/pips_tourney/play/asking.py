"""A session with bots that ask a language model: the proxy beside the engine."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pips.v1 import referee_pb2
from pips_sdk.model.door import DOOR_VARIABLE, table_of
from pips_tourney.arena.arena import ProgramOf
from pips_tourney.bots.executable import Executable
from pips_tourney.bots.process_name import ProcessName
from pips_tourney.engines import Engine, Job, PlayedMatch, Results
from pips_tourney.engines.local import LocalEngine
from pips_tourney.league.league import League
from pips_tourney.league.mistakes import LeagueError, Mistake
from pips_tourney.league.model_bots import missing_keys, unready
from pips_tourney.models.book import AnswerBook
from pips_tourney.night.log.asked_models import note_models
from pips_tourney.night.night import Night
from pips_tourney.night.plan.fixtures import Fixture
from pips_tourney.sandbox.counting.processes import folder_prefix

if TYPE_CHECKING:
    from pips_tourney.models.proxy import ModelProxy

MOST_VOIDS: Final = 2
"""How often a match without a reply is void; after that it is the bot's fault."""
ABOUT = ("endpoint", "name", "legal", "rethinks", "unreadable", "lenient", "trusted")
"""The fields of a bot's model that the log records."""


@contextmanager
def asking_models(
    league: League, night: Night, engine: Engine, job: Job, pause: Callable[[str], None], replied: set[str]
) -> Iterator[tuple[Engine, Job]]:
    """The engine and the job, with a proxy if a bot asks a model.

    `pause` is called with a reason when a bot's money is spent. `replied` names the
    bots whose model has replied in this run; they are not tested again. Raises
    `LeagueError` if a key is missing, or a model gives no reply.
    """
    asking = {bot.name: bot.model for bot in league.file.bots if bot.model is not None}
    if not asking:
        yield engine, job
        return
    from pips_tourney.models.proxy import ModelProxy  # it has Unix sockets, which Windows lacks

    if missing := missing_keys(asking):
        raise LeagueError(league.path, [Mistake("bots", why) for why in missing])
    if silent := unready({bot: model for bot, model in asking.items() if bot not in replied}):
        raise LeagueError(
            league.path, [Mistake("bots", f"{bot}: its model gave no reply: {why}") for bot, why in silent.items()]
        )
    replied.update(asking)
    assert isinstance(engine, LocalEngine)
    note_models(night.store, {bot: model.model_dump(include=set(ABOUT)) for bot, model in asking.items()})
    loop = asyncio.get_running_loop()

    def on_spent(why: str) -> None:
        loop.call_soon_threadsafe(pause, why)

    proxy = ModelProxy(
        Path(tempfile.mkdtemp(prefix=folder_prefix(), dir="/tmp")),
        AnswerBook(night.store.path),
        {bot: model.model(league.file.clock.answer_ms) for bot, model in asking.items()},
        on_spent,
    )
    try:
        known = replace(job, order=_expected(proxy, job.order), results=doubted(proxy, job.results))
        yield replace(engine, program_of=_with_doors(proxy, engine.program_of)), known
    finally:
        proxy.close()


def _with_doors(proxy: ModelProxy, program_of: ProgramOf) -> ProgramOf:
    """Start processes; each process of a model bot gets a socket of its own."""

    def program(process: str) -> Executable:
        made = program_of(process)
        if ProcessName.parse(process).bot not in proxy.models:
            return made
        path = str(proxy.open(process))
        return replace(made, env={**made.env, DOOR_VARIABLE: path}, sockets=(path,))

    return program


def _expected(
    proxy: ModelProxy, order: Callable[[Fixture], referee_pb2.MatchOrder]
) -> Callable[[Fixture], referee_pb2.MatchOrder]:
    """Make the orders of matches, and tell the proxy which seats may ask."""

    def ordered(fixture: Fixture) -> referee_pb2.MatchOrder:
        made = order(fixture)
        for seat, (process, seed) in enumerate(zip(made.processes, made.rng_seeds, strict=True)):
            bot = ProcessName.parse(process).bot
            if bot in proxy.models:
                game, options = fixture.contest.rules
                longest = game.longest(options, len(fixture.seating))
                proxy.expect(table_of(seed), fixture.match_id, seat, bot, longest)
        return made

    return ordered


def doubted(proxy: ModelProxy, results: Results) -> Results:
    """Handle results; a match in which a model gave no reply is void.

    After `MOST_VOIDS` voids, the missing reply is the bot's fault.
    """

    def take(fixture: Fixture, played: PlayedMatch) -> None:
        lost = proxy.lost(fixture.match_id)
        if lost is not None and (lost.always or not played.record or fixture.redeal < MOST_VOIDS):
            played = PlayedMatch(void=lost.why, failed=lost.bot)
        results(fixture, played)

    return take
