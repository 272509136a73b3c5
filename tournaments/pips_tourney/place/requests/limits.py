"""Bounds on requests: the size of bodies, the time to arrive, and their number."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Collection
from contextlib import AsyncExitStack
from time import monotonic
from typing import Final

from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pips_tourney.place.desk.uploads import UPLOAD_BYTES
from pips_tourney.place.requests.proxy import path_of
from pips_tourney.web.door import HEADERS, with_headers

HAND_IN_BYTES: Final = UPLOAD_BYTES + (1 << 20)
FORM_BYTES: Final = 1 << 17
"""The most bytes of a form that is no hand-in."""
BODY_S: Final = 60.0
"""How long a request may take to arrive, in seconds."""
PIECE_BYTES: Final = 1 << 16
UNTIL_SENT: Final = "pips.until_sent"
"""The key in a request's scope for a stack that is closed when the answer was sent."""
PACE_S: Final = 10.0
OF_ADDRESS: Final = 3000
"""The most requests of one address in `PACE_S`; a school has one address for all."""
OF_ACCOUNT: Final = 300


class Paces:
    """Counts requests by address and by account, so that nobody keeps others waiting.

    A class behind one address sends more requests than one account. Requests with an
    account do not count for their address, so others at that address cannot block them.
    """

    def __init__(
        self, clock: Callable[[], float] = monotonic, *, of_address: int = OF_ADDRESS, of_account: int = OF_ACCOUNT
    ) -> None:
        self._clock, self._since = clock, clock()
        self.of_address, self.of_account = of_address, of_account
        self._counts: Counter[tuple[str, str]] = Counter()

    def allows(self, address: str, account: str) -> bool:
        """Count a request. Return whether it may be answered."""
        if self._clock() - self._since >= PACE_S:
            self._since = self._clock()
            self._counts.clear()
        who = ("", account) if account else (address, "")
        self._counts[who] += 1
        return self._counts[who] <= (self.of_account if account else self.of_address)


class Bounds:
    """Refuses requests that are too large, slow or frequent; sets headers of answers.

    Forms are small, except on the paths in `large`. `account` gives the known account
    of a request; a request without one counts for its address.
    """

    def __init__(self, app: ASGIApp, large: Collection[str], paces: Paces, account: Callable[[Scope], str]) -> None:
        self._app, self._large, self._paces, self._account = app, large, paces, account

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        send = with_headers(_in_pieces(send), HEADERS | {"cache-control": "no-store"})
        if self._paces.allows((scope["client"] or ("",))[0], self._account(scope)):
            is_large = path_of(scope) in self._large
            async with AsyncExitStack() as scope[UNTIL_SENT]:
                await self._app(scope, _bounded(receive, is_large=is_large), send)
        else:
            headers = {"retry-after": "10", "connection": "close"}
            await PlainTextResponse("Too many requests: wait a few seconds.\n", 429, headers)(scope, receive, send)


def _in_pieces(send: Send) -> Send:
    """Send a large body in pieces: each waits until its client has read of the last."""

    async def sent(message: Message) -> None:
        body = message.get("body", b"")
        at = 0
        for at in range(PIECE_BYTES, len(body), PIECE_BYTES):
            await send({"type": message["type"], "body": body[at - PIECE_BYTES : at], "more_body": True})
        await send({**message, "body": body[at:]} if at else message)

    return sent


def _bounded(receive: Receive, *, is_large: bool) -> Receive:
    """Limit a body's bytes, and its time to `BODY_S`. Raises 413 and 408."""
    left, ends, complete = HAND_IN_BYTES if is_large else FORM_BYTES, monotonic() + BODY_S, False

    async def bounded() -> Message:
        nonlocal left, complete
        if complete:
            return await receive()
        try:
            message = await asyncio.wait_for(receive(), ends - monotonic())
        except TimeoutError:
            raise HTTPException(408, "This took too long to arrive: try again.") from None
        left -= len(message.get("body", b""))
        complete = not message.get("more_body", False)
        if left < 0:
            most = f"hand-in has at most {UPLOAD_BYTES >> 20} MB"
            form_most = f"form has at most {FORM_BYTES >> 10} kB"
            raise HTTPException(413, f"A {most if is_large else form_most}: leave out what is not needed.")
        return message

    return bounded
