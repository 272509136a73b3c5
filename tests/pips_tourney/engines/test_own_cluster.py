"""The cluster of a night on its own machine: its runner uses it, other users cannot."""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
from pathlib import Path
from typing import Any

import psutil
import pytest
from distributed import Client, Security

from pips_tourney.engines.dask.own_cluster import own_cluster

pytestmark = [pytest.mark.unmeasured, pytest.mark.xdist_group("processes")]


def listening() -> set[int]:
    """Return the ports that this process and its descendants listen at."""
    family = [psutil.Process(), *psutil.Process().children(recursive=True)]
    held = [connection for process in family for connection in process.net_connections("inet")]
    return {connection.laddr.port for connection in held if connection.status == psutil.CONN_LISTEN}


def greeting_without_keys(port: int) -> str:
    """Return what anybody without the night's keys hears; "" if nothing."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as plain:
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        try:
            with context.wrap_socket(plain) as secure:
                secure.sendall(bytes(64))
                return repr(secure.recv(64))
        except OSError:
            return ""


async def refused(address: str, security: Security | None) -> bool:
    try:
        async with Client(address, asynchronous=True, set_as_default=False, security=security, timeout=3) as client:
            await client.submit(os.getpid)
    except (OSError, ValueError, RuntimeError, TimeoutError):
        return True
    return False


async def test_only_who_has_its_keys_runs_code_in_it(capfd: pytest.CaptureFixture[str]) -> None:
    before = listening()
    async with own_cluster(1) as client:
        assert await client.submit(os.getpid) != os.getpid()
        address, ports = client.scheduler.address, listening() - before
        assert address.startswith("tls://127.0.0.1:") and len(ports) == 3, "scheduler, nanny, worker: and no pages"
        for port in ports:
            assert await asyncio.to_thread(greeting_without_keys, port) == ""
            assert await refused(f"tcp://127.0.0.1:{port}", None)
            assert await refused(f"tls://127.0.0.1:{port}", Security.temporary())
    capfd.readouterr()  # Dask prints how strangers failed


async def test_what_it_unpacks_only_its_owner_reads() -> None:
    def place() -> Any:
        from distributed import get_worker

        return get_worker().local_directory

    async with own_cluster(1) as client:
        folder = next(path for path in Path(await client.submit(place)).parents if path.name.startswith("pips-dask-"))
        assert folder.stat().st_mode & 0o777 == 0o700
    assert not folder.exists()
