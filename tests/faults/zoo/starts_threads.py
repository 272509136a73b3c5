"""Starts sleeping threads until it gets no more, lets them go and plays on.

Beyond its limit the kernel refuses them, or the keeper ends it. It boasts of a thousand
that it may keep by raising an exception. Nobody else lacks a process number.
"""

import threading
import time

from pips_sdk import run
from pips_sdk.serpent import SerpentAction, SerpentBot, SerpentView

MANY = 1000


def bomb() -> int:
    woken = threading.Event()  # of this try alone
    threading.stack_size(1 << 16)
    for number in range(MANY):
        try:
            threading.Thread(target=woken.wait, daemon=True).start()
        except RuntimeError:
            woken.set()
            return number
    return MANY


class Zoo(SerpentBot):
    def choose(self, view: SerpentView) -> SerpentAction:
        if self._question == 1:
            started = bomb()
            if started == MANY:
                time.sleep(3)  # a keeper that looks ends it meanwhile
                raise RuntimeError(f"gained: {started} threads")
        return super().choose(view)


run(Zoo)
