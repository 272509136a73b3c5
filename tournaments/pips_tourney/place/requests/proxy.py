"""A place behind a reverse proxy: its public address, and which proxies are trusted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final
from urllib.parse import SplitResult, urlsplit

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

LOOPBACK: Final = ("127.0.0.1", "::1")
SIGNED_IN: Final = "pips.signed_in"
"""The key in a request's scope for the user named by a trusted proxy."""


@dataclass(frozen=True, slots=True)
class PublicAddress:
    """The public address of a place. Without a `url` there is no proxy."""

    url: str = ""
    """Ends with a slash."""
    proxies: tuple[str, ...] = LOOPBACK
    """Addresses and networks of the trusted proxies."""
    header: str = ""
    """The header in which proxies name the signed-in user, if users sign in there."""
    split: SplitResult = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "split", urlsplit(self.url))

    @property
    def prefix(self) -> str:
        """The path above all pages, without a slash at its end."""
        return self.split.path.rstrip("/")


class BehindProxy:
    """Shows requests to the pages as the browser sent them.

    The path is the browser's, whether or not the proxy removes the prefix. A trusted
    proxy also sets the public name and the visitor's own address.
    """

    def __init__(self, app: ASGIApp, public: PublicAddress) -> None:
        self._app, self._public = app, public
        self._forwarded = ProxyHeadersMiddleware(app, list(public.proxies))  # type: ignore[arg-type]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        public = self._public
        if scope["type"] != "http" or not public.url:
            await self._app(scope, receive, send)
            return
        prefix, path = public.prefix, scope["path"]
        within = path == prefix or path.startswith(f"{prefix}/")
        scope = {**scope, "root_path": prefix, "path": path if within else prefix + path}
        if (scope["client"] or ("",))[0] not in self._forwarded.trusted_hosts:
            await self._app(scope, receive, send)
            return
        headers = MutableHeaders(scope=scope)
        if public.header:
            scope[SIGNED_IN] = headers.get(public.header, "")
        headers["host"] = public.split.netloc
        headers["x-forwarded-proto"] = public.split.scheme
        await self._forwarded(scope, receive, send)  # type: ignore[arg-type]


def path_of(scope: Scope) -> str:
    """The path of a request below the prefix."""
    return str(scope["path"]).removeprefix(scope.get("root_path", ""))
