"""Says hello once, and dies in that match. Its later processes end without a hello.

After the third of them in a row it is left out, and the standings say so.
"""

import os
import sys
from pathlib import Path

from pips.v1 import player_pb2
from tests.faults.zoo.raw import Raw

MARK = Path("started")


class Zoo(Raw):
    def answer(self, question: player_pb2.Question) -> None:
        os._exit(1)


try:
    MARK.touch(exist_ok=False)  # of two processes that start together one alone says hello
except FileExistsError:
    sys.exit(1)
Zoo().play()
