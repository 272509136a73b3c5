"""A server that speaks chat completions, on loopback: a model that picks at random.

It knows nothing of games. It picks from the legal answers that it is shown, or takes
the example, or replies by `says`. Bot and proxy ask it as they would ask any other.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random
from threading import Event, Thread
from typing import Any

from pips_tourney.models.league_model import PROBE

KEY = "sk-secret-0123456789abcdef"
SHOWN = re.compile(r"^ *(?:For example: )?(answer: .+)$", re.MULTILINE)
Says = Callable[[str, int], str]


def one_of_them(asked: str, attempt: int) -> str:
    """One of the answers in a question, the same for the same question."""
    shown = SHOWN.findall(asked) or ["yes"]
    return f"I think aloud.\n{Random(sha256(asked.encode()).digest()).choice(shown)}"


@dataclass
class Stub:
    """What it was asked, and how it replies."""

    says: Says = one_of_them
    troubles: list[tuple[int, Mapping[str, str], str]] = field(default_factory=list)
    """Statuses, headers and bodies of its next responses, before it replies."""
    down: tuple[int, str] | None = None
    """The status and body of all its responses, while it is set."""
    refused: tuple[int, str] | None = None
    """The same, but for what the organiser asks alone."""
    drips_s: float = 0.0
    """How long it waits after each byte of a body."""
    bodies: list[dict[str, Any]] = field(default_factory=list)
    probes: int = 0
    """Questions that the organiser asked of the server alone."""
    keys: list[str] = field(default_factory=list)
    url: str = ""
    ended: Event = field(default_factory=Event)

    def reply(self, body: dict[str, Any]) -> dict[str, Any]:
        if body["messages"] == list(PROBE):
            return {"choices": [{"message": {"content": "yes"}}]}
        self.bodies.append(body)
        asked = [message["content"] for message in body["messages"] if message["role"] == "user"]
        text = self.says(asked[0], len(asked))
        usage = {"prompt_tokens": 100, "completion_tokens": 10}
        return {"choices": [{"message": {"role": "assistant", "content": text}}], "usage": usage}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    stub: Stub

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        is_probe = body["messages"] == list(PROBE)
        self.stub.probes += is_probe
        self.stub.keys.append(self.headers.get("Authorization", ""))
        status, headers, text = 200, dict[str, str](), ""
        if self.path != "/v1/chat/completions":
            status, text = 404, "no such path"
        elif self.stub.down is not None:
            status, text = self.stub.down
        elif self.stub.refused is not None and not is_probe:
            status, text = self.stub.refused
        elif self.stub.troubles:
            status, more, text = self.stub.troubles.pop(0)
            headers |= more
        else:
            text = json.dumps(self.stub.reply(body))
        data = text.encode()
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(data))}.items():
            self.send_header(name, value)
        self.end_headers()
        for at in range(len(data)) if self.stub.drips_s else ():
            self.stub.ended.wait(self.stub.drips_s)
            if self.stub.ended.is_set():
                return
            self.wfile.write(data[at : at + 1])
        if not self.stub.drips_s:
            self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64


@contextmanager
def model_stub(says: Says = one_of_them) -> Iterator[Stub]:
    """A stub that serves while the block runs."""
    stub = Stub(says)
    server = _Server(("127.0.0.1", 0), type("Handler", (_Handler,), {"stub": stub}))
    stub.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield stub
    finally:
        stub.ended.set()
        server.shutdown()
        thread.join()
        server.server_close()
