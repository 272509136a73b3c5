"""How the processes of a night use gRPC: referees and bots are started so, and who
starts them is so itself.
"""

from __future__ import annotations

import os
from typing import Final

TUNING: Final = {"GRPC_EXPERIMENTS": "-event_engine_client,-event_engine_listener"}
"""gRPC's older poller takes a message through fewer threads; a gRPC that knows no such
switch says so and goes on.
"""


def tune() -> None:
    """This process; before it imports gRPC, which looks once. What somebody has set
    stays.
    """
    for name, value in TUNING.items():
        os.environ.setdefault(name, value)
