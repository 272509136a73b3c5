"""Goes to all cores, the usual scheduling class and a session of its own.

It does so at its first question. Under a filter of system calls it stays where it is,
and the standings show no fault.
Else it boasts of where it is by raising an exception.
"""

import os
from contextlib import suppress

from pips_sdk import run
from pips_sdk.serpent import SerpentAction, SerpentBot, SerpentView


def left() -> bool:
    before = os.sched_getaffinity(0), os.sched_getscheduler(0)
    with suppress(OSError):
        os.sched_setaffinity(0, range(os.cpu_count() or 1))
    with suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    if not (child := os.fork()):
        with suppress(OSError):
            os.setsid()
        os._exit(os.getsid(0) == os.getpid())
    has_session = os.waitpid(child, 0)[1] != 0
    return has_session or (os.sched_getaffinity(0), os.sched_getscheduler(0)) != before


class Zoo(SerpentBot):
    def choose(self, view: SerpentView) -> SerpentAction:
        if self._question == 1 and left():
            raise RuntimeError("gained: it left its core, its scheduling class or its session")
        return super().choose(view)


run(Zoo)
