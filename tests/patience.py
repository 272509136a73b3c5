"""How long a test waits for what must come."""

from __future__ import annotations

from typing import Final

PATIENCE_S: Final = 300.0
"""Nothing takes that long, on a machine either that gives most of its time to others. It is no limit that is tested."""
