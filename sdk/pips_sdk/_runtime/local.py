"""Matches between Python bots in this process, without referee or network.

The rules and results are the same as with a referee.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import sha256

from pips_referee.chance import Chance
from pips_referee.game import Options, Outcome, get_game
from pips_referee.match import FaultKind, Match, Question
from pips_sdk._runtime.table import FAILURES, BotTable, one_line, report
from pips_sdk.bot import Bot


def play_match(
    bots: Sequence[type[Bot]],
    seed: bytes,
    options: Options | None = None,
    rng_seeds: Sequence[bytes] = (),
    on_question: Callable[[Bot, Question], None] = lambda *_: None,
) -> Match:
    """Play one match on the deal of a 32-byte seed; return it finished.

    `bots` are by seat. An exception of a bot is its fault, and is shown on stderr.
    `rng_seeds` has a seed of 32 bytes for each bot's randomness. By default it is
    derived from the deal's seed and the bot's seat. `on_question` is called with every
    question before the bot.
    """
    game = get_game(bots[0].game)
    options = options or game.options()
    match = Match(game, options, len(bots), Chance(seed))
    seated = [BotTable(bot) for bot in bots]
    rng_seeds = rng_seeds or [sha256(seed + b"bot" + bytes([seat])).digest() for seat in range(len(bots))]
    for seat, table in enumerate(seated):
        table.begin(seat, len(bots), options, rng_seeds[seat])
    while match.to_ask is not None:
        _ask(seated[match.to_ask], match, on_question)
    outcome = match.outcome
    for seat, table in enumerate(seated):
        table.finish(Outcome(outcome.places, outcome.scores), match.news(seat))
    return match


def _ask(table: BotTable, match: Match, on_question: Callable[[Bot, Question], None]) -> None:
    """Put the open question to the bot; play the answer, or record a fault."""
    question = match.question()
    if table.broken:
        match.fault(question.seat, FaultKind.CRASH, "exception", table.broken)
        return
    bot = table.bot
    on_question(bot, question)
    try:
        action = table.as_sent(bot.ask(question.number, question.view, question.events))
    except FAILURES as error:  # any exception of a bot costs its match
        report(bot, question.view, question.number, error)
        match.fault(question.seat, FaultKind.CRASH, "exception", one_line(error, table.bot_class))
    else:
        match.answer(action)
