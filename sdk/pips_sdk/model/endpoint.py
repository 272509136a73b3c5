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
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    import httpx2

TRIES: Final = 6
"""The most requests for one reply."""
FIRST_PAUSE_S: Final = 0.5
"""The pause before the second request; each further one is twice as long."""
BUSY: Final = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
"""Statuses of a server that may answer a later request."""
MOST_BYTES: Final = 4 << 20
"""A response has no more bytes than this."""
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
            response = self._connected().post(
                f"{self.url.rstrip('/')}/chat/completions", json=body, headers=headers, timeout=left_s
            )
        except httpx2.TimeoutException:
            return f"no reply within {left_s:.1f} s", None
        except httpx2.TransportError as error:
            return self._safe(f"{type(error).__name__}: {error}"), None
        except (httpx2.HTTPError, httpx2.InvalidURL, ValueError) as error:
            raise ModelUnreachable(f"{self.url}: {self._safe(str(error))}") from None
        if response.status_code in BUSY:
            return self._status(response), _wished_s(response.headers.get("retry-after", ""))
        if response.status_code != 200:
            raise ModelUnreachable(f"{self.url}: {self._status(response)}")
        return self._read(response.content)

    def _connected(self) -> httpx2.Client:
        if not self._client:
            import httpx2

            self._client.append(httpx2.Client())
        return self._client[0]

    def close(self) -> None:
        """Close the connections."""
        while self._client:
            self._client.pop().close()

    def _status(self, response: httpx2.Response) -> str:
        said = self._safe(" ".join(response.text.split()))[:SHOWN]
        return f"the server answered with status {response.status_code}" + (f": {said}" if said else "")

    def _read(self, content: bytes) -> ModelReply:
        if len(content) > MOST_BYTES:
            raise ModelUnreachable(f"{self.url}: the response has {len(content)} bytes, more than {MOST_BYTES}")
        try:
            read = json.loads(content)
            text = read["choices"][0]["message"]["content"]
            usage = read.get("usage") or {}
            counts = [int(usage.get(name) or 0) for name in ("prompt_tokens", "completion_tokens")]
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            raise ModelUnreachable(
                f"{self.url}: the response has no choices[0].message.content: is this a chat-completions server?"
            ) from None
        if text is not None and not isinstance(text, str):
            raise ModelUnreachable(f"{self.url}: choices[0].message.content is no text")
        return ModelReply(self._safe(text or ""), *(max(0, count) for count in counts))

    def _safe(self, text: str) -> str:
        """The text without surrogates, and without the key: a server may repeat it."""
        text = text.encode(errors="replace").decode()
        return text.replace(self.key, HIDDEN) if self.key else text


def _wished_s(said: str) -> float | None:
    """Seconds of `Retry-After`; None for a date, which is seldom used."""
    return float(said) if said.strip().isdecimal() else None


def _times(number: int) -> str:
    return "1 try" if number == 1 else f"{number} tries"
