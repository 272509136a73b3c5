"""What is exported is well-formed for its reader, whatever people call things."""

from __future__ import annotations

import csv
import io
import json
import re
from html.parser import HTMLParser
from unicodedata import category
from xml.etree import ElementTree as ET

from hypothesis import example, given, settings
from hypothesis import strategies as st

from pips_tourney.names import is_name, name_from
from pips_tourney.people.sheet import sheet
from pips_tourney.reports.feedback import Feedback
from pips_tourney.reports.feedback_pages import as_html
from pips_tourney.reports.matches import Listed, matches_csv, matches_json

NAMES = st.text(min_size=1, max_size=12).map(name_from)
TEXTS = st.text(max_size=12)


class Texts(HTMLParser):
    """The texts of a page by the tag that they are in."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.texts: dict[str, list[str]] = {}
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open:
            self.texts.setdefault(self.open[-1], []).append(data)


@settings(max_examples=40, deadline=None)
@given(NAMES, TEXTS)
@example("a", "</title><script>")
@example("a", "A\x00\x1b\nB\u202e")
def test_pages(name: str, league: str) -> None:
    assert is_name(name)
    for page in (as_html(Feedback(name, league, ())), sheet(league, {name: "one line"})):
        read = Texts(page)
        assert not read.open and "script" not in read.texts
        assert name in (*read.texts["h1"], *read.texts.get("h2", []))
        assert all(category(char)[0] != "C" for char in page if char != "\n")
    svg = re.search("<svg.*</svg>", sheet(league, {name: "one line"}), re.DOTALL)
    assert svg is not None and ET.fromstring(svg[0]).tag.endswith("svg")


@settings(max_examples=40, deadline=None)
@given(NAMES, NAMES, TEXTS)
@example("a", "b", "=1+1")
@example("a", "b", "1\r2")
@example("a", "b", 'x",\n"')
def test_rows(one: str, other: str, deal: str) -> None:
    match = Listed("m", "serpent", one, deal, 0, "b", True, (one, other), (1, 2), (3, 1), ("", "crash"))
    rows = list(csv.DictReader(io.StringIO(matches_csv([match]), newline="")))
    assert [(row["bot"], row["place"], row["score"], row["fault"]) for row in rows] == [
        (one, "1", "3", ""), (other, "2", "1", "crash"),
    ]  # fmt: skip
    lines = deal.replace("\r\n", "\n").replace("\r", "\n")
    assert {row["deal"].removeprefix("'") for row in rows} == {lines.removeprefix("'")}
    assert not any(row["deal"].startswith(("=", "+", "-", "@")) for row in rows)
    assert json.loads(json.dumps(matches_json([match])))[0]["bots"] == [one, other]
