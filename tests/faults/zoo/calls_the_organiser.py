"""Calls what only the organiser may call, on the only socket it knows.

It sees UNIMPLEMENTED. The standings show no fault.
"""

from pips.v1 import player_pb2
from tests.faults.zoo.raw import Raw


class Zoo(Raw):
    def answer(self, question: player_pb2.Question) -> None:
        if question.number == 3:
            for method in ("ListBots", "RunMatch"):
                status = self.call(method)
                if "UNIMPLEMENTED" not in status:
                    self.boast(question, status)
                    return
        super().answer(question)


Zoo().play()
