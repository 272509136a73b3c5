"""Answers its first question once more when it is asked the third.

The standings show wrong questions.
"""

from pips.v1 import player_pb2
from tests.faults.zoo.raw import Raw


class Zoo(Raw):
    def answer(self, question: player_pb2.Question) -> None:
        if question.number == 3:
            question.number = 1
        super().answer(question)


Zoo().play()
