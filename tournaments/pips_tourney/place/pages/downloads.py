"""Downloads for authors: the packages that run here, starters and rules.

They need no invite, because installers cannot show one. Each file is made once.
"""

from __future__ import annotations

import io
import tarfile
from collections.abc import Callable
from functools import cached_property, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Final

from markdown_it import MarkdownIt
from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pips_referee.game import get_game
from pips_tourney.place.pages.site import PlaceSite
from pips_tourney.workshop.begin.new_bot import copy_js_sdk, new_bot
from pips_tourney.workshop.browser.own_wheel import WHEEL, NoWheel, own_files, wheel, zipped

_KINDS: Final = {".whl": "application/zip", ".zip": "application/zip", ".tgz": "application/gzip"}


class Downloads:
    """Handlers for everybody, with or without an invite."""

    def __init__(self, site: PlaceSite) -> None:
        self._site, self._made, self._making = site, dict[str, bytes](), Lock()

    def routes(self) -> list[Route]:
        return [Route("/files/{name}", self.file), Route("/rules/{game}", self.rules)]

    @cached_property
    def _makers(self) -> dict[str, Callable[[], bytes]]:
        """The functions that make the files, by name."""
        names = [game.name for game in self._site.games()]
        games = {f"{game}-starter.zip": partial(starter, game, self._site.address) for game in names}
        return {WHEEL: wheel, "pips-sdk.tgz": js_package, **games}

    async def rules(self, request: Request) -> Response:
        name = request.path_params["game"]
        if name not in [game.name for game in self._site.games()]:
            raise HTTPException(404, "No such game is played here.")
        head, _, text = get_game(name).rulebook().partition("\n")
        rules = Markup(MarkdownIt("js-default").render(text))  # noqa: S704 - what a rulebook has of HTML is escaped
        return self._site.page(request, "rules.html", head.lstrip("# "), rules=rules)

    async def file(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in self._makers:
            raise HTTPException(404, "There is no such file.")
        try:
            content = await run_in_threadpool(self._content, name)
        except NoWheel as error:
            raise HTTPException(503, str(error)) from None
        return Response(content, media_type=_KINDS[Path(name).suffix])

    def _content(self, name: str) -> bytes:
        with self._making:
            if name not in self._made:
                self._made[name] = self._makers[name]()
            return self._made[name]


def js_package() -> bytes:
    """The JavaScript SDK, in the format of `npm install`."""
    into, own = io.BytesIO(), {f"package/{name.removeprefix('pips_sdk/js/')}" for name, _ in own_files()}
    with TemporaryDirectory() as folder, tarfile.open(fileobj=into, mode="w:gz") as archive:
        copy_js_sdk(Path(folder) / "package")
        archive.add(
            Path(folder) / "package", "package", filter=lambda each: each if each.isdir() or each.name in own else None
        )
    return into.getvalue()


def starter(game: str, address: str) -> bytes:
    """A bot to begin with, as `pips-bot new` writes it, and the packages it needs."""
    with TemporaryDirectory() as folder:
        paths = new_bot(Path(folder) / "my_bot", game, "python")
        files = {f"my_bot/{path.name}": path.read_bytes() for path in paths}
    needs = f"First, once: `pip install {address}files/{WHEEL}`\n\nA bot for ".encode()
    files["my_bot/README.md"] = files["my_bot/README.md"].replace(b"A bot for ", needs, 1)
    return zipped(files)
