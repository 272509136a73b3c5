"""Ignores every signal that can be ignored.

Processes are ended with the one that cannot. The standings show no fault.
"""

import signal

from pips_sdk import run
from pips_sdk.serpent import SerpentBot

for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
    signal.signal(number, signal.SIG_IGN)

run(SerpentBot)
