"""`pips-bot workshop`: bots are written and played on a page of this machine."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import click
import uvicorn

from pips_tourney.cli.failure import Failed
from pips_tourney.cli.terminal import told
from pips_tourney.web.address import link, listen
from pips_tourney.web.browser.workshop import ABSENT, alone, is_installed
from pips_tourney.workshop.browser.own_wheel import wheel
from pips_tourney.workshop.browser.runtime import NoRuntime, compile_modules
from pips_tourney.workshop.browser.runtime import install as install_runtime


@click.command(short_help="Write and play bots in a browser.")
@click.option("--install", is_flag=True, help="Fetch what its page needs, once: 8 MB from npm and PyPI.")
@click.option(
    "--from", "source", type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Install from a folder of those files, without a network.",
)  # fmt: skip
@click.option("--port", type=click.IntRange(0, 65535), default=8080, show_default=True, help="The page's port.")
def workshop(port: int, source: Path | None, *, install: bool) -> None:
    """Write a bot and play it in a browser, on a page of this machine.

    A place has the same page for its people, after --install was run on this machine.
    """
    with told():
        if install or source is not None:
            click.echo(f"The workshop's files are in {install_runtime(source)}")
            try:
                compile_modules(wheel())
            except NoRuntime as error:
                click.echo(f"All works, but {error}", err=True)
            return
        if not is_installed():
            raise Failed(ABSENT)
        listener = listen("127.0.0.1", port)
        click.echo(f"The workshop is open at {link(listener, None)}", err=True)
        with suppress(KeyboardInterrupt):
            uvicorn.Server(uvicorn.Config(alone(), log_level="warning", ws="none")).run([listener])
