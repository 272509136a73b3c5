"""Sends two hundred empty messages before its third answer of every match.

It sees its stream ended, ABORTED, "flood". The standings show floods.
"""

from pips.v1 import player_pb2
from tests.faults.zoo.raw import Raw


class Zoo(Raw):
    def answer(self, question: player_pb2.Question) -> None:
        if question.number == 3:
            for _ in range(200):
                self.send(player_pb2.PlayRequest())
        super().answer(question)


Zoo().play()
