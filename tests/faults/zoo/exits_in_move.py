"""Ends its process in its first move when it sits in seat 0.

It is started again; its other tables go on with the new process. The standings show a
crash with its last words.
"""

import os
import sys

from pips_sdk import run
from pips_sdk.serpent import SerpentAction, SerpentBot, SerpentView


class Zoo(SerpentBot):
    def choose(self, view: SerpentView) -> SerpentAction:
        if self._question == 1 and self.seat == 0:
            print("goodbye", file=sys.stderr, flush=True)
            os._exit(3)
        return super().choose(view)


run(Zoo)
