"""How the processes of a night use gRPC, and how long they may take to start."""

from __future__ import annotations

import os
from typing import Final

TUNING: Final = {"GRPC_EXPERIMENTS": "-event_engine_client,-event_engine_listener"}
"""Use gRPC's older poller: a message passes through fewer threads.

A gRPC without this switch prints a line and works as usual.
"""
STARTUP_MS: Final = 10_000
"""Default timeout for a bot's hello."""


def tune() -> None:
    """Tune this process; call it before importing gRPC, which reads the variables once.

    Variables that are already set stay as they are.
    """
    for name, value in TUNING.items():
        os.environ.setdefault(name, value)
