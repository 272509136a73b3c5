"""Opens a second stream under its own name while the first is open.

The second sees PERMISSION_DENIED, "is already connected"; the first plays on. The
standings show no fault.
"""

from pips.v1 import player_pb2
from tests.faults.zoo.raw import Raw


class Zoo(Raw):
    def answer(self, question: player_pb2.Question) -> None:
        if question.number == 3:
            other = Raw(self.token, self.session_key)
            other.dial()
            other.say_hello()
            status = other.end()
            if "already connected" not in status:
                self.boast(question, status)
                return
        super().answer(question)


Zoo().play()
