"""The floor: streams over gRPC between processes on one core that do nothing but carry
bytes.

A server puts a question to one client after the other, each when the one before has
answered, as a referee does with the bots of one table.

python -m tests.lab.bench.echo serve PATH CLIENTS COUNT  prints the round trips a second
python -m tests.lab.bench.echo answer PATH               a client, until the server ends
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from pathlib import Path
from time import perf_counter
from typing import Any, Final

import grpc

from pips_referee.loop import fast_loop
from pips_tourney.bots.tuning import TUNING

QUESTION_BYTES: Final = 250
"""About what Serpent's question takes, with its events."""
ANSWER_BYTES: Final = 14
WARMED_UP: Final = 200
PLAY: Final = "/pips.Echo/Play"


def round_trips(
    folder: Path, core: int, count: int, *, clients: int = 1, env: Mapping[str, str] | None = None
) -> float:
    """Round trips a second, server and clients pinned to one core; `env` is added to
    their environment.
    """
    path = str(folder / "echo")
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        server = _begin(env, "serve", path, str(clients), str(count))
        assert server.stdout is not None
        server.stdout.readline()  # it listens
        answering = [_begin(env, "answer", path) for _ in range(clients)]
        with server:
            rate = float(server.stdout.readline())
    finally:
        os.sched_setaffinity(0, cores)
    for client in answering:
        with client:
            pass
    return rate


def _begin(env: Mapping[str, str] | None, *words: str) -> subprocess.Popen[str]:
    untuned = {name: value for name, value in os.environ.items() if name not in TUNING}
    return subprocess.Popen(
        [sys.executable, "-m", "tests.lab.bench.echo", *words],
        env={**untuned, "GRPC_VERBOSITY": "ERROR", **(env or {})},
        stdout=subprocess.PIPE,
        text=True,
    )


async def serve(path: str, clients: int, count: int) -> None:
    """Serve until `count` round trips were made."""
    turns: list[asyncio.Event] = []
    begun, done, answers = 0.0, asyncio.Event(), 0

    async def play(requests: AsyncIterator[bytes], context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        me, turn = len(turns), asyncio.Event()
        turns.append(turn)
        reading = asyncio.create_task(read(requests, me))
        if len(turns) == clients:
            turns[0].set()
        while not done.is_set():
            await turn.wait()
            turn.clear()
            await context.write(bytes(QUESTION_BYTES))
        await reading

    async def read(requests: AsyncIterator[bytes], me: int) -> None:
        nonlocal begun, answers
        async for _ in requests:
            answers += 1
            if answers == WARMED_UP:
                begun = perf_counter()
            elif answers == WARMED_UP + count:
                print(count / (perf_counter() - begun), flush=True)
                done.set()
            turns[(me + 1) % clients].set()

    server = grpc.aio.server()
    handler: Any = grpc.stream_stream_rpc_method_handler(play)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("pips.Echo", {"Play": handler}),))
    server.add_insecure_port(f"unix:{path}")
    await server.start()
    print("ready", flush=True)
    await done.wait()
    await server.stop(None)


async def answer(path: str) -> None:
    """Answer every question."""
    async with grpc.aio.insecure_channel(f"unix:{path}") as channel:
        stream: Any = channel.stream_stream(PLAY)()
        with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
            while await stream.read() is not grpc.aio.EOF:
                await stream.write(bytes(ANSWER_BYTES))


def main() -> None:
    match sys.argv[1:]:
        case ["serve", path, clients, count]:
            work = serve(path, int(clients), int(count))
        case ["answer", path]:
            work = answer(path)
        case _:
            raise SystemExit(__doc__)
    with asyncio.Runner(loop_factory=fast_loop()) as runner:
        runner.run(work)


if __name__ == "__main__":
    main()
