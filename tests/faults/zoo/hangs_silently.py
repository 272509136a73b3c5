"""Never answers its first question.

The question is given up when its time is over, and so is the next table's. The
standings show timeouts.
"""

import time

from pips_sdk import run
from pips_sdk.serpent import SerpentAction, SerpentBot, SerpentView


class Zoo(SerpentBot):
    def choose(self, view: SerpentView) -> SerpentAction:
        if self._question == 1:
            time.sleep(600)
        return super().choose(view)


run(Zoo)
