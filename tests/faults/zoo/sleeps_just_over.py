"""Takes a little more than its time for its first move.

The answer is dropped; the next table's time begins when it comes. The standings show
timeouts.
"""

import os
import time

from pips_sdk import run
from pips_sdk.serpent import SerpentAction, SerpentBot, SerpentView

LIMIT_S = float(os.environ["LIMIT_S"])


class Zoo(SerpentBot):
    def choose(self, view: SerpentView) -> SerpentAction:
        if self._question == 1:
            time.sleep(1.1 * LIMIT_S)
        return super().choose(view)


run(Zoo)
