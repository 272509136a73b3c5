"""Ends its side of the stream at its third question of every match, and comes back.

The match it was at is lost, its others go on. The standings show disconnects.
"""

from pips.v1 import player_pb2
from tests.faults.zoo.raw import Raw


class Zoo(Raw):
    def answer(self, question: player_pb2.Question) -> None:
        if question.number == 3:
            self.hang_up()
        else:
            super().answer(question)


Zoo().play()
