"""Work that puts things in order, and is not stopped halfway."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any


async def to_its_end(work: Coroutine[Any, Any, None]) -> None:
    """Do work to its end, even if this is cancelled meanwhile; then that goes on."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise
