"""Sends bytes that are no message instead of its third answer of every match.

It sees its stream ended, ABORTED, "malformed". The standings show that.
"""

from pips.v1 import player_pb2
from tests.faults.zoo.raw import Raw


class Zoo(Raw):
    def answer(self, question: player_pb2.Question) -> None:
        if question.number == 3:
            self.send(bytes(range(255, 0, -1)))
        else:
            super().answer(question)


Zoo().play()
