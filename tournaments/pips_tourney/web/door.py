"""Access: everybody on this machine; from other machines everybody with the token.

It also sets what a page may do.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie
from typing import Final
from urllib.parse import parse_qs

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pips_referee.command.address import is_loopback

COOKIE: Final = "pips"
VISITOR: Final = "pips.visitor"
"""The key in a request's scope for the visitor, as known to the pages around these."""
MENU: Final = "pips.menu"
"""The key for the menu of the pages around these: addresses and names."""
OWN: Final = "pips.own"
"""The key for the names of the visitor's bots."""
AGAINST: Final = "pips.against"
"""The key for a function: the published bots, which the visitor may play against."""
SEES_ALL: Final = "pips.sees_all"
"""The key for whether the visitor is an organiser, to whom no bot belongs."""
HEADERS: Final = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",  # without it browsers hide where a form comes from
}
"""Headers that limit what a page may do and reveal."""


class Door:
    """Checks requests.

    Without a token, only requests to this machine's own names pass, so that no page of
    another site can send one.
    """

    def __init__(self, app: ASGIApp, token: str | None) -> None:
        self._app = app
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = HTTPConnection(scope)
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        if self._token is None:
            name = request.url.netloc.rpartition("@")[2].removesuffix(f":{request.url.port}")
            if not is_loopback(name):
                await PlainTextResponse("This is served to this machine alone.", 403)(scope, receive, send)
                return
        elif self._fits(given):
            answer = RedirectResponse(scope["path"], 303)
            answer.set_cookie(
                COOKIE, self._token, httponly=True, samesite="strict", secure=request.url.scheme == "https"
            )
            await answer(scope, receive, send)
            return
        elif not self._fits(_cookie(request)):
            await PlainTextResponse("The link to this page has a token in it: ask for it.", 403)(scope, receive, send)
            return

        await self._app(scope, receive, with_headers(send, HEADERS))

    def _fits(self, given: str) -> bool:
        return self._token is not None and hmac.compare_digest(given.encode(), self._token.encode())


def with_headers(send: Send, added: Mapping[str, str]) -> Send:
    """Add these headers to an answer, unless it has headers of the same name."""

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in added.items():
                headers.setdefault(name, value)
        await send(message)

    return sent


def _cookie(request: HTTPConnection) -> str:
    try:
        found = SimpleCookie(request.headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return ""
    return "" if found is None else found.value
