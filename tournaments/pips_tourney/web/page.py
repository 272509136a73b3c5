"""The one page there is.

Where it is served it links to its styles and scripts. In a report everything is inside.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from jinja2 import Template

STATIC: Final = Path(__file__).with_name("static")
STYLES: Final = ("style.css", "table.css", "rounds.css", "pair.css", "screen.css")
SCRIPTS: Final = (
    "dom.js",
    "cards.js",
    "charts.js",
    "boards.js",
    "night.js",
    "rounds.js",
    "circles.js",
    "matches.js",
    "pair.js",
    "season.js",
    "tables.js",
    "screen.js",
    "course.js",
    "lessons.js",
    "replay.js",
    "play.js",
    "app.js",
)
"""In the order in which they need one another."""


@cache
def _template() -> Template:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # when the first page is asked for

    loader = FileSystemLoader(Path(__file__).with_name("templates"))
    return Environment(loader=loader, autoescape=True, undefined=StrictUndefined).get_template("page.html")


def page(about: dict[str, Any], *, whole: bool = False) -> str:
    """The page with what it is `about`; `whole`: in one file."""
    inside = ["\n" + (STATIC / name).read_text(encoding="utf-8") for name in (*STYLES, *SCRIPTS)] if whole else []
    return _template().render(
        title=about["night"]["league"] if about.get("night") else "Pips",
        about=embedded(about),
        styles=inside[: len(STYLES)],
        scripts=inside[len(STYLES) :],
        policy=_policy(inside[: len(STYLES)], inside[len(STYLES) :]) if whole else "",
        style_files=STYLES,
        script_files=SCRIPTS,
        whole=whole,
        plain=_plain(about["night"]) if whole and about.get("night") else None,
    )


def _policy(styles: Sequence[str], scripts: Sequence[str]) -> str:
    """A policy by which a page in one file runs what is inside, and nothing else."""

    def hashes(texts: Sequence[str]) -> str:
        return " ".join(f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" for text in texts)

    inside = f"style-src {hashes(styles)}; script-src {hashes(scripts)}"
    return f"default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; {inside}"


def _plain(night: dict[str, Any]) -> dict[str, Any]:
    """The text without JavaScript: the winners, when, and the first table."""
    table = night["tables"][-1]
    table = table if "game" not in table else night["tables"][0]
    return {"league": night["league"], "when": night.get("when", {}), "table": table, "over": night["over"]}


def embedded(value: Any) -> str:
    """JSON that may stand in a script element."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")
