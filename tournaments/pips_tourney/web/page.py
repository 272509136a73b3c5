"""The only page.

Served, it links to its styles and scripts. In a report it contains them.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from html import escape
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from jinja2 import Environment

STATIC: Final = Path(__file__).with_name("static")
TEMPLATES: Final = Path(__file__).with_name("templates")
NO_NIGHT: Final = "This page draws its tables and cards with JavaScript."
STYLES: Final = ("style.css", "table.css", "rounds.css", "pair.css", "screen.css")
SCRIPTS: Final = (
    "state.js",
    "dom.js",
    "cards.js",
    "charts.js",
    "boards.js",
    "ratings.js",
    "rounds.js",
    "lessons.js",
    "night.js",
    "matches.js",
    "pair.js",
    "season.js",
    "tables.js",
    "course.js",
    "replay.js",
    "screen.js",
    "play.js",
    "app.js",
)
"""The modules, each after those that it imports."""
_MODULE: Final = ' type="module"'
_IMPORT: Final = re.compile(r'^import (?:(\{[^}]*\}) from )?"\./(\w+)\.js";\n', re.MULTILINE)
_EXPORT: Final = re.compile(r"^export const (\w+)", re.MULTILINE)


@cache
def pages_in(folder: Path) -> Environment:
    """The templates of a folder; all values in them are escaped."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # imported for the first page

    return Environment(loader=FileSystemLoader(folder), autoescape=True, undefined=StrictUndefined)


@cache
def _template() -> Template:
    return Template((TEMPLATES / "page.html").read_text(encoding="utf-8"))


def page(about: dict[str, Any], *, whole: bool = False, beside: Sequence[str] = ()) -> str:
    """The page with the data `about`; with `whole`, in one file.

    `beside` are addresses of more styles and scripts.
    """
    night = about.get("night")
    parts = _inside() if whole else _links(beside)
    plain = NO_NIGHT if night is None else _plain(night)
    return _template().substitute(
        parts, title=escape(night["league"] if night else "Pips"), plain=plain, about=embedded(about)
    )


def _links(beside: Sequence[str]) -> dict[str, str]:
    styles = [*(f"static/{name}" for name in STYLES), *(name for name in beside if name.endswith(".css"))]
    scripts = [*(name for name in beside if name not in styles), f"static/{SCRIPTS[-1]}"]
    return {
        "policy": "",
        "styles": "".join(f'<link rel="stylesheet" href="{name}">\n' for name in styles)
        + "".join(f'<link rel="modulepreload" href="static/{name}">\n' for name in SCRIPTS),
        "scripts": "".join(
            f'<script src="{name}"{_MODULE * name.startswith("static/")}></script>\n' for name in scripts
        ),
    }


def _inside() -> dict[str, str]:
    """The styles and scripts of the page."""
    styles = ["\n" + (STATIC / name).read_text(encoding="utf-8") for name in STYLES]
    script = "\n" + "".join(map(_alone, SCRIPTS))
    policy = f'<meta http-equiv="Content-Security-Policy" content="{_policy(styles, [script])}">\n'
    return {
        "policy": policy,
        "styles": "".join(f"<style>{style}</style>\n" for style in styles),
        "scripts": f"<script{_MODULE}>{script}</script>\n",
    }


def _alone(name: str) -> str:
    """A module as a constant with its exports: a page on a disk imports no files."""
    text = (STATIC / name).read_text(encoding="utf-8")
    exports = ", ".join(_EXPORT.findall(text))
    text = _IMPORT.sub(lambda found: f"const {found[1]} = _{found[2]};\n" if found[1] else "", text)
    text = _EXPORT.sub(r"const \1", text)
    return f"const _{Path(name).stem} = (() => {{\n{text}return {{ {exports} }};\n}})();\n"


def _policy(styles: Sequence[str], scripts: Sequence[str]) -> str:
    """A policy that lets a page in one file run its own scripts, and no others."""

    def hashes(texts: Sequence[str]) -> str:
        return " ".join(f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" for text in texts)

    inside = f"style-src {hashes(styles)}; script-src {hashes(scripts)}"
    return f"default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; {inside}"


def _plain(night: dict[str, Any]) -> str:
    """The text for browsers without JavaScript: winners, date, and the first table."""
    table = night["tables"][-1]
    table = table if "game" not in table else night["tables"][0]
    text = (
        pages_in(TEMPLATES)
        .get_template("plain.html")
        .render(league=night["league"], when=night.get("when", {}), table=table, over=night["over"])
    )
    return f"\n{text}\n"


def embedded(value: Any) -> str:
    """JSON that is safe inside a script element."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")
