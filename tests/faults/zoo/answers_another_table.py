"""Sends its third answer of every match with the number of a table it does not sit at.

That costs it the table whose answer was due. The standings show wrong questions.
"""

from pips.v1 import player_pb2
from tests.faults.zoo.raw import Raw


class Zoo(Raw):
    def answer(self, question: player_pb2.Question) -> None:
        if question.number == 3:
            self.games[question.table ^ 1] = self.games[question.table]
            question.table ^= 1
        super().answer(question)


Zoo().play()
