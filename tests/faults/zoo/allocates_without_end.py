"""Takes memory until there is none left.

Under `limits` and `bubblewrap` its group is killed when it has the league's share, and started again. The standings
show crashes that say so. Under `none` nobody stops it: do not try.
"""

from pips_sdk import run
from pips_sdk.serpent import SerpentAction, SerpentBot, SerpentView


class Zoo(SerpentBot):
    def choose(self, view: SerpentView) -> SerpentAction:
        hoard = []
        while True:
            hoard.append(bytearray(b"x") * 10_000_000)


run(Zoo)
