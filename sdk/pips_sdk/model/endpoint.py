"""Ask a server with the chat-completions interface.

The request is `POST URL/chat/completions` with `model` and `messages`. Only
`choices[0].message.content` and `usage` of the response are used. A request to a busy
server is retried while there is time, after a growing pause or the one that the server
asks for.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pips_sdk.model.markup import without_thoughts

if TYPE_CHECKING:
    import httpx2

__all__ = ["Endpoint", "ModelReply", "ModelUnreachable"]

TRIES: Final = 6
"""The most requests for one reply."""
FIRST_PAUSE_S: Final = 0.5
"""The pause before the second request; each further one is twice as long."""
BUSY: Final = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
"""Statuses after which a retry may succeed."""
MOST_BYTES: Final = 4 << 20
"""The most bytes of a response."""
MOST_DIGITS: Final = 18
"""A number in a response with more digits counts as 0."""
SHOWN: Final = 200
"""The most characters shown of a server's error."""
HIDDEN: Final = "[key]"

ModelMessage = Mapping[str, str]
"""A message with `role` and `content`."""


class ModelUnreachable(Exception):
    """No reply came; the text says what failed, and never contains the key."""


class ModelReply(NamedTuple):
    """A model's reply, and its cost."""

    text: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    ms: int = 0
    """Milliseconds from the first request to the reply, pauses included."""
    tries: int = 1


@dataclass(frozen=True)
class Endpoint:
    """A server and one of its models. Many threads may ask at once."""

    url: str
    """Everything before `/chat/completions`, such as `http://localhost:8080/v1`."""
    model: str
    key: str = field(default="", repr=False)
    more: Mapping[str, Any] = field(default_factory=dict)
    """Further members of every request, such as `temperature`."""
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic
    _client: list[httpx2.Client] = field(default_factory=list, repr=False, compare=False)

    def complete(self, messages: Sequence[ModelMessage], within_s: float) -> ModelReply:
        """Ask; `ModelUnreachable` if no reply comes within `within_s` seconds."""
        begun, why = self.clock(), ""
        for number in range(1, TRIES + 1):
            left_s = begun + within_s - self.clock()
            if left_s <= 0:
                break
            found = self._try(messages, left_s)
            if isinstance(found, ModelReply):
                return found._replace(ms=round(1000 * (self.clock() - begun)), tries=number)
            why, pause_s = found
            pause_s = FIRST_PAUSE_S * 2 ** (number - 1) if pause_s is None else pause_s
            if pause_s > begun + within_s - self.clock():
                raise ModelUnreachable(f"{self.url}: {why} ({_times(number)}; it is too late for another try)")
            if number < TRIES:
                self.sleep(pause_s)
        raise ModelUnreachable(f"{self.url}: {why or 'there was no time to ask'} ({_times(TRIES)})")

    def _try(self, messages: Sequence[ModelMessage], left_s: float) -> ModelReply | tuple[str, float | None]:
        """A reply; or an error and the pause that the server asks for.

        `ModelUnreachable` if a retry would change nothing.
        """
        import httpx2

        body = {**self.more, "model": self.model, "messages": list(messages)}
        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        try:
            status, wished, content = self._whole(body, headers, left_s)
        except (httpx2.TimeoutException, TimeoutError):
            return f"no reply within {left_s:.1f} s", None
        except httpx2.TransportError as error:
            return self._safe(f"{type(error).__name__}: {error}"), None
        except (httpx2.HTTPError, httpx2.InvalidURL, ValueError) as error:
            raise ModelUnreachable(f"{self.url}: {self._safe(str(error))}") from None
        if status in BUSY:
            return self._status(status, content), _wished_s(wished)
        if status != 200:
            raise ModelUnreachable(f"{self.url}: {self._status(status, content)}")
        return self._read(content)

    def _whole(self, body: Mapping[str, Any], headers: Mapping[str, str], left_s: float) -> tuple[int, str, bytes]:
        """The complete response within `left_s`: status, `Retry-After`, content.

        httpx limits each read separately. So a separate thread reads, and a server that
        sends slowly gets no more time than a silent one.
        """
        arrived: SimpleQueue[tuple[int, str, bytes] | Exception] = SimpleQueue()
        ends, client, address = time.monotonic() + left_s, self._connected(), f"{self.url.rstrip('/')}/chat/completions"

        def read() -> None:
            try:
                with client.stream("POST", address, json=body, headers=headers, timeout=left_s) as response:
                    content = b""
                    for part in response.iter_bytes():
                        content += part
                        if time.monotonic() > ends:
                            return  # nobody is waiting any more
                        if len(content) > MOST_BYTES:
                            break
                    arrived.put((response.status_code, response.headers.get("retry-after", ""), content))
            except Exception as error:  # noqa: BLE001 - raised again in the waiting thread
                arrived.put(error)

        Thread(target=read, name="model request", daemon=True).start()
        try:
            found = arrived.get(timeout=left_s)
        except Empty:
            raise TimeoutError("the response was not whole in time") from None
        if isinstance(found, Exception):
            raise found
        return found

    def _connected(self) -> httpx2.Client:
        if not self._client:
            import httpx2

            self._client.append(httpx2.Client())
        return self._client[0]

    def close(self) -> None:
        """Close the connections."""
        while self._client:
            self._client.pop().close()

    def _status(self, status: int, content: bytes) -> str:
        said = self._safe(" ".join(content.decode(errors="replace").split()))[:SHOWN]
        return f"the server answered with status {status}" + (f": {said}" if said else "")

    def _read(self, content: bytes) -> ModelReply | tuple[str, float | None]:
        """The reply; or an error if it was cut short, which a retry may fix."""
        if len(content) > MOST_BYTES:
            raise ModelUnreachable(f"{self.url}: the response has {len(content)} bytes, more than {MOST_BYTES}")
        try:
            read = json.loads(_decoded(content), parse_int=_number)
        except (ValueError, RecursionError):
            if content.lstrip()[:1] in (b"", b"{"):
                return f"the response was cut short after {len(content)} bytes", None
            raise self._no_server() from None
        choice = _member(_member(read, "choices"), 0)
        message = _member(choice, "message")
        if not isinstance(message, dict) or not message.keys() & {"content", "refusal", "tool_calls"}:
            said = _member(read, "error")
            raise (
                ModelUnreachable(
                    f"{self.url}: the server sent an error with status 200: {self._safe(str(said))[:SHOWN]}"
                )
                if said
                else self._no_server()
            )
        text = _text_in(message.get("content"))
        if text is None:
            raise ModelUnreachable(f"{self.url}: choices[0].message.content is no text")
        if why := _why_cut(choice, message, text):
            text = f"{text}\n[{why}]" if text else f"[{why}]"
        usage = _member(read, "usage")
        counts = [_member(usage, name) for name in ("prompt_tokens", "completion_tokens")]
        return ModelReply(self._safe(text), *(max(0, count) if type(count) is int else 0 for count in counts))

    def _no_server(self) -> ModelUnreachable:
        return ModelUnreachable(
            f"{self.url}: the response has no choices[0].message.content: is this a chat-completions server?"
        )

    def _safe(self, text: str) -> str:
        """The text without surrogates, and without the key: servers may repeat it."""
        text = text.encode(errors="replace").decode()
        return text.replace(self.key, HIDDEN) if self.key else text


def _member(of: object, key: str | int) -> Any:
    """A member of a server's JSON; None if it is missing."""
    try:
        return of[key]  # type: ignore[index]
    except (LookupError, TypeError):
        return None


def _text_in(content: object) -> str | None:
    """The text of a message, given as one string or in parts; None if it is no text."""
    if content is None:
        return ""
    if isinstance(content, list):
        content = "".join(str(_member(part, "text") or "") for part in content)
    return content if isinstance(content, str) else None


def _why_cut(choice: object, message: Mapping[str, Any], text: str) -> str:
    """Why a reply is empty or ends before its answer; "" if it is complete."""
    finish, said = _member(choice, "finish_reason"), without_thoughts(text).strip()
    if said and ("answer:" in said.lower() or "\n" not in said):
        return ""
    if message.get("refusal"):
        return f"the model refused: {' '.join(str(message['refusal']).split())[:SHOWN]}"
    if message.get("tool_calls") or finish == "tool_calls":
        return "the model called tools in place of an answer (tool_calls)"
    if finish == "length":
        when = " while it was thinking" if not said and (text.strip() or "reasoning_content" in message) else ""
        return f"the reply was cut off{when}: max_tokens was reached (finish_reason: length)"
    return "" if finish in (None, "stop") else f"the reply ended early (finish_reason: {str(finish)[:40]})"


def note_in(text: str) -> str:
    """A reply's last line if it says why the reply ended early, otherwise ""."""
    note = text.rpartition("\n")[2]
    return note if note.startswith(("[the reply ", "[the model ")) else ""


def client_missing() -> str:
    """What to install before any model can be asked; "" if nothing is missing."""
    from importlib.util import find_spec

    if find_spec("httpx2") is not None:
        return ""
    return "models are asked with httpx2, which is not installed: pip install 'pips-tourney[models]'"


def _wished_s(said: str) -> float | None:
    """The seconds in `Retry-After`; None for a date, which is rarely used."""
    return float(said) if said.strip().isdecimal() else None


def _times(number: int) -> str:
    return "1 try" if number == 1 else f"{number} tries"


def _decoded(content: bytes) -> str:
    """The text of a body; if it is not UTF-8, only its ASCII characters."""
    return content.decode(json.detect_encoding(content), errors="replace")


def _number(digits: str) -> int:
    """A whole number; 0 if it has too many digits for a count."""
    return int(digits) if len(digits) <= MOST_DIGITS else 0
