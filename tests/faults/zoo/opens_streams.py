"""Opens 256 silent connections of four streams each, before its hello and in its match.

They take room only from itself. With FIRST set it begins before it imports anything.
Then its own hello finds no room, and it is left out. Otherwise the standings show no
fault.
"""

import os

from tests.faults.strangers import crowd, streams

SOCKET = os.environ["PIPS_REFEREE"].removeprefix("unix:")
CROWD = crowd(SOCKET, 256, streams(4)) if "FIRST" in os.environ else []

from pips.v1 import player_pb2  # noqa: E402
from tests.faults.zoo.raw import Raw  # noqa: E402


class Zoo(Raw):
    def answer(self, question: player_pb2.Question) -> None:
        if question.number == 3:
            CROWD.extend(crowd(SOCKET, 256, streams(4)))
        super().answer(question)


Zoo().play()
