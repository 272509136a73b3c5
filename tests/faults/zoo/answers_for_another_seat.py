"""Answers at every table number it can think of, to play its opponent's turns.

Table numbers are drawn for each stream, so none of them is the opponent's. Nothing
reaches the other seat. The standings show wrong questions.
"""

from pips.v1 import player_pb2
from tests.faults.zoo.raw import Raw


class Zoo(Raw):
    def answer(self, question: player_pb2.Question) -> None:
        if question.number == 3:
            for table in (1, 2, question.table - 1, question.table + 1):
                self.send(player_pb2.PlayRequest(answers=[player_pb2.Answer(table=table, number=1)]))
        super().answer(question)


Zoo().play()
