"""Invites on paper: for each player a code to type, and a QR code of the whole line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from io import BytesIO
from typing import Final

from pips_referee.printable import plain

STYLE: Final = """
body { font: 1rem/1.4 system-ui, sans-serif; margin: 1rem; }
section { break-inside: avoid; border-bottom: 1px dashed; padding: 1rem 0; }
h2 { margin: 0; } code { overflow-wrap: anywhere; font-size: .75rem; } svg { width: 9cm; height: auto; }
code.short { font-size: 1.05rem; font-weight: 600; }
"""


def sheet(league: str, lines: Mapping[str, Sequence[str]]) -> str:
    """A page to print and to cut up.

    `lines` are by player: the whole line, and a short one if there is one.
    """
    import segno

    title = escape(plain(league))
    parts = []
    for player, (line, *short) in lines.items():
        code = BytesIO()
        typed = "".join(f'<p>To type: <code class="short">{escape(each)}</code></p>' for each in short)
        segno.make(line, error="l", micro=False).save(
            code, kind="svg", xmldecl=False, svgns=True, omitsize=True, border=4
        )
        parts.append(
            f"<section><h2>{escape(player)}</h2><p>{title}. The line is yours alone: whoever has it plays "
            f"in your place.</p>{typed}{code.getvalue().decode()}<p><code>{escape(line)}</code></p></section>\n"
        )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f"<title>Invites: {title}</title><style>{STYLE}</style></head><body>\n<h1>Invites: {title}"
        f"</h1>\n{''.join(parts)}</body></html>\n"
    )
