"""Sends a message of 100 MB instead of its third answer of every match.

Nothing of it is kept. Its stream is ended with RESOURCE_EXHAUSTED. The standings show
disconnects.
"""

from pips.v1 import player_pb2
from tests.faults.zoo.raw import Raw


class Zoo(Raw):
    def answer(self, question: player_pb2.Question) -> None:
        if question.number == 3:
            self.send(bytes(100_000_000))
        else:
            super().answer(question)


Zoo().play()
