"""Bodies that are too large or too slow, and wrong codes."""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import Message, Receive, Scope, Send

from pips_tourney.place import limits
from pips_tourney.place.connections import KNOWN
from pips_tourney.place.limits import FORM_BYTES, Bounds, Paces


async def answered(
    parts: list[bytes], seconds: float = 60.0, *, stuck: bool = False, most: int = 10, large: tuple[str, ...] = ("/",)
) -> tuple[int, dict[bytes, bytes]]:
    """The status and headers with which a body of these parts is answered."""
    left, sent = list(parts), list[Message]()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        body = await Request(scope, receive).body()
        await PlainTextResponse(str(len(body)))(scope, receive, send)

    async def receive() -> Message:
        if stuck and not left:
            await asyncio.Event().wait()
        return {"type": "http.request", "body": left.pop(0), "more_body": bool(left) or stuck}

    async def send(message: Message) -> None:
        sent.append(message)

    scope: dict[str, Any] = {"type": "http", "method": "POST", "path": "/", "headers": [], "query_string": b""}
    await Bounds(app, most, large, Paces(), lambda _: "", seconds)(scope, receive, send)
    return sent[0]["status"], dict(sent[0]["headers"])


async def test_a_body_within_bounds_passes_and_answers_have_the_policy() -> None:
    status, headers = await answered([b"12345", b"67890"])
    assert status == 200
    assert b"default-src 'none'" in headers[b"content-security-policy"]
    assert b"unsafe" not in headers[b"content-security-policy"]
    assert headers[b"x-content-type-options"] == b"nosniff"


async def test_a_large_body_is_refused_as_it_comes() -> None:
    status, headers = await answered([b"1234567890", b"1"])
    assert status == 413 and b"content-security-policy" in headers


async def test_a_form_that_hands_nothing_in_is_small() -> None:
    parts = [bytes(FORM_BYTES), b"1"]
    assert (await answered(parts, most=1 << 20))[0] == 200
    assert (await answered(parts, most=1 << 20, large=("/mine",)))[0] == 413


async def test_a_slow_body_is_refused() -> None:
    status, _ = await answered([b"1"], 0.01, stuck=True)
    assert status == 408


async def test_requests_are_counted_by_address_and_account() -> None:
    now = [0.0]
    paces = Paces(lambda: now[0], of_address=4, of_account=2)
    assert [paces.allows("a", "ada") for _ in range(3)] == [True, True, False]
    assert [paces.allows("a", "") for _ in range(5)] == [True, True, True, True, False]
    assert paces.allows("a", "bo"), "who has an account waits for nobody of its address"
    assert paces.allows("b", "cy")
    now[0] += limits.PACE_S
    assert paces.allows("a", "ada")


async def test_a_request_that_is_refused_shows_nobody() -> None:
    """Else an account could keep its connections by asking on them too often."""
    paces, shown = Paces(of_account=3), []

    async def receive() -> Message:
        return {"type": "http.request"}

    async def send(message: Message) -> None:
        pass

    for _ in range(4):
        scope: dict[str, Any] = {"type": "http", "method": "GET", "path": "/", "headers": [], "query_string": b""}
        await Bounds(PlainTextResponse("hello"), 10, (), paces, lambda _: "1")(scope, receive, send)
        shown.append(KNOWN in scope)
    assert shown == [True, True, True, False]
