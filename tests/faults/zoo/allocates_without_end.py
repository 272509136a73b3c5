"""Takes memory as fast as it gets it.

It is ended when it exceeds its limit. The standings show crashes that say so. Without
limits the machine's own memory would be the limit, so this bot is not played then.
"""

from pips_sdk import run
from pips_sdk.serpent import SerpentAction, SerpentBot, SerpentView


class Zoo(SerpentBot):
    def choose(self, view: SerpentView) -> SerpentAction:
        taken = []
        while True:
            taken.append(bytearray(b"x" * 4_000_000))


run(Zoo)
