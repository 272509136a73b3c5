"""A league with every behaviour of a model's server: lab `behaviours`.

    python -m tests.lab.behaviours [NAME ...]

Each behaviour of tests/pips_sdk/model/test_behaviours.py has a server and a model bot
of its own. All play one night against a sample bot. Printed is who paid for what.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import cycle
from pathlib import Path
from threading import Event, Thread
from typing import Any

import httpx2

from pips_tourney.models.league_model import PROBE
from tests.model_stub import KEY, SHOWN
from tests.pips_sdk.model.test_behaviours import BEHAVIOURS, BOT, ENDPOINT, LENIENT, PLAYS, RIGHT, Response, said

ANSWER_S = 4.0
HERO = "greedy"
YES = said("yes")[2]


class Server(ThreadingHTTPServer):
    """A model's server with one behaviour, once the organiser saw that it lives."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self, responses: list[Response]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.responses = cycle(responses)
        self.silence_s = 2 * ANSWER_S if len(responses) == 1 else ANSWER_S / 8
        self.probed = False
        self.ended = Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if body["messages"] == list(PROBE) and not self.server.probed:
            self.server.probed = True
            self._send(200, "", YES)
            return
        response = next(self.server.responses)
        if isinstance(response, Exception):
            if isinstance(response, httpx2.ReadTimeout):
                self.server.ended.wait(self.server.silence_s)
            self.close_connection = True
            return
        status, wished, data = response
        shown = SHOWN.search("\n".join(message["content"] for message in body["messages"]))
        legal = shown[1] if shown is not None else RIGHT
        right, words = RIGHT.encode(), RIGHT.removeprefix("answer: ").encode()
        data = data.replace(right, legal.encode()).replace(words, legal.removeprefix("answer: ").encode())
        self._send(status, wished, data)

    def _send(self, status: int, wished: str, data: bytes) -> None:
        self.send_response(status)
        if wished:
            self.send_header("Retry-After", wished)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        with suppress(OSError):
            self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        pass


@contextmanager
def serving(responses: list[Response]) -> Iterator[str]:
    """The address of a server with these responses, while the block runs."""
    server = Server(responses)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield server.url
    finally:
        server.ended.set()
        server.shutdown()
        thread.join()
        server.server_close()


def bot_name(behaviour: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", behaviour.lower()).strip("-")


def league(urls: dict[str, str]) -> str:
    lines = [
        'games = ["serpent"]',
        f'schedule = {{ name = "gauntlet", hero = "{HERO}" }}',
        "deals = { count = 1 }",
        f"clock = {{ answer_ms = {ANSWER_S * 1000:.0f} }}",
        f'bots = [{{ sample = "{HERO}", name = "{HERO}" }},',
    ]
    for behaviour, url in urls.items():
        lenient = ', lenient = "markup"' if BEHAVIOURS[behaviour][1] == LENIENT else ""
        model = f'{{ endpoint = "{url}", name = "m", key_env = "MODEL_KEY"{lenient} }}'
        lines.append(f'  {{ name = "{bot_name(behaviour)}", model = {model} }},')
    return "\n".join([*lines, "]"])


def play(behaviours: list[str], folder: Path) -> dict[str, Any]:
    """Play the night and return its standings as `--json` prints them."""
    with ExitStack() as servers:
        urls = {name: servers.enter_context(serving(BEHAVIOURS[name][0])) for name in behaviours}
        (folder / "night.toml").write_text(league(urls), encoding="utf-8")
        words = [sys.executable, "-m", "pips_tourney", "run", "night.toml", "--new", "--json"]
        environment = {"MODEL_KEY": KEY, "PATH": "/usr/bin:/bin", "HOME": str(folder)}
        done = subprocess.run(
            words, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=1500
        )
    if done.returncode:
        raise RuntimeError(f"the night ended with status {done.returncode}: {done.stderr[-2000:]}")
    read: dict[str, Any] = json.loads(done.stdout)
    return read


def payer(bot: str, read: dict[str, Any]) -> str:
    """Return who paid for a bot's match: nobody, the bot, or the endpoint (void).

    Where the endpoint stays down, the third match is the bot's fault (docs/models.md).
    """
    (row,) = (row for row in read["tables"][0]["rows"] if row["bot"] == bot)
    if any(decision["kind"] == "redeal" and decision["about"] == bot for decision in read["decisions"]):
        return ENDPOINT
    return BOT if row["faults"] else PLAYS


def main(names: list[str]) -> int:
    behaviours = names or list(BEHAVIOURS)
    with tempfile.TemporaryDirectory(prefix="pips-behaviours-") as folder:
        read = play(behaviours, Path(folder))
    wrong = 0
    for behaviour in behaviours:
        due = BEHAVIOURS[behaviour][1].replace(LENIENT, PLAYS)
        paid = payer(bot_name(behaviour), read)
        wrong += paid != due
        print(f"{behaviour:40} {paid}{'' if paid == due else f', not {due}'}")
    print(f"{len(behaviours)} behaviours, {wrong} paid for by the wrong side")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
