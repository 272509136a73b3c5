"""Sends its third answer of every match twice.

The second answers nothing. The standings show wrong questions.
"""

from pips.v1 import player_pb2
from tests.faults.zoo.raw import Raw


class Zoo(Raw):
    def answer(self, question: player_pb2.Question) -> None:
        super().answer(question)
        if question.number == 3:
            super().answer(question)


Zoo().play()
