"""A complete league as files for any web space."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from pips_tourney.files import NotWritten, make_folder, write_file
from pips_tourney.night.night import last_night
from pips_tourney.night.table.season import season_standings, season_stores
from pips_tourney.night.table.standings import standings
from pips_tourney.night.table.standings_json import public_tables
from pips_tourney.reports.matches import matches, matches_json
from pips_tourney.web.page import STATIC, TEMPLATES, pages_in
from pips_tourney.web.public import Public
from pips_tourney.web.report import report
from pips_tourney.web.season import when

STYLE: Final = "style.css"
HINT: Final = "name another folder with -o"


def write_site(database: Path, folder: Path, matches_of: Sequence[str], shown: Public) -> list[str]:
    """Write the pages of all nights, and data for programs; returns the files' names.

    All of it is public: no paths, no prints, no reasons of the organiser. Replays of
    `matches_of` are included in the page of the night in `database`. With aliases that
    night is the only one. Raises `NotWritten`, `StoreError`.
    """
    files: dict[str, str] = {}
    listed, last = [], None
    for number, store in season_stores(database):
        if shown.aliases and store.path != database:
            continue  # there are no aliases for its bots
        night = last_night(store)
        last = standings(night)
        name = f"night-{number}"
        listed.append({"number": number, "page": f"{name}.html", "over": night.is_ended(), **when(store)})
        files[f"{name}.html"] = report(store.path, matches_of if store.path == database else [], shown)
        files[f"{name}-standings.json"] = _dumped(shown.renamed(public_tables(last)))
        files[f"{name}-matches.json"] = _dumped(shown.match_list(matches_json(matches(store))))
    assert last is not None
    whole = season_standings(database) if len(listed) > 1 else last
    tables = shown.renamed(public_tables(whole))
    files["standings.json"] = _dumped(tables)
    about = {"league": last.league, "nights": listed, "tables": tables, "season": len(listed) > 1}
    files["index.html"] = pages_in(TEMPLATES).get_template("site.html").render(about)
    files[STYLE] = (STATIC / STYLE).read_text(encoding="utf-8")
    make_folder(folder, HINT)
    if shown.aliases and (left := sorted({*folder.glob("night-*")} - {folder / name for name in files})):
        raise NotWritten(f"{left[0]} is there from an earlier report, and may name bots: move it away, or {HINT}")
    for name, text in files.items():
        write_file(folder / name, [text], HINT)
    return list(files)


def _dumped(value: Any) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"
