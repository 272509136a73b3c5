"""How long a test waits for what must come."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic, sleep
from typing import Final

PATIENCE_S: Final = 300.0
"""Nothing takes that long, on a machine either that gives most of its time to others.
It is no limit that is tested.
"""
LOOK_S: Final = 0.01


def until(holds: Callable[[], bool], what: str) -> None:
    """Wait until something real has come to be; `what` says what did not."""
    deadline = monotonic() + PATIENCE_S
    while not holds():
        assert monotonic() < deadline, what
        sleep(LOOK_S)
