"""Has 40 children of 60 ms compute for it, and ignores their end.

They are its own: what they compute out of turn is counted. The standings show no fault.
"""

import os
import signal
import sys
import threading
import time

from pips_sdk import run
from pips_sdk.serpent import SerpentBot

MOST = 40
"""Fewer than a bot may have processes, however slowly they come to their end."""
WORK = "import time\nwhile time.process_time() < 0.06: pass"


def breed() -> None:
    for _ in range(MOST):
        os.posix_spawn(sys.executable, [sys.executable, "-I", "-S", "-c", WORK], os.environ)
        time.sleep(0.1)


class Zoo(SerpentBot):
    pass


signal.signal(signal.SIGCHLD, signal.SIG_IGN)
threading.Thread(target=breed, daemon=True).start()
run(Zoo)
