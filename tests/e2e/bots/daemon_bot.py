"""A bot that plays at random and leaves behind a process without a parent."""

import os
import time
from contextlib import suppress

from pips_sdk import run
from pips_sdk.serpent import SerpentBot

if os.fork() == 0:
    with suppress(PermissionError):  # without a filter
        os.setsid()
    if os.fork() == 0:
        os.closerange(0, 100)
        time.sleep(600)
    os._exit(0)
os.wait()

run(SerpentBot)
