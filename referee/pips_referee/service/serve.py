"""A referee process: both servers and the timekeeper, on one event loop."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress

from pips_referee.service.bots import Doors, bot_server, bot_service
from pips_referee.service.organiser import OrganiserService, organiser_server
from pips_referee.service.ports import Tls
from pips_referee.service.sessions import SessionRegistry
from pips_referee.service.timekeeper import keep_time
from pips_referee.service.tokens import organiser_token


async def serve_forever(
    bots: Sequence[str],
    organiser: str,
    key: bytes,
    grace_s: float,
    on_ready: Callable[[], None],
    *,
    tls: Tls | None = None,
) -> None:
    """Serve until SIGTERM or SIGINT.

    `key` signs the bots' tokens, and the organiser's token is derived from it; `tls` is
    for TCP addresses of the bots.
    """
    _raise_descriptors()
    registry = SessionRegistry(key)
    doors = Doors(registry)
    services = {address: bot_service(registry, address) for address in bots}
    servers = [
        *(bot_server(service, address, tls) for address, service in services.items()),
        organiser_server(OrganiserService(registry, doors, grace_s), organiser, organiser_token(key)),
    ]
    for server in servers:
        await server.start()
    clock = asyncio.create_task(keep_time(registry, grace_s))
    looking = [
        asyncio.create_task(service.turnstile.keep_looking()) for service in services.values() if service.turnstile.port
    ]
    await _serve_until_told(clock, on_ready)
    for task in looking:
        task.cancel()
    await doors.close_all()
    for server in servers:
        await server.stop(None)
    if clock.done():
        clock.result()
    clock.cancel()


async def _serve_until_told(clock: asyncio.Task[None], on_ready: Callable[[], None]) -> None:
    """Return at SIGTERM or SIGINT, or if the clock fails."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    on_ready()
    stopped = asyncio.create_task(stop.wait())
    await asyncio.wait([stopped, clock], return_when=asyncio.FIRST_COMPLETED)


def _raise_descriptors() -> None:
    """Allow as many descriptors as possible: unknown connections need some."""
    with suppress(ImportError, OSError, ValueError):
        import resource  # missing on some platforms

        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
