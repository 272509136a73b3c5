"""The kinds of entries in a night's log; entries.py says what each contains."""

from __future__ import annotations

from typing import Final

BEGUN, ENDED, VOID, OUTPUT, OUT_OF_TURN = "night", "end", "void", "output", "out of turn"
REFUSED, TIME_UP = "refused", "time up"
COMMITTED, BEACON = "commitment", "beacon"
HANDED_IN, MODELS, ROUND, GAMES = "handed in", "models", "round", "games"

PAUSE, RESUME, ADD = "pause", "resume", "add"
WITHDRAW, REINSTATE = "withdraw", "reinstate"
ANNUL, RESTORE, REPLAY = "annul", "restore", "replay"
DIRECTORS: Final = (PAUSE, RESUME, ADD, WITHDRAW, REINSTATE, ANNUL, RESTORE, REPLAY)
"""The kinds of the director's entries."""
ABSENT, BROKEN, UNFENCED = "absent", "broken", "unfenced"
"""The kinds of the runner's entries.

They are about bots that did not start, entries of the league file that are not bots,
and bots that play without a fence.
"""
REDEAL: Final = "redeal"
"""The kind of the runner's entry for a match that was void on account of a bot.

Its block is played on a fresh deal, so that nobody replays a match they have seen.
"""
DECIDING: Final = (*DIRECTORS, ABSENT, BROKEN, UNFENCED, REDEAL, ROUND)
"""The kinds that decide what is played."""
