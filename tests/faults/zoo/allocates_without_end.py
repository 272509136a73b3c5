"""Takes memory as fast as it gets it.

It is ended once it has more than it may. The standings show crashes that say so; where
no limits are in force the machine's own memory is the limit, so that this one is not
played without them.
"""

from pips_sdk import run
from pips_sdk.serpent import SerpentAction, SerpentBot, SerpentView


class Zoo(SerpentBot):
    def choose(self, view: SerpentView) -> SerpentAction:
        taken = []
        while True:
            taken.append(bytearray(b"x" * 4_000_000))


run(Zoo)
