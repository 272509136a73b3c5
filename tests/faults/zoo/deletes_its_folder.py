"""Deletes its working directory.

The process that did it plays on; the next one cannot be started there, and its matches
are lost. The standings show crashes that say so.
"""

import shutil
from pathlib import Path

from pips_sdk import run
from pips_sdk.serpent import SerpentBot

if Path.cwd().name == "home":
    shutil.rmtree(Path.cwd(), ignore_errors=True)

run(SerpentBot)
