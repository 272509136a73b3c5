"""A pipe that was given to a loop is closed once, whichever loop it is."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from io import FileIO
from typing import ClassVar

import pytest
import uvloop

from pips_referee.loop import fast_loop, loop_pipe


class Watched(FileIO):
    """A file that looks at its descriptor before it closes it."""

    found: ClassVar[list[bool]]

    def close(self) -> None:
        if not self.closed:
            try:
                os.fstat(self.fileno())
                type(self).found.append(True)
            except OSError:
                type(self).found.append(False)
        super().close()


@pytest.mark.parametrize("new_loop", [asyncio.new_event_loop, uvloop.new_event_loop])
def test_no_descriptor_is_closed_twice(new_loop: Callable[[], asyncio.AbstractEventLoop]) -> None:
    Watched.found = []

    async def connect_and_close() -> None:
        loop = asyncio.get_running_loop()
        read, theirs = os.pipe()
        mine, write = os.pipe()
        reading, _ = await loop.connect_read_pipe(asyncio.Protocol, loop_pipe(Watched(read, "r")))
        writing, _ = await loop.connect_write_pipe(asyncio.Protocol, loop_pipe(Watched(write, "w")))
        reading.close()
        writing.close()
        assert await asyncio.to_thread(os.read, mine, 1) == b"", "the other end sees that it was closed"
        with pytest.raises(BrokenPipeError):
            os.write(theirs, b"x")
        os.close(mine)
        os.close(theirs)

    with asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(connect_and_close())
    assert Watched.found == [True, True]


def test_ours_is_the_fast_one() -> None:
    assert fast_loop() is uvloop.new_event_loop
