"""The process that serves a night beside its runner:
`python -m pips_tourney.web NIGHT.db FD`.
"""

from __future__ import annotations

import os
import socket
import sys
from argparse import ArgumentParser
from pathlib import Path

from pips_tourney.web.beside import TOKEN
from pips_tourney.web.serve import serve
from pips_tourney.web.server import Showing


def main() -> None:
    parser = ArgumentParser()
    parser.add_argument("database", type=Path)
    parser.add_argument("fd", type=int)
    parser.add_argument("--open-cards", action="store_true")
    asked = parser.parse_args()
    showing = Showing(asked.database, os.environ.get(TOKEN), asked.open_cards, play=False)
    serve(socket.socket(fileno=asked.fd), showing, beside=True)
    sys.exit(0)


if __name__ == "__main__":
    main()
