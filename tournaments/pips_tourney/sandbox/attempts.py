"""Try what a bot must not be able to do, and print a list of what succeeded.

It is run as a file within the fence that is tested, with the interpreter's `-I -S` and
one argument, in JSON: `own`, the bot's own socket; `doors`, the sockets of others by
name; `secret`, a file that all users may read; `runner`, the number of a process.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from collections.abc import Callable
from functools import partial
from typing import Any


def main(targets: dict[str, Any]) -> None:
    temporary = os.environ["TMPDIR"]
    with open(f"{temporary}/own", "w", encoding="ascii") as file:  # noqa: PTH123 - no pathlib
        file.write("own")
    dial(targets["own"])
    attempts: dict[str, Callable[[], object]] = {
        **{f"{name} socket": partial(dial, path) for name, path in targets["doors"].items()},
        "the secret of a night": lambda: os.open(targets["secret"], os.O_RDONLY),
        "files for temporary use": lambda: os.open("/tmp", os.O_RDWR | os.O_TMPFILE),  # noqa: S108 - the attempt
        "other processes' words": lambda: os.open(f"/proc/{targets['runner']}/cmdline", os.O_RDONLY),
        "other processes": lambda: os.kill(targets["runner"], 0),
        "a network": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
        "a socket's name": lambda: socket.socket(socket.AF_UNIX).bind(f"{temporary}/socket"),
        "opening its files to others": lambda: os.chmod(f"{temporary}/own", 0o666),  # noqa: PTH101, S103 - the attempt
    }
    print(json.dumps([name for name, attempt in attempts.items() if succeeds(attempt)]))


def dial(path: str) -> None:
    with socket.socket(socket.AF_UNIX) as door:
        door.connect(path)


def succeeds(attempt: Callable[[], object]) -> bool:
    try:
        attempt()
    except OSError:
        return False
    return True


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
