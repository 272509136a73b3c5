"""Processes that a test starts and that coverage leaves alone."""

from __future__ import annotations

import os


def unmeasured() -> dict[str, str]:
    """The environment without what begins coverage in a process.

    Coverage loads modules of its own.
    """
    return {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
