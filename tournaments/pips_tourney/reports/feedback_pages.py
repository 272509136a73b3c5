"""Feedback as files: for each bot a self-contained HTML page, and a text."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Final

from pips_referee.printable import plain
from pips_tourney.files import make_folder, writable, write_file
from pips_tourney.league.collected import prefix_in
from pips_tourney.names import name_from, numbered
from pips_tourney.reports.feedback import Feedback, FeedbackPart
from pips_tourney.reports.own_records import OwnRecord

STYLE: Final = """
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; background: #fff; color: #1a1e1c; }
a { color: #0b6b53; }
@media screen and (prefers-color-scheme: dark) {
  :root { background: #121514; color: #ecf0ee; }
  a { color: #58c9a5; }
}
body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere; }
h1 { line-height: 1.2; } h2 { font-size: 1.15rem; margin: 1.8rem 0 .3rem; }
p { margin: .3rem 0; }
pre { overflow-x: auto; padding: .7rem; border: 1px solid; border-radius: .4rem; }
@media print { body { margin: 0; } pre { white-space: pre-wrap; } }
"""


HINT: Final = "name another folder with -o"
SAVE: Final = "Save the record first, and give the command in that folder"
SAVE_TEXT: Final = "Save the record first, from the page (.html) that belongs to this text"
BotFiles = tuple[str, Mapping[str, str]]
"""A bot, and the texts of its files by suffix."""


def as_text(page: Feedback) -> str:
    """The page as the text of a mail."""
    parts = [f"{page.league}: {page.bot}\n"]
    for section in page.sections:
        parts.append(f"\n{section.heading}\n{'-' * len(section.heading)}\n")
        parts += [f"{line}\n" for line in section.lines]
        parts += [f"    {line}".rstrip() + "\n" for line in section.shown]
        parts += [f"{SAVE_TEXT}: {', '.join(each.name for each in section.records)}\n"] if section.records else []
    return "".join(parts)


def as_html(page: Feedback) -> str:
    """The page as HTML, without scripts or external files."""
    league = escape(plain(page.league))
    title = f"{escape(page.bot)}, {league}"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
        f"<h1>{escape(page.bot)}</h1>\n<p>{league}</p>\n"
        + "".join(map(_section, page.sections))
        + "</main>\n</body>\n</html>\n"
    )


def _section(section: FeedbackPart) -> str:
    lines = "".join(f"<p>{escape(line)}</p>\n" for line in section.lines)
    shown = escape("\n".join(section.shown))
    block = f'<pre tabindex="0">{shown}</pre>\n' if shown else ""
    links = ", ".join(map(_link, section.records))
    save = f"<p>{SAVE}: {links}</p>\n" if links else ""
    return f"<h2>{escape(section.heading)}</h2>\n{lines}{block}{save}"


def _link(record: OwnRecord) -> str:
    """A link that saves the record, which is contained in the page."""
    data = b64encode(record.data).decode()
    return f'<a download="{record.name}" href="data:application/octet-stream;base64,{data}">{record.name}</a>'


def files_of(pages: Iterable[Feedback]) -> Iterator[BotFiles]:
    """Each bot's page and text."""
    return ((page.bot, {".txt": as_text(page), ".html": as_html(page)}) for page in pages)


def named(files: Iterable[BotFiles], prefixes: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, str]]:
    """The names and texts of files; a bot's come once for each of its `prefixes`."""
    taken = set[str]()
    for bot, texts in files:
        name = file_name(bot, taken)
        for prefix in prefixes.get(bot) or [""]:
            yield from ((f"{prefix}{name}{suffix}", text) for suffix, text in texts.items())


def write_for_bots(files: Iterable[BotFiles], folder: Path, places: Mapping[str, str] | None = None) -> list[Path]:
    """Write each bot's files; return older files in the folder.

    With the `places` of submissions, the files get names that Moodle accepts. Raises
    `NotWritten` if writing fails.
    """
    make_folder(folder, HINT)
    left = set(folder.iterdir())
    for name, text in named(files, {bot: [prefix_in(place)] for bot, place in (places or {}).items()}):
        write_file(file := folder / name, [text], HINT)
        left.discard(file)
    return sorted(left)


def file_name(bot: str, taken: set[str]) -> str:
    """A unique file name for a bot, allowed on any system."""
    plain = writable(re.sub(r"[^\w.+-]", "_", name_from(bot)).rstrip(".").casefold())
    name = numbered(plain, taken)
    taken.add(name)
    return name.replace(" ", "-number-")
