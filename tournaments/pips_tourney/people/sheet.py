"""Invites on paper: for each player the line to type, also as a QR code."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from io import BytesIO
from typing import Final

import segno

from pips_referee.printable import plain

STYLE: Final = """
body { font: 1rem/1.4 system-ui, sans-serif; margin: 1rem; }
section { break-inside: avoid; border-bottom: 1px dashed; padding: 1rem 0; }
h2 { margin: 0; } code { overflow-wrap: anywhere; font-weight: 600; } svg { width: 9cm; height: auto; }
"""


def sheet(league: str, lines: Mapping[str, str]) -> str:
    """A page to print and to cut up, with one line for each player."""
    title = escape(plain(league))
    parts = []
    for player, line in lines.items():
        code = BytesIO()
        segno.make(line, error="l", micro=False).save(
            code, kind="svg", xmldecl=False, svgns=True, omitsize=True, border=4
        )
        parts.append(
            f"<section><h2>{escape(player)}</h2><p>{title}. The line is yours alone: whoever has it plays "
            f"in your place.</p>{code.getvalue().decode()}<p><code>{escape(line)}</code></p></section>\n"
        )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f"<title>Invites: {title}</title><style>{STYLE}</style></head><body>\n<h1>Invites: {title}"
        f"</h1>\n{''.join(parts)}</body></html>\n"
    )
