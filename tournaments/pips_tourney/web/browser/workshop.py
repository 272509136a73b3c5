"""The workshop: a page for writing and playing a bot in a browser's tab.

The server only sends files. The bot runs in a worker of its author's browser (tab.py,
static/tab.js), which may request only the files of the runtime from this server.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from pips_referee.game import REGISTRY, get_game
from pips_referee.installed import wheel_of
from pips_referee.versions import PACKAGE
from pips_sdk.samples import sample_files, usual_sample
from pips_tourney.web.door import Door
from pips_tourney.web.page import STATIC, page
from pips_tourney.workshop.begin.new_bot import new_bot
from pips_tourney.workshop.browser.own_wheel import WHEEL, NoWheel, wheel
from pips_tourney.workshop.browser.runtime import FILES, INSTALL, LOCK, STAMP, WHEELS, compiled_wheel, runtime_folder

NAME: Final = "my_bot"
ABSENT: Final = f"The workshop's files are not on this machine. Its organiser fetches them once: {INSTALL}"
KEPT: Final = "public, max-age=31536000, immutable"
BESIDE: Final = (
    f"runtime/{STAMP}/codemirror.css", "static/workshop.css", f"runtime/{STAMP}/codemirror.js",
    f"runtime/{STAMP}/python.js", "static/workshop.js",
)  # fmt: skip
"""The styles and scripts that the page has in addition to those of a night."""
_KINDS: Final = {".js": "text/javascript", ".mjs": "text/javascript", ".css": "text/css", ".wasm": "application/wasm"}
_HOST: Final = re.compile(r"[\w.:\[\]-]+", re.ASCII)


def is_installed() -> bool:
    """Return whether the files of the runtime are installed."""
    return runtime_folder().is_dir()


def routes(prefix: str) -> list[BaseRoute]:
    """The files of a workshop; its page is at `prefix`, which ends in a slash."""

    def worker(request: Request) -> Response:
        """The worker's script, with its own policy, so that its bots reach no page."""
        here = f"{request.headers.get('host', '')}{prefix}"
        if not _HOST.fullmatch(request.headers.get("host", "")):
            raise HTTPException(400, "This request names no host.")
        policy = (
            f"default-src 'none'; script-src {here}static/tab.js {here}runtime/ 'wasm-unsafe-eval'; "
            f"connect-src {here}runtime/"
        )
        return FileResponse(STATIC / "tab.js", headers={"content-security-policy": policy, "cache-control": "no-cache"})

    return [
        Route("/static/tab.js", worker),
        Route("/runtime/{stamp}/{name}", _file),
        Route("/rules/{game}", _rules),
        Mount("/static", StaticFiles(directory=STATIC)),
    ]


async def _rules(request: Request) -> Response:
    if (game := request.path_params["game"]) not in REGISTRY or not _is_ours(game):
        raise HTTPException(404, "There is no such game here.")
    return PlainTextResponse(get_game(game).rulebook())


async def _file(request: Request) -> Response:
    """A file of the runtime. Its address changes with it, so browsers can cache it."""
    stamp, name = request.path_params["stamp"], request.path_params["name"]
    if name == WHEEL:
        data, own = await run_in_threadpool(_own_wheel)
        if stamp == own:
            return Response(data, media_type="application/zip", headers={"cache-control": KEPT})
    path = runtime_folder() / name
    if stamp != STAMP or name not in FILES or not path.is_file():
        raise HTTPException(404, "There is no such file.")
    headers, packed = {"cache-control": KEPT, "vary": "accept-encoding"}, path.with_name(f"{name}.gz")
    if "gzip" in request.headers.get("accept-encoding", "") and packed.is_file():
        path, headers = packed, headers | {"content-encoding": "gzip"}
    return FileResponse(path, headers=headers, media_type=_KINDS.get(Path(name).suffix, "application/zip"))


@cache
def _own_wheel() -> tuple[bytes, str]:
    """Our own wheel, and the part of its address that identifies it."""
    data = wheel()
    if (path := compiled_wheel(data)).is_file():
        data = path.read_bytes()
    return data, sha256(data).hexdigest()[:12]


def alone() -> Starlette:
    """The workshop of one person, on their own machine; the simplest game is first."""

    async def first(_: Request) -> Response:
        return await workshop_page([{"name": name} for name in sorted(REGISTRY, key=_size)])

    return Starlette(routes=[Route("/", first), *routes("/")], middleware=[Middleware(Door, token=None)])


async def workshop_page(games: Sequence[Mapping[str, Any]], **more: Any) -> Response:
    """The page. Each game has its `name`, and perhaps `seats` and `options`.

    Raises 404 if the runtime is not installed.
    """
    if not is_installed():
        raise HTTPException(404, ABSENT)
    try:
        _, own = await run_in_threadpool(_own_wheel)
    except NoWheel as error:
        raise HTTPException(404, str(error)) from None
    offered = [dict(game) | await run_in_threadpool(_about, game["name"]) for game in games if _is_ours(game["name"])]
    if not offered:
        raise HTTPException(404, "No game of this league can be played in a tab: none came with Pips itself.")
    workshop = {
        "games": offered, "python": sys.version_info[:2], "runtime": f"runtime/{STAMP}/", "lock": LOCK,
        "wheels": [f"runtime/{own}/{WHEEL}", *(f"runtime/{STAMP}/{name}" for name in WHEELS)], **more,
    }  # fmt: skip
    about: dict[str, Any] = {
        "mode": "live", "play": None, "night": None, "own": [], "replays": {},
        "home": more.get("home"), "workshop": workshop,
    }  # fmt: skip
    return HTMLResponse(page(about, beside=BESIDE), headers={"cache-control": "no-store"})


def _size(game: str) -> tuple[int, int]:
    """The size of a game: its fewest seats, and its kinds of questions."""
    rules = get_game(game)
    return rules.seats(rules.options())[0], len(rules.kinds)


def _is_ours(game: str) -> bool:
    """Return whether our own wheel, which is all that a tab has, contains the game."""
    return wheel_of(game).startswith(f"{PACKAGE} ")


@cache
def _about(game: str) -> dict[str, Any]:
    """A game's title, a first bot, its tests, and samples that need no libraries."""
    needs = getattr(get_game(game).part("bots"), "NEEDS", {})
    with TemporaryDirectory() as folder:
        new_bot(Path(folder) / NAME, game, "python")
        bot, tests = (
            (Path(folder) / NAME / f"{stem}.py").read_text(encoding="utf-8") for stem in (NAME, f"test_{NAME}")
        )
    samples = [name for name in sample_files(game) if name not in needs]
    return {
        "title": get_game(game).title, "texts": bot, "tests": tests, "samples": samples, "usual": usual_sample(game),
    }  # fmt: skip
