"""Goes to all cores and to the usual scheduling class at its first question.

Under a filter of system calls it stays where it is, and the standings show no fault.
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
    return (os.sched_getaffinity(0), os.sched_getscheduler(0)) != before


class Zoo(SerpentBot):
    def choose(self, view: SerpentView) -> SerpentAction:
        if self._question == 1 and left():
            raise RuntimeError("gained: it left its core or its scheduling class")
        return super().choose(view)


run(Zoo)
