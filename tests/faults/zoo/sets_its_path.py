"""Brings a program `bwrap` of its own, and a PATH on which that comes first.

Nobody starts it: bubblewrap is found at an absolute path. The bot plays on, and the
standings show no fault.
"""

from pips_sdk import run
from pips_sdk.serpent import SerpentBot


class Zoo(SerpentBot):
    pass


run(Zoo)
