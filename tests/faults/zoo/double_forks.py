"""Leaves a daemon behind that has its own session and no parent.

The daemon is ended with the night, because the keeper is its subreaper. The standings
show no fault.
"""

import os
import time

from pips_sdk import run
from pips_sdk.serpent import SerpentAction, SerpentBot, SerpentView


class Zoo(SerpentBot):
    def choose(self, view: SerpentView) -> SerpentAction:
        if self._question == 1:
            if os.fork() == 0:
                os.setsid()
                if os.fork() == 0:
                    os.closerange(0, 100)
                    time.sleep(600)
                os._exit(0)
            os.wait()
        return super().choose(view)


run(Zoo)
