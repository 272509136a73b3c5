"""Ask a server that speaks the chat-completions interface.

The request is `POST URL/chat/completions` with `model` and `messages`. Of the response
are read `choices[0].message.content` and `usage`. A busy server is asked again, after a
pause that grows, or that it names itself, as long as there is time.
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
"""Statuses of a server that may answer a later request."""
MOST_BYTES: Final = 4 << 20
"""A response has no more bytes than this."""
MOST_DIGITS: Final = 18
"""A number of a response that has more digits counts nothing."""
SHOWN: Final = 200
"""How many characters of a server's error are shown."""
HIDDEN: Final = "[key]"

ModelMessage = Mapping[str, str]
"""`role` and `content`."""


class ModelUnreachable(Exception):
    """No reply came: what was tried, and what went wrong. It never holds the key."""


class ModelReply(NamedTuple):
    """A model's reply, and what it took."""

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
    """More members of every request, such as `temperature`."""
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic
    _client: list[httpx2.Client] = field(default_factory=list, repr=False, compare=False)

    def complete(self, messages: Sequence[ModelMessage], within_s: float) -> ModelReply:
        """Ask; `ModelUnreachable` if no reply came within so many seconds."""
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
        """A reply; or why there is none yet, and the pause that the server wishes.

        Raises `ModelUnreachable` where another try would change nothing.
        """
        import httpx2

        body = {**self.more, "model": self.model, "messages": list(messages)}
        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        try:
            status, wished, content = self._whole(body, headers, left_s)
        except httpx2.TimeoutException:
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
        """The status, `Retry-After` and content of a response, whole in that time.

        httpx bounds each read alone. So a thread of its own reads, and a server that
        drips is waited for no longer than one that is silent.
        """
        import httpx2

        arrived: SimpleQueue[tuple[int, str, bytes] | Exception] = SimpleQueue()
        ends, client, address = time.monotonic() + left_s, self._connected(), f"{self.url.rstrip('/')}/chat/completions"

        def read() -> None:
            try:
                with client.stream("POST", address, json=body, headers=headers, timeout=left_s) as response:
                    content = b""
                    for part in response.iter_bytes():
                        content += part
                        if time.monotonic() > ends:
                            return  # nobody waits any more
                        if len(content) > MOST_BYTES:
                            break
                    arrived.put((response.status_code, response.headers.get("retry-after", ""), content))
            except Exception as error:  # noqa: BLE001 - raised again by who waits
                arrived.put(error)

        Thread(target=read, name="model request", daemon=True).start()
        try:
            found = arrived.get(timeout=left_s)
        except Empty:
            raise httpx2.ReadTimeout("the response was not whole in time") from None
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
        """The reply; or that the response was cut short, which another try may mend."""
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
        """The text without surrogates, and without the key: a server may repeat it."""
        text = text.encode(errors="replace").decode()
        return text.replace(self.key, HIDDEN) if self.key else text


def _member(of: object, key: str | int) -> Any:
    """A part of a server's JSON; None if it is not there."""
    try:
        return of[key]  # type: ignore[index]
    except (LookupError, TypeError):
        return None


def _text_in(content: object) -> str | None:
    """The text of a message, whole or in parts; None if it is no text."""
    if content is None:
        return ""
    if isinstance(content, list):
        content = "".join(str(_member(part, "text") or "") for part in content)
    return content if isinstance(content, str) else None


def _why_cut(choice: object, message: Mapping[str, Any], text: str) -> str:
    """Why a reply is empty, or ends before its answer; "" if it does not."""
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
    """The note at a reply's end that says why it ends there; "" without one."""
    note = text.rpartition("\n")[2]
    return note if note.startswith(("[the reply ", "[the model ")) else ""


def client_missing() -> str:
    """What to install before any model can be asked; "" if it is here."""
    from importlib.util import find_spec

    if find_spec("httpx2") is not None:
        return ""
    return "models are asked with httpx2, which is not installed: pip install 'pips-tourney[models]'"


def _wished_s(said: str) -> float | None:
    """Seconds of `Retry-After`; None for a date, which is seldom used."""
    return float(said) if said.strip().isdecimal() else None


def _times(number: int) -> str:
    return "1 try" if number == 1 else f"{number} tries"


def _decoded(content: bytes) -> str:
    """The text of a body; of another encoding than JSON's own, what is ASCII."""
    return content.decode(json.detect_encoding(content), errors="replace")


def _number(digits: str) -> int:
    """A whole number; 0 where it has more digits than any count."""
    return int(digits) if len(digits) <= MOST_DIGITS else 0
