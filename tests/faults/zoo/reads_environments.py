"""Looks for tokens in the environments and arguments of all processes.

It boasts of any by raising an exception. There is none under any tier, because a token
comes through a descriptor that is read once. The standings show no fault.
"""

from contextlib import suppress
from pathlib import Path

from pips_sdk import run
from pips_sdk.serpent import SerpentAction, SerpentBot, SerpentView


def look() -> str:
    for process in Path("/proc").glob("[0-9]*"):
        for name in ("environ", "cmdline"):
            with suppress(OSError):
                for word in (process / name).read_bytes().split(b"\0"):
                    variable, _, value = word.partition(b"=")
                    if variable.endswith(b"TOKEN") or (variable == b"PIPS_TOKEN_FD" and len(value) > 5):
                        return word.decode(errors="replace")
    return ""


class Zoo(SerpentBot):
    def choose(self, view: SerpentView) -> SerpentAction:
        if token := look():
            raise RuntimeError(f"gained: {token}")
        return super().choose(view)


run(Zoo)
