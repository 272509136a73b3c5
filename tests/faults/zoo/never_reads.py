"""Says hello and never reads what it is sent.

The time for what it does not read is its own, even if nothing more gets through. The
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
