"""A bot that answers at once, with a child that never releases the core."""

import subprocess
import sys

from pips_sdk import run
from pips_sdk.serpent import SerpentBot

if __name__ == "__main__":
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as child:
        try:
            run(SerpentBot)
        finally:
            child.kill()
