"""Takes most of its time for its first move.

The move counts. The standings show no fault.
"""

import os
import time

from pips_sdk import run
from pips_sdk.serpent import SerpentAction, SerpentBot, SerpentView

LIMIT_S = float(os.environ["LIMIT_S"])


class Zoo(SerpentBot):
    def choose(self, view: SerpentView) -> SerpentAction:
        if self._question == 1:
            time.sleep(0.75 * LIMIT_S)
        return super().choose(view)


run(Zoo)
