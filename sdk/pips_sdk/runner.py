"""`run`, the last call in a bot's file. Only a bot that plays needs gRPC."""

from __future__ import annotations

import sys

from pips_sdk._runtime.start import LOADING, StartError, check_bots
from pips_sdk.bot import Bot


def run(*bots: type[Bot]) -> None:
    """Play all matches that the referee seats these bots at, until the stream ends.

    There is one bot class per game. `pips-tourney` and `pips-bot` set the environment:
    PIPS_REFEREE is the referee's address, PIPS_CA is for a referee on another machine,
    and PIPS_TOKEN_FD is the inherited descriptor of the token.
    """
    if LOADING:
        LOADING[-1].extend(check_bots(bots).values())
        return
    try:
        by_game = check_bots(bots)
        from pips_sdk._runtime.client import play  # with gRPC

        play(by_game)
    except StartError as error:
        print(f"{sys.argv[0]}: {error}", file=sys.stderr)
        raise SystemExit(2) from None
    except KeyboardInterrupt:
        raise SystemExit(130) from None
