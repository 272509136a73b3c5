"""Plays at random, after it has left a process behind that nobody is the parent of."""

import os
import time

from pips_sdk import run
from pips_sdk.serpent import SerpentBot

if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.closerange(0, 100)
        time.sleep(600)
    os._exit(0)
os.wait()

run(SerpentBot)
