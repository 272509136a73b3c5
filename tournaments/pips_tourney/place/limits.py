"""Bounds on what visitors send: bodies, and time for them."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Collection
from time import monotonic
from typing import Final

from starlette.datastructures import MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pips_tourney.place.connections import KNOWN
from pips_tourney.web.door import HEADERS

FORM_BYTES: Final = 1 << 17
"""The most bytes of a form that hands nothing in."""
BODY_S: Final = 60.0
"""How long a request may take to arrive."""
PACE_S: Final = 10.0
OF_ADDRESS: Final = 3000
"""Requests of one address within that time; a school has one for all."""
OF_ACCOUNT: Final = 300


class TooLarge(Exception):
    """A body that is larger than it may be."""


class TooSlow(Exception):
    """A body that took too long to arrive."""


class Paces:
    """Counts requests by address and by account, so that nobody keeps others waiting.

    A class behind one address sends more than one of its accounts does. Who has an
    account is not kept waiting by others of the address.
    """

    def __init__(
        self, clock: Callable[[], float] = monotonic, *, of_address: int = OF_ADDRESS, of_account: int = OF_ACCOUNT
    ) -> None:
        self._clock = clock
        self.of_address, self.of_account = of_address, of_account
        self._since = clock()
        self._counts: Counter[tuple[str, str]] = Counter()

    def allows(self, address: str, account: str) -> bool:
        """Count a request; whether it is among those that are answered."""
        if self._clock() - self._since >= PACE_S:
            self._since = self._clock()
            self._counts.clear()
        if account:
            self._counts["account", account] += 1
            return self._counts["account", account] <= self.of_account
        self._counts["address", address] += 1
        return self._counts["address", address] <= self.of_address


class Bounds:
    """Refuses what is too large, too slow or too much; sets the headers of answers.

    `most_bytes` is for the paths in `large` alone; other forms are small. `account`
    names the known account of a request; one without is its address's alone.
    """

    def __init__(
        self,
        app: ASGIApp,
        most_bytes: int,
        large: Collection[str],
        paces: Paces,
        account: Callable[[Scope], str],
        seconds: float = BODY_S,
    ) -> None:
        self._app, self._most, self._large, self._seconds = app, most_bytes, large, seconds
        self._paces, self._account = paces, account

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        most = self._most if scope["path"] in self._large else min(FORM_BYTES, self._most)
        got, ends, complete, begun = 0, monotonic() + self._seconds, False, False

        async def bounded() -> Message:
            nonlocal got, complete
            if complete:
                return await receive()
            try:
                message = await asyncio.wait_for(receive(), ends - monotonic())
            except TimeoutError:
                raise TooSlow from None
            got += len(message.get("body", b""))
            complete = not message.get("more_body", False)
            if got > most:
                raise TooLarge
            return message

        async def with_headers(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                headers = MutableHeaders(scope=message)
                for name, value in (HEADERS | {"cache-control": "no-store"}).items():
                    headers.setdefault(name, value)
            await send(message)

        account = self._account(scope)
        if self._paces.allows(_address(scope), account):
            scope.update({KNOWN: account} if account else {})
        else:
            refusal = PlainTextResponse("Too many requests: wait a few seconds.\n", 429, {"retry-after": "10"})
            await refusal(scope, receive, with_headers)
            return
        try:
            await self._app(scope, bounded, with_headers)
        except (TooLarge, TooSlow) as error:
            if begun:
                raise
            told, code = (
                (f"This is more than {most >> 10} kB: leave out what is not needed.\n", 413)
                if isinstance(error, TooLarge)
                else ("This took too long to arrive: try again.\n", 408)
            )
            answer = PlainTextResponse(told, code, {"connection": "close"})
            await answer(scope, receive, with_headers)


def _address(scope: Scope) -> str:
    return str(scope["client"][0]) if scope.get("client") else ""
