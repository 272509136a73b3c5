"""Leaves a daemon behind that has no parent and, if it may, its own session.

The daemon is ended with its process or the night, because the keeper is its subreaper.
The standings show no fault.
"""

import os
import time
from contextlib import suppress

from pips_sdk import run
from pips_sdk.serpent import SerpentAction, SerpentBot, SerpentView


class Zoo(SerpentBot):
    def choose(self, view: SerpentView) -> SerpentAction:
        if self._question == 1:
            if os.fork() == 0:
                with suppress(PermissionError):  # without a filter
                    os.setsid()
                if os.fork() == 0:
                    os.closerange(0, 100)
                    time.sleep(600)
                os._exit(0)
            os.wait()
        return super().choose(view)


run(Zoo)
