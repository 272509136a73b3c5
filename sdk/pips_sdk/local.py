"""Matches between Python bots in this process: no referee, no network, the same rules and the same match."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from pips_referee.chance import Chance
from pips_referee.game import Options, Outcome, get_game
from pips_referee.match import FaultKind, Match
from pips_sdk.bot import Bot
from pips_sdk.table import one_line, report


def play_match(bots: Sequence[type[Bot]], seed: bytes, options: Options | None = None) -> Match:
    """One match of these bots by seat on the deal of a 32-byte seed; the finished match.

    What a bot raises is its fault, shown on stderr. Each bot's randomness follows from the seed and its seat.
    """
    game = get_game(bots[0].game)
    options = options or game.options()
    match = Match(game, options, len(bots), Chance(seed))
    seated = [bot() for bot in bots]
    for seat, bot in enumerate(seated):
        bot.begin(seat, len(bots), options, sha256(seed + b"bot" + bytes([seat])).digest())
    while (seat_to_ask := match.to_ask) is not None:
        question = match.question()
        bot = seated[seat_to_ask]
        try:
            action = bot.ask(question.number, question.view, question.events)
        except Exception as error:  # noqa: BLE001 - whatever a bot raises costs its match
            report(bot, question.view, question.number, error)
            match.fault(seat_to_ask, FaultKind.CRASH, "exception", one_line(error))
        else:
            match.answer(action)
    outcome = match.outcome
    for seat, bot in enumerate(seated):
        for event in match.news(seat):
            bot.on_event(event)
        bot.on_finish(Outcome(outcome.places, outcome.scores))
    return match
