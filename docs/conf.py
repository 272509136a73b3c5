"""How `make docs` builds the pages of this folder."""

from __future__ import annotations

import re
from importlib.metadata import version as version_of
from typing import Any

from pygments.lexers.special import TextLexer

project = "Pips"
copyright = "The Pips developers"  # noqa: A001 - Sphinx reads this name
version = release = version_of("pips-tourney")

extensions = ["myst_parser", "sphinx.ext.autodoc"]
highlight_language = "text"  # blocks without a language are commands
html_theme = "furo"
html_title = "Pips"
myst_heading_anchors = 3
myst_enable_extensions = ["fieldlist"]

default_role = "code"  # docstrings say `this`
add_module_names = False
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True, "undoc-members": True}
nitpicky = False  # types of the standard library are not ours to link

OUTSIDE = re.compile(r"\[([^\]]+)\]\(\.\./[^)]*\)")


def unlink(_app: Any, _page: str, source: list[str]) -> None:
    """The built pages show links to files of the repository as plain text."""
    source[0] = OUTSIDE.sub(r"\1", source[0])


def setup(app: Any) -> None:
    app.connect("source-read", unlink)
    app.add_lexer("hex", TextLexer)
