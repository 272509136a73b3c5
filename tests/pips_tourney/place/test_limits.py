"""Bodies that are too large or too slow, and wrong codes."""

from __future__ import annotations

import asyncio
from unittest.mock import AsyncMock

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send

from pips_tourney.place.requests import limits
from pips_tourney.place.requests.limits import FORM_BYTES, HAND_IN_BYTES, PIECE_BYTES, Bounds, Paces


async def answered(parts: list[bytes], *, stuck: bool = False, path: str = "/mine") -> tuple[int, dict[bytes, bytes]]:
    """The status and headers with which a body of these parts is answered."""
    left, sent = list(parts), list[Message]()

    async def take(request: Request) -> Response:
        return PlainTextResponse(str(len(await request.body())))

    async def receive() -> Message:
        if stuck and not left:
            await asyncio.Event().wait()
        return {"type": "http.request", "body": left.pop(0), "more_body": bool(left) or stuck}

    async def send(message: Message) -> None:
        sent.append(message)

    app = Starlette(
        routes=[Route(path, take, methods=["POST"])],
        middleware=[Middleware(Bounds, large=("/mine",), paces=Paces(), account=lambda _: "")],
    )
    scope = {"type": "http", "method": "POST", "path": path, "headers": [], "query_string": b"", "client": ("a", 1)}
    await app(scope, receive, send)
    return sent[0]["status"], dict(sent[0]["headers"])


async def test_a_body_within_bounds_passes_and_answers_have_the_policy() -> None:
    status, headers = await answered([b"12345", b"67890"])
    assert status == 200
    assert b"default-src 'none'" in headers[b"content-security-policy"]
    assert b"unsafe" not in headers[b"content-security-policy"]
    assert headers[b"x-content-type-options"] == b"nosniff"


async def test_a_large_body_is_refused_as_it_comes() -> None:
    status, headers = await answered([bytes(HAND_IN_BYTES), b"1"])
    assert status == 413 and b"content-security-policy" in headers


async def test_a_form_that_hands_nothing_in_is_small() -> None:
    parts = [bytes(FORM_BYTES), b"1"]
    assert (await answered(parts))[0] == 200
    assert (await answered(parts, path="/enter"))[0] == 413


async def test_a_slow_body_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "BODY_S", 0.01)
    status, _ = await answered([b"1"], stuck=True)
    assert status == 408


async def test_a_large_answer_goes_in_pieces() -> None:
    sent, text = list[Message](), "".join(map(str, range(50_000)))

    async def send(message: Message) -> None:
        sent.append(message)

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        await PlainTextResponse(text)(scope, receive, send)

    scope = {"type": "http", "method": "GET", "path": "/", "headers": [], "query_string": b"", "client": ("a", 1)}
    await Bounds(answer, (), Paces(), lambda _: "")(scope, AsyncMock(), send)
    pieces = [message["body"] for message in sent[1:]]
    assert b"".join(pieces) == text.encode() and max(map(len, pieces)) == PIECE_BYTES
    assert [message.get("more_body", False) for message in sent[1:]] == [True] * (len(pieces) - 1) + [False]


async def test_requests_are_counted_by_address_and_account() -> None:
    now = [0.0]
    paces = Paces(lambda: now[0], of_address=4, of_account=2)
    assert [paces.allows("a", "ada") for _ in range(3)] == [True, True, False]
    assert [paces.allows("a", "") for _ in range(5)] == [True, True, True, True, False]
    assert paces.allows("a", "bo"), "who has an account waits for nobody of its address"
    assert paces.allows("b", "cy")
    now[0] += limits.PACE_S
    assert paces.allows("a", "ada")
