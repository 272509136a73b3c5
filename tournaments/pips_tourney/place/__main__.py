"""The process that serves a place's pages beside a host:
`python -m pips_tourney.place LEAGUE NIGHT.db --fd N --dial HOST:PORT --at ADDRESS`.
"""

from __future__ import annotations

import os
import socket
import sys
from argparse import ArgumentParser
from pathlib import Path

from pips_tourney.errors import TourneyError


def main() -> int:
    parser = ArgumentParser()
    parser.add_argument("league", type=Path)
    parser.add_argument("database", type=Path)
    parser.add_argument("--fd", type=int, required=True)
    parser.add_argument("--dial", required=True)
    parser.add_argument("--at", required=True)
    parser.add_argument("--cert", type=Path)
    parser.add_argument("--key", type=Path)
    parser.add_argument("--open-cards", action="store_true")
    asked = parser.parse_args()
    from pips_tourney.place.hosted import HostedPages, serve_hosted
    from pips_tourney.web.beside import TOKEN

    pages = HostedPages(
        asked.league, asked.database, asked.dial, asked.at, (asked.cert, asked.key) if asked.cert else None,
        open_cards=asked.open_cards, token=os.environ.pop(TOKEN, None),
    )  # fmt: skip
    try:
        serve_hosted(pages, socket.socket(fileno=asked.fd))
    except TourneyError as error:
        print(f"The pages cannot be served: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
