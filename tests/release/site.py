"""`make site`: a league night and docs/ as pages that any web space can hold.

The night is played in build/night, unless that folder has it; remove the folder to
begin anew.
"""

from __future__ import annotations

import json
import shutil
import sys
from html import escape
from pathlib import Path
from typing import Final

from tests.goldens.night import in_one_file
from tests.release.made import ROOT, VERSION, NoRelease, run

LEAGUE: Final = ROOT / "tournaments" / "league_night.toml"
NIGHT: Final = ROOT / "build" / "night" / "league_night.db"
SITE: Final = ROOT / "build" / "site"
TOURNEY: Final = (sys.executable, "-m", "pips_tourney")
LUCK: Final = "luck.txt"
REPLAYS: Final = 3
"""Matches of each game whose replay is in the pages."""
INDEX: Final = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Pips {version}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="night/style.css">
</head>
<body>
<main>
<h1>Pips {version}</h1>
<p>A referee and tournament runner for bots that play card and dice games.</p>
<ul>
<li><a href="night/index.html">A league night in four games</a>: standings and
<a href="night/night-1.html">replays</a></li>
<li><a href="luck.txt">What luck gave each bot, and what decisions cost</a></li>
<li><a href="docs/index.html">Documentation</a></li>
<li><a href="{night}">The night's database</a>. Check every match of it:
<code>pips-tourney verify {night}</code></li>
</ul>
<p style="overflow-wrap: anywhere"><code>{verified}</code></p>
</main>
</body>
</html>
"""


def play() -> None:
    """Play the night and analyse it, unless it was played to its end."""
    NIGHT.parent.mkdir(parents=True, exist_ok=True)
    run(*TOURNEY, "run", LEAGUE, cwd=NIGHT.parent)
    if not (NIGHT.parent / LUCK).exists():
        (NIGHT.parent / LUCK).write_text(run(*TOURNEY, "analyse", NIGHT.name, cwd=NIGHT.parent), encoding="utf-8")


def write(folder: Path, epoch: str) -> None:
    """Write the site of the night that was played."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    in_one_file(NIGHT, folder / NIGHT.name)
    report = folder / "report"
    chosen = [word for match in _of_each_game() for word in ("-m", match)]
    run(*TOURNEY, "report", NIGHT.name, "-o", report, *chosen, cwd=NIGHT.parent)
    (report / "site").rename(folder / "night")
    shutil.rmtree(report)
    shutil.copy(NIGHT.parent / LUCK, folder)
    trees = folder.with_name(f"{folder.name}.trees")
    words = ("-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", "-d", trees, "docs", folder / "docs")
    run(sys.executable, *words, SOURCE_DATE_EPOCH=epoch)
    verified = run(*TOURNEY, "verify", NIGHT.name, cwd=folder)
    about = {"version": VERSION, "night": NIGHT.name, "verified": escape(verified)}
    (folder / "index.html").write_text(INDEX.format(**about), encoding="utf-8")


def _of_each_game() -> list[str]:
    """The first matches of each game."""
    by_game: dict[str, list[str]] = {}
    for match in json.loads(run(*TOURNEY, "matches", NIGHT.name, "--json", cwd=NIGHT.parent)):
        by_game.setdefault(match["game"], []).append(match["match"])
    return [match for matches in by_game.values() for match in matches[:REPLAYS]]


if __name__ == "__main__":
    try:
        play()
        write(SITE, run("git", "log", "-1", "--format=%ct").strip())
    except NoRelease as error:
        sys.exit(str(error))
    print(f"open {SITE / 'index.html'}")
