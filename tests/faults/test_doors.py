"""Strangers crowd the port of a hosted night, and a guest still comes in."""

from __future__ import annotations

import asyncio
import os
import resource
import socket
import ssl
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from hashlib import sha256
from pathlib import Path

import grpc

from pips.v1 import referee_pb2, referee_pb2_grpc
from pips_referee.service.tokens import OrganiserDoor, organiser_token
from tests.faults.referee import KEY, SERVE
from tests.faults.strangers import alive, connect, crowd, streams
from tests.patience import PATIENCE_S
from tests.pips_referee.house import BareBot
from tests.pips_referee.service.test_ports import HERE, TLS, a_port

TOKEN = b"invited"
FEW = 1024
"""Descriptors that many systems give a process unless it asks for more."""


@asynccontextmanager
async def hosting(folder: Path, port: int) -> AsyncIterator[subprocess.Popen[bytes]]:
    """A referee that has invited one guest."""
    key_read, key_write = os.pipe()
    os.write(key_write, KEY)
    os.close(key_write)
    tls = ["--tls-cert", str(HERE / "cert.pem"), "--tls-key", str(HERE / "key.pem")]
    words = ["--key-fd", str(key_read), "--bots", f"127.0.0.1:{port}", "--organiser", f"unix:{folder}/o", *tls]
    limit = f"import resource as r; r.setrlimit(r.RLIMIT_NOFILE, ({FEW}, r.getrlimit(r.RLIMIT_NOFILE)[1])); {SERVE}"
    process = subprocess.Popen(  # noqa: ASYNC220 - it returns at once
        [sys.executable, "-c", limit, "serve", *words], stdout=subprocess.PIPE, pass_fds=(key_read,)
    )
    os.close(key_read)
    door = OrganiserDoor(f"unix:{folder}/o", organiser_token(KEY))
    try:
        assert process.stdout is not None
        assert await asyncio.to_thread(process.stdout.readline) == b"ready\n"
        async with grpc.aio.insecure_channel(door.address) as channel:
            orders = referee_pb2_grpc.RefereeServiceStub(channel).RunMatch(metadata=door.metadata)
            guest = referee_pb2.Guest(process="c/0", token_sha256=sha256(TOKEN).digest(), games=["serpent"])
            await orders.write(referee_pb2.RunMatchRequest(invited=referee_pb2.Invited(guests=[guest])))
            yield process
            orders.cancel()
    finally:
        process.terminate()
        with process:
            await asyncio.to_thread(process.wait, PATIENCE_S)


async def come_in(port: int) -> None:
    """Send the guest's hello, which must succeed at the first try."""
    known = grpc.ssl_channel_credentials(TLS.certificate)
    alone = [("grpc.use_local_subchannel_pool", 1)]
    async with grpc.aio.secure_channel(f"localhost:{port}", known, options=alone) as channel:
        bot = BareBot(channel)
        assert (await bot.hello(TOKEN)).process == "c/0"
        bot.leave()


async def test_strangers_keep_no_guest_out(tmp_path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4 * FEW), hard))
    port, context = a_port(), ssl.create_default_context(cadata=TLS.certificate.decode())
    strangers: list[socket.socket] = []
    context.set_alpn_protocols(["h2"])
    try:
        async with hosting(tmp_path, port) as referee:
            await come_in(port)
            strangers += await asyncio.to_thread(crowd, ("127.0.0.1", port), 1000)
            await come_in(port)
            for _ in range(262):
                secured = await asyncio.to_thread(connect, ("127.0.0.1", port), context)
                secured.sendall(streams(4))
                strangers.append(secured)
            await come_in(port)
            async with asyncio.timeout(PATIENCE_S):
                while alive(strangers):  # noqa: ASYNC110 - sockets are no events
                    await asyncio.sleep(0.1)
            assert referee.poll() is None
            await come_in(port)
    finally:
        for stranger in strangers:
            stranger.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
