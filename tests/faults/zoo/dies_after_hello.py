"""Says hello and dies at its first question, in every process that it has.

Each costs it one match. With `max_faults` it is withdrawn after so many.
"""

import os

from pips.v1 import player_pb2
from tests.faults.zoo.raw import Raw


class Zoo(Raw):
    def answer(self, question: player_pb2.Question) -> None:
        os._exit(1)


Zoo().play()
