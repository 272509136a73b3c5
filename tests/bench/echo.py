"""The floor: a stream over gRPC between two processes on one core that does nothing but carry bytes.

python -m tests.bench.echo PATH     the server, on a Unix socket
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from time import perf_counter

import grpc

from pips_referee.serve import fast_loop

QUESTION_BYTES = 250
"""About what Serpent's question takes, with its events."""
ANSWER_BYTES = 14


async def serve(path: str) -> None:
    question = bytes(QUESTION_BYTES)

    async def play(requests: AsyncIterator[bytes], context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        async for _ in requests:
            await context.write(question)

    server = grpc.aio.server()
    handler = grpc.stream_stream_rpc_method_handler(play)  # type: ignore[var-annotated]
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("pips.Echo", {"Play": handler}),))
    server.add_insecure_port(f"unix:{path}")
    await server.start()
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    await server.wait_for_termination()


async def round_trips(folder: Path, core: int, count: int) -> float:
    """Round trips a second, server and client pinned to one core."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    server = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.bench.echo", str(folder / "echo"), stdout=asyncio.subprocess.PIPE
    )
    try:
        assert server.stdout is not None
        await server.stdout.readline()
        async with grpc.aio.insecure_channel(f"unix:{folder}/echo") as channel:
            stream = channel.stream_stream("/pips.Echo/Play")()  # type: ignore[var-annotated]
            answer = bytes(ANSWER_BYTES)
            start = perf_counter()
            for _ in range(count):
                await stream.write(answer)
                await stream.read()
            return count / (perf_counter() - start)
    finally:
        server.kill()
        await server.wait()
        os.sched_setaffinity(0, cores)


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=fast_loop()) as runner:
        runner.run(serve(sys.argv[1]))
