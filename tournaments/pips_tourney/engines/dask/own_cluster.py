"""A cluster on this machine that nobody else can use.

Its certificates are made for one night and kept in memory (`Security.temporary`).
Scheduler and workers speak only to holders of the key: the runner and its workers.
Dask's pages are not served, not even to loopback.
"""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from logging import ERROR
from typing import Any, Final

import dask
from distributed import Client, Nanny, Scheduler, Security, SpecCluster, Worker

PROTOCOL: Final = "tls://"
LOOPBACK: Final = "127.0.0.1"
UNREAD: Final = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.system-monitor.interval": "60s",
    "distributed.admin.tick.interval": "1s",
}
"""What Dask measures for its pages up to a hundred times a second: nobody sees them."""


class _NoPages:
    """Replaces the server of pages for a browser."""

    def start_http_server(self, *_: object, **__: object) -> None:
        return


class ClosedScheduler(_NoPages, Scheduler):
    """A scheduler without pages."""


class ClosedWorker(_NoPages, Worker):
    """A worker without pages."""


@asynccontextmanager
async def own_cluster(workers: int) -> AsyncIterator[Any]:
    """Yield a client of a new cluster of `workers` workers, which ends with it.

    Raises `EngineError` if the cluster cannot be made.
    """
    security = Security.temporary()
    shared = {"host": LOOPBACK, "protocol": PROTOCOL, "security": security}
    # The bots' files are unpacked there: only the owner may enter.
    with tempfile.TemporaryDirectory(prefix="pips-dask-") as folder, dask.config.set(UNREAD):
        worker = {
            "cls": Nanny,
            "options": {
                **shared,
                "nthreads": 1,
                "worker_class": ClosedWorker,
                "local_directory": folder,
                "silence_logs": ERROR,
            },
        }
        cluster = SpecCluster(
            scheduler={"cls": ClosedScheduler, "options": {**shared, "port": 0, "dashboard": False}},
            workers=dict.fromkeys(range(workers), worker),
            security=security,
            asynchronous=True,
            silence_logs=ERROR,
        )
        async with cluster, Client(cluster, asynchronous=True, set_as_default=False) as client:
            yield client
