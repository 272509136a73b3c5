"""Says hello and never reads what it is sent.

What it does not read is its own time, also what no longer gets through to it. The
standings show timeouts.
"""

import time

from tests.faults.zoo.raw import Raw


class Zoo(Raw):
    def play(self) -> None:
        self.dial()
        self.say_hello()
        time.sleep(600)


Zoo().play()
