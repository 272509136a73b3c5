"""The process beside a night: how it ends."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

from pips_tourney.web.address import listen
from tests.patience import PATIENCE_S


def test_news_are_complete_when_the_runner_has_ended(night: Path) -> None:
    """A browser takes news that break off for an error."""
    listener = listen("127.0.0.1", 0)
    port, handle = listener.getsockname()[1], listener.fileno()
    command = [sys.executable, "-m", "pips_tourney.web", str(night), str(handle)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, pass_fds=[handle]) as pages:
        listener.close()
        with socket.create_connection(("127.0.0.1", port), PATIENCE_S) as spectator:
            spectator.settimeout(PATIENCE_S)
            spectator.sendall(b"GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            sent = b""
            while b"event: night" not in sent:
                sent += spectator.recv(1 << 16)
            assert b"content-type: text/event-stream" in sent and b"content-encoding" not in sent
            _, told = pages.communicate(timeout=PATIENCE_S)
            while more := spectator.recv(1 << 16):
                sent += more
    assert sent.endswith(b"\r\n0\r\n\r\n"), sent[-100:]
    assert (pages.returncode, told) == (0, b"")
