"""The organiser's proxy: model bots ask it, and only the proxy asks the endpoints.

Each bot process has a socket of its own. So no process can read a reply to another, not
even in another rotation of the deal. The proxy adds the key, stores every reply in the
night's book, and answers repeated questions from there.
"""

from __future__ import annotations

import json
import os
import shutil
import socketserver
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock, Semaphore, Thread
from typing import Any, Final, NamedTuple

from pips_sdk.model.endpoint import ModelMessage, ModelReply, ModelUnreachable
from pips_tourney.models.book import DEFAULTED, UNMARKED, AnswerBook, BookError, ModelQuestion, digest_of
from pips_tourney.models.league_model import LeagueModel, ModelDown

LONGEST_LINE: Final = 1 << 20
"""The most bytes of a request."""
POLL_S: Final = 0.05
"""How long closing a socket may take."""
ROLES: Final = ("system", "user", "assistant")


class LostReply(NamedTuple):
    """Why a match lacks a reply through no fault of its bot."""

    bot: str
    why: str
    always: bool = False
    """The league's decision, or the organiser's trouble: never a fault of the bot."""


class Refused(Exception):
    """A request is refused; the text is the proxy's reason."""


@dataclass
class ModelProxy:
    """Sockets for the processes of model bots. Call `close` at the end."""

    folder: Path
    """A folder for the sockets, which only its owner can list."""
    book: AnswerBook
    models: Mapping[str, LeagueModel]
    """By bot."""
    on_spent: Callable[[str], None] = lambda _: None
    """Called once with a message when a bot's budget is spent."""
    _tables: dict[str, tuple[str, int, str, int]] = field(default_factory=dict)
    """By a table's digest: match, seat, bot, and the most questions it may ask."""
    _open: dict[str, tuple[_ProxyServer, Path]] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)
    _lost: dict[str, LostReply] = field(default_factory=dict)
    """By match, why it lacks a reply."""
    _told: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.folder.chmod(0o711)
        self._slots = {bot: Semaphore(model.at_once) for bot, model in self.models.items()}
        self._spent = self.book.spent()

    def open(self, process: str) -> Path:
        """A new socket for a process; its predecessor's socket is closed."""
        self._close(process)
        path = self.folder / os.urandom(8).hex()
        server = _ProxyServer(str(path), _ProxyHandler)
        server.proxy, server.process = self, process
        path.chmod(0o666)  # only a process that knows the name can find it
        with self._lock:
            self._open[process] = server, path
        Thread(target=server.serve_forever, kwargs={"poll_interval": POLL_S}, daemon=True, name=process).start()
        return path

    def expect(self, table: str, match: str, seat: int, bot: str, questions: int) -> None:
        """Prepare for a match: this seat may now ask, at most `questions` questions."""
        with self._lock:
            self._tables[table] = match, seat, bot, questions
            self._lost.pop(match, None)

    def lost(self, match: str) -> LostReply | None:
        """Why a match that was played lacked a reply; None if it lacked none.

        Ask only once after each time that the match is played.
        """
        with self._lock:
            for table in [table for table, (of, *_) in self._tables.items() if of == match]:
                del self._tables[table]
            return self._lost.pop(match, None)

    def close(self) -> None:
        for ended in [self._close(process) for process in list(self._open)]:
            ended.join()
        for model in self.models.values():
            model.endpoint.close()
        self.book.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _close(self, process: str) -> Thread:
        """Close a process's socket; the thread ends when that is done.

        A runner's loop does not wait for it.
        """
        with self._lock:
            server, path = self._open.pop(process, (None, None))
        if path is not None:
            path.unlink(missing_ok=True)
        ending = Thread(target=_end, args=(server,))
        ending.start()
        return ending

    def reply(self, process: str, line: bytes) -> dict[str, Any]:
        """The proxy's answer to a line from a process."""
        try:
            return self._reply(process, line)
        except (Refused, BookError) as refused:
            return {"error": str(refused)}

    def _reply(self, process: str, line: bytes) -> dict[str, Any]:
        read = _read(line)
        bot = process.partition("/")[0]
        model = self.models[bot]
        with self._lock:
            match, seat, of, most = self._tables.get(str(read.get("table")), ("", 0, "", 0))
        if of != bot:
            raise Refused("the proxy knows no such table: only a seat that is being played may ask")
        question = _number(read, "question")
        attempt = DEFAULTED if read.get("default") else UNMARKED if read.get("markup") else _number(read, "attempt")
        if attempt > model.attempts:
            raise Refused(f"a question has {model.attempts} replies at most")
        if question > most:
            raise Refused(f"a match of this game has {most} questions at most")
        asked = ModelQuestion(match, seat, question, attempt, process, b"")
        try:
            if attempt in (DEFAULTED, UNMARKED):
                self.book.add(asked, ModelReply("", tries=0), 0.0)
                return {}
            messages = _messages(read)
            asked = asked._replace(digest=digest_of(model.asked, messages))
            found = self.book.find(asked)
            return {"text": (found or self._ask(bot, model, asked, messages)).text}
        except BookError as error:
            self._void(match, LostReply(bot, f"{bot}: {error}", always=True))  # the organiser's trouble
            raise

    def _ask(self, bot: str, model: LeagueModel, asked: ModelQuestion, messages: list[ModelMessage]) -> ModelReply:
        self._check_budget(bot, model, asked.match)
        with self._slots[bot]:
            try:
                reply = model.reply(messages)
            except ModelDown as error:
                self._void(asked.match, LostReply(bot, f"{bot}: no reply from its model: {error}"))
                raise Refused(str(error)) from None
            except ModelUnreachable as error:
                raise Refused(f"{error}; the endpoint answers the organiser, so this request is to blame") from None
        cost = model.cost_of(reply)
        self.book.add(asked, reply, cost)
        with self._lock:
            self._spent[bot] = self._spent.get(bot, 0.0) + cost
        return reply

    def _check_budget(self, bot: str, model: LeagueModel, match: str) -> None:
        with self._lock:
            spent = self._spent.get(bot, 0.0)
            if model.max_cost is None or spent < model.max_cost:
                return
            tell = bot not in self._told
            self._told.add(bot)
        why = f"{bot} has spent {spent:.4g} of max_cost = {model.max_cost:g}"
        self._void(match, LostReply(bot, why, always=True))
        if tell:
            self.on_spent(
                f"{why}. To go on: stop the run, raise max_cost in the league file, "
                "use pips-tourney resume, and run the night again"
            )
        raise Refused(why)

    def _void(self, match: str, lost: LostReply) -> None:
        with self._lock:
            self._lost.setdefault(match, lost)


class _ProxyServer(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True
    block_on_close = False
    proxy: ModelProxy
    process: str


class _ProxyHandler(socketserver.StreamRequestHandler):
    server: _ProxyServer

    def handle(self) -> None:
        with suppress(OSError):  # the process has ended
            while line := self.rfile.readline(LONGEST_LINE):
                said = self.server.proxy.reply(self.server.process, line)
                self.wfile.write(json.dumps(said).encode() + b"\n")


def _end(server: _ProxyServer | None) -> None:
    if server is not None:
        server.shutdown()
        server.server_close()


def _read(line: bytes) -> dict[str, Any]:
    try:
        read = json.loads(line)
    except (ValueError, RecursionError):
        raise Refused("a request is one line of JSON") from None
    if not isinstance(read, dict):
        raise Refused("a request is a JSON object")
    return read


def _number(read: Mapping[str, Any], name: str) -> int:
    value = read.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= 1_000_000:
        raise Refused(f"`{name}` is a whole number from 1")
    return value


def _messages(read: Mapping[str, Any]) -> list[ModelMessage]:
    messages = read.get("messages")
    if not isinstance(messages, list) or not messages:
        raise Refused("`messages` is a list of messages")
    for message in messages:
        if not isinstance(message, dict) or message.get("role") not in ROLES:
            raise Refused(f"a message has a `role`: {', '.join(ROLES)}")
        if set(message) != {"role", "content"} or not isinstance(message["content"], str):
            raise Refused("a message has `role` and `content`, a text")
        if _has_surrogates(message["content"]):
            raise Refused("a message is a text that UTF-8 can write")
    return messages


def _has_surrogates(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False
