"""How the processes of a night use gRPC, and how long they may take to start."""

from __future__ import annotations

import os
from typing import Final

TUNING: Final = {"GRPC_EXPERIMENTS": "-event_engine_client,-event_engine_listener"}
"""Use gRPC's older poller: a message passes fewer threads.

A gRPC without this switch prints a line and goes on.
"""
STARTUP_MS: Final = 10_000
"""How long a bot may take to its hello, where the league file does not say."""


def tune() -> None:
    """Tune this process; call it before the import of gRPC, which looks once.

    Variables that somebody has set stay.
    """
    for name, value in TUNING.items():
        os.environ.setdefault(name, value)
