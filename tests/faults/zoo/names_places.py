"""Names files and folders of others in the words of its command and in its variables.

A sandbox that showed what they name would show them to it. It boasts of what it sees by
raising an exception.
"""

import os
import sys

from pips_sdk import run
from pips_sdk.serpent import SerpentAction, SerpentBot, SerpentView

VARIABLES = ("JAVA_HOME", "NODE_PATH", "VIRTUAL_ENV")


def seen() -> list[str]:
    named = [*sys.argv[1:], *(os.environ[name] for name in VARIABLES)]
    return [place for place in named if opens(place)]


def opens(place: str) -> bool:
    try:
        os.close(os.open(place, os.O_RDONLY))
    except OSError:
        return False
    return True


class Zoo(SerpentBot):
    def choose(self, view: SerpentView) -> SerpentAction:
        if places := seen():
            raise RuntimeError(f"gained: it sees {' '.join(places)}")
        return super().choose(view)


run(Zoo)
