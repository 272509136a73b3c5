"""Tries which settings of the kernel it could write, and which system folders.

It writes nothing: a file that opens is enough to boast of, by raising an exception.
Without a sandbox root's bot finds hundreds: the standings show crashes then.
"""

import os
from collections.abc import Iterator

from pips_sdk import run
from pips_sdk.serpent import SerpentAction, SerpentBot, SerpentView

FOLDERS = ("/usr", "/etc", "/opt", "/bin", "/usr/local/bin", "/sys", "/proc/sys")


def settings() -> Iterator[str]:
    for top in ("/proc/sys", "/sys/kernel"):
        for place, _, names in os.walk(top):
            yield from (f"{place}/{name}" for name in names)
    yield "/proc/sysrq-trigger"


def opens(path: str) -> bool:
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
    except OSError:
        return False
    return True


class Zoo(SerpentBot):
    def choose(self, view: SerpentView) -> SerpentAction:
        if self._question == 1:
            found = [path for path in settings() if opens(path)]
            found += [folder for folder in FOLDERS if os.access(folder, os.W_OK)]
            if found:
                raise RuntimeError(f"gained: {len(found)} places to write, such as {found[0]}")
        return super().choose(view)


run(Zoo)
