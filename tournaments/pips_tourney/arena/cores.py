"""The processor cores for arenas: each arena keeps to one."""

from __future__ import annotations

import os


def allowed_cores() -> list[int]:
    """Return the processor cores that this process may use, in order."""
    return sorted(os.sched_getaffinity(0))
