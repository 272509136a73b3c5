"""Whether what is said of degenerate leagues contradicts itself.

    python -m tests.lab.simulate.contradictions [LEAGUES]

Everybody crashes, everything is level, one bot wins all, always by the same, there are
two deals, one, or a bot is out. The terminal's text, JSON, CSV and the data of the page
are read for each random league; no two of them, and no two sentences, may disagree.
"""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console

from pips_tourney.league.read import read_league
from pips_tourney.night.begin import begin
from pips_tourney.night.log.rows import Row
from pips_tourney.night.log.store import open_store, read_store
from pips_tourney.night.plan.from_league import make_programme
from pips_tourney.reports.tables import print_standings, to_csv, to_json
from pips_tourney.secret import Secret
from pips_tourney.web.archive import Archive
from pips_tourney.web.scoreboard import night_json

Json = dict[str, Any]
Lead = Callable[[str, str], float]
FEWEST = 10
"""With fewer deals nothing is said of an order."""
NEARLY = 0.48
"""A bot with the larger margin may be less sure of it, and so a little less likely."""
NAMES = ("ada", "bo", "cy", "dee", "eve")
DEALS = (1, 2, 3, 9, 10, 11, 20)


class League(NamedTuple):
    """A league of random kind: what it says in all its forms."""

    what: str
    text: str
    json: Json
    csv: list[dict[str, str]]
    page: Json
    constant: bool
    """Whether every match of two bots ends by the same lead."""


def drawn(number: int, folder: Path) -> League:
    """The league of that number."""
    luck = np.random.default_rng([2026, number])
    names = NAMES[: int(luck.integers(2, 6))]
    deals, points = int(luck.choice(DEALS)), bool(luck.integers(2))
    kind = str(
        luck.choice(["level", "by rank", "one wins", "circle", "one crashes", "all crash", "often little", "seat"])
    )
    size = float(luck.choice([1, 2, 7, 60, 500]))
    noise = float(luck.choice([0, 0, 0, 1]))
    out = "max_faults = 3\n" if kind == "one crashes" and luck.integers(2) else ""
    bots = ", ".join(f'{{ name = "{name}", sample = "random" }}' for name in names)
    rate = 'rate = "points"\n' if points else ""
    path = folder / f"{number}.toml"
    path.write_text(
        f'name = "odd"\ngame = "serpent"\n{rate}{out}deals = {{ count = {deals} }}\nbots = [{bots}]\n', encoding="utf-8"
    )
    secret, database = Secret(bytes([number % 256]) * 32), path.with_suffix(".db")
    with open_store(database) as store:
        night = begin(store, make_programme(read_league(path)), secret)
        store.add([_row(at.match_id, at.seating, kind, size, noise, luck) for at in night.fixtures()])
    with read_store(database) as store:
        archive = Archive(store)
        of, page = archive.standings(), night_json(archive, archive.standings())
        console = Console(file=io.StringIO(), width=400)
        print_standings(of, console, full=True)
    assert isinstance(console.file, io.StringIO)
    said = to_json(of, timings=False)
    what = f"{number}: {kind}, {len(names)} bots, {deals} deals, lead {size:g} ± {noise:g}, {rate or 'by results'}{out}"
    rows = list(csv.DictReader(io.StringIO(to_csv(of, timings=False))))
    constant = noise == 0 and kind in ("by rank", "one wins", "often little")
    return League(what, console.file.getvalue(), json.loads(said), rows, json.loads(json.dumps(page)), constant)


def _row(match: str, seating: Sequence[str], kind: str, size: float, noise: float, luck: np.random.Generator) -> Row:
    """A match between bots a and b as the database keeps it."""
    a, b = (NAMES.index(bot) for bot in seating)
    faults: list[list[Any]] = []
    lead = {
        "by rank": size * np.sign(b - a),
        "one wins": size * ((a == 0) - (b == 0)),
        "circle": size * (1 if (b - a) % 3 == 1 else -1 if (a - b) % 3 == 1 else 0),
        "often little": (1 if luck.random() < 0.8 else -9 * size) * np.sign(b - a) if noise else size * np.sign(b - a),
        "seat": size,
    }.get(kind, 0.0) + noise * np.rint(luck.normal(0, 3))
    crasher = {"one crashes": 0 if a == 0 else 1 if b == 0 else None, "all crash": int(luck.integers(2))}.get(kind)
    if crasher is not None:
        faults, lead = [[crasher, "crash", "exit status 3"]], -1.0 if crasher == 0 else 1.0
    places = [1, 1] if lead == 0 else [1, 2] if lead > 0 else [2, 1]
    scores = [0, 0] if faults else [max(lead, 0), max(-lead, 0)]
    words = [json.dumps(each, separators=(",", ":")) for each in ([*seating], places, scores, faults)]
    return Row(match, "serpent", words[0], words[1], words[2], words[3], 40, "[[[3,20]],[[3,20]]]", bytes(32), b"")


def contradictions(league: League) -> Iterator[str]:
    """What does not go together."""
    (table,) = (each for each in league.json["tables"] if each["label"] == "serpent")
    rows = table["rows"]
    yield from _forms(league, table)
    differences = {(d["a"], d["b"]): d for d in table.get("differences", ())}
    met = {(m["a"], m["b"]): m for m in table.get("head_to_head", ())}
    yield from _order(table, differences, met)
    yield from _numbers(table, differences, met)
    yield from _first(table)
    yield from _sentences(league.text, rows, differences, met)
    if table.get("ordered_by") == "points":
        yield from _by_points(table)
    if rows and sum(row["matches"] for row in rows) != 2 * table["counted"]:
        yield "bots have played other numbers of matches than count"


def _forms(league: League, table: Json) -> Iterator[str]:
    """Text, CSV and page beside JSON."""
    rows, lines = table["rows"], _grid(league.text, next(iter(league.text.splitlines()), ""))
    (page,) = (each for each in league.page["tables"] if each["label"] == "serpent")
    for key, value in table.items():
        if key != "rows" and page.get(key) != value:
            yield f"the page has another {key}"
    for row, beside in zip(rows, page["rows"], strict=True):
        yield from (f"{row['bot']}: the page has another {key}" for key in row if row[key] != beside.get(key))
    if [line.get("bot") for line in lines] != [row["bot"] for row in rows]:
        yield "the text has another order"
        return
    for row, line, cell in zip(rows, lines, league.csv, strict=False):
        said = {
            "#": str(row["rank"]),
            "Elo": _elo(row),
            "95 %": row["note"]
            or ("" if row["low"] is None or row["bound"] else f"{row['low']:.0f} to {row['high']:.0f}"),
            "better than next": _chance(row["better_than_next"]),
            "matches": str(row["matches"]),
        }
        if row.get("margin"):
            said["margin"] = f"{row['margin']['mean']:+z.1f}"
        if row.get("ranks"):
            first, last = row["ranks"]
            said["places"] = f"{first}" if first == last else f"{first} to {last}"
        yield from (
            f"{row['bot']}: the text has another {key}" for key, value in said.items() if line.get(key) != value
        )
        for key in ("bot", "elo", "low", "high", "better_than_next", "points", "first"):
            if cell[key] != ("" if row[key] is None else str(row[key])):
                yield f"{row['bot']}: CSV has another {key}"


def _order(table: Json, differences: Mapping[Any, Json], met: Mapping[Any, Json]) -> Iterator[str]:
    """Rows beside what is said of neighbours, and of any two."""
    rows, points = table["rows"], table.get("ordered_by") == "points"
    for upper, lower in pairwise(rows):
        a, b = upper["bot"], lower["bot"]
        if points:
            if upper["margin"]["mean"] < lower["margin"]["mean"]:
                yield f"{a} is above {b} with less margin"
            continue
        if upper["better_than_next"] != differences[a, b]["better"]:
            yield f"{a}: better than next is not that of the difference"
        if upper["elo"] is not None and lower["elo"] is not None and upper["elo"] < lower["elo"]:
            yield f"{a} is above {b} with less Elo"
    for (a, b), said in differences.items():
        if said["better"] is None:
            continue
        pair, turned = met.get((a, b)), met.get((b, a))
        score = pair["score"] if pair else 1 - turned["score"] if turned else 0.5
        ahead = said["better"] - 0.5
        if said["low"] is not None and said["low"] > 0 > ahead and score >= 0.5:
            yield f"{a} is surely ahead of {b}, and not better"
        if said["high"] is not None and said["high"] < 0 < ahead and score <= 0.5:
            yield f"{b} is surely ahead of {a}, and not better"
        if abs(ahead) > 0.45 and ahead * (score - 0.5) < 0 and (pair or turned or {}).get("ahead", 0) >= 0.975:
            yield f"{a}, {b}: surely better against their own significant results"


def _numbers(table: Json, differences: Mapping[Any, Json], met: Mapping[Any, Json]) -> Iterator[str]:
    rows = table["rows"]
    for row in [*rows, *differences.values()]:
        low, elo, high = row["low"], row["elo"], row["high"]
        if elo is not None and low is not None and not low <= elo <= high:
            yield f"{row.get('bot') or row['a']}: an interval without its number"
    for row in rows:
        margin = row.get("margin")
        if margin and margin["low"] is not None and not margin["low"] <= margin["mean"] <= margin["high"]:
            yield f"{row['bot']}: a margin outside its interval"
        if row["ranks"] and not 1 <= row["ranks"][0] <= row["ranks"][1] <= len(rows):
            yield f"{row['bot']}: impossible places"
        if row["deals"] < FEWEST and (row["low"] is not None and not row["bound"] and row["note"] != "reference"):
            yield f"{row['bot']}: an interval from {row['deals']} deals"
    for (a, b), pair in met.items():
        if (pair["score"] == 0.5) != (pair["ahead"] == 0.5) and pair["deals"] > 1:
            yield f"{a}, {b}: ahead and level"


def _first(table: Json) -> Iterator[str]:
    """Chances to be first beside places and neighbours."""
    rows, points = table["rows"], table.get("ordered_by") == "points"
    for row in rows:
        sure = row["ranks"] and row["first"] is not None and not 0.01 < row["first"] < 0.05
        if sure and (row["ranks"][0] > 1) != (row["first"] < 0.026):
            yield f"{row['bot']}: places {row['ranks']} and first with {row['first']}"
    first = [row["first"] for row in rows if row["first"] is not None]
    if len(first) == len(rows) > 0 and abs(sum(first) - 1) > 0.01:
        yield f"chances to be first that sum to {sum(first):.3f}"
    better = rows[0]["better_than_next"] if len(rows) == len(first) == 2 and not points else None
    if better is not None and abs(better - first[0]) > 0.02:
        yield f"two bots: better {better}, first {first[0]}"


def _sentences(
    text: str, rows: Sequence[Json], differences: Mapping[Any, Json], met: Mapping[Any, Json]
) -> Iterator[str]:
    """The lines under the table beside its numbers."""
    score = {(a, b): m["score"] for (a, b), m in met.items()} | {(b, a): 1 - m["score"] for (a, b), m in met.items()}
    better = {pair: d["better"] for pair, d in differences.items()}
    better |= {(b, a): None if chance is None else 1 - chance for (a, b), chance in better.items()}
    place = {row["bot"]: at for at, row in enumerate(rows)}
    margin = {row["bot"]: (row.get("margin") or {}).get("mean", 0.0) for row in rows}
    for much, often in re.findall(r"^  (\w+) wins by more, (\w+) wins oftener$", text, re.MULTILINE):
        if margin[much] <= margin[often]:
            yield f"{much} wins by more than {often}, with less margin"
        if (better[often, much] or 0) < 0.5 or score.get((often, much), 1) < 0.5:
            yield f"{often} wins oftener than {much}, and is not better"
    for a, b, share in re.findall(
        r"^  (\w+) stands above (\w+), but against each other \w+ has ([\d.]+)%", text, re.MULTILINE
    ):
        if place[a] > place[b] or score[a, b] >= 0.5 or f"{100 * score[b, a]:.1f}" != share:
            yield f"{a} stands above {b}: not so"
    for a, b, c in re.findall(r"^  (\w+) beats (\w+), \w+ beats (\w+), \w+ beats \w+: no order", text, re.MULTILINE):
        if min(score[a, b], score[b, c], score[c, a]) <= 0.5:
            yield f"{a}, {b}, {c} do not beat one another"


def _by_points(table: Json) -> Iterator[str]:
    """What is said of neighbours by margin.

    A smaller lead may be turned by one deal of rare and huge luck, however many agree.
    """
    for upper, lower in pairwise(table["rows"]):
        a, chance = upper["bot"], upper["better_than_next"]
        apart = round(upper["margin"]["mean"] - lower["margin"]["mean"], 2)
        if chance is not None and apart > 0.01 and chance < NEARLY:
            yield f"{a} has the larger margin, and is not said to"


def _grid(text: str, title: str) -> list[dict[str, str]]:
    """The first table of a text."""
    lines = [line for line in text.splitlines() if line.startswith(("┃", "│"))]
    cells = [[cell.strip() for cell in re.split("[┃│]", line)[1:-1]] for line in lines]
    if not cells:
        return []
    rows = []
    for line, row in zip(lines[1:], cells[1:], strict=True):
        if line.startswith("┃"):
            break
        rows.append(dict(zip(cells[0], row, strict=True)))
    return rows


def _elo(row: Json) -> str:
    if row["elo"] is not None:
        return f"{row['elo']:.0f}"
    limit = row["low"] if row["bound"] == ">" else row["high"]
    return "?" if limit is None else f"{row['bound']} {limit:.0f}"


def _chance(share: float | None) -> str:
    if share is None:
        return ""
    return "> 99.9 %" if share > 0.999 else "< 0.1 %" if share < 0.001 else f"{100 * share:.1f} %"


def _turned(league: League) -> League:
    """A neighbour's chance with the wrong sign, in JSON and everywhere."""
    table = league.json["tables"][0]
    for row in table["rows"]:
        if row["better_than_next"] not in (None, 0.5):
            row["better_than_next"] = round(1 - row["better_than_next"], 4)
    return league._replace(page=json.loads(json.dumps(league.json | {"tables": league.json["tables"]})))


def _swapped(league: League) -> League:
    """Two rows of the text in the wrong order."""
    lines = league.text.splitlines()
    at = [number for number, line in enumerate(lines) if line.startswith("│")][:2]
    lines[at[0]], lines[at[1]] = lines[at[1]], lines[at[0]]
    return league._replace(text="\n".join(lines))


def _beside(league: League) -> League:
    """A page that counts other points than JSON."""
    page = json.loads(json.dumps(league.page))
    page["tables"][0]["rows"][0]["points"] += 1
    return league._replace(page=page)


def _said(league: League) -> League:
    """A sentence about two bots that is the wrong way round."""
    rows = league.json["tables"][0]["rows"]
    order = sorted(rows, key=lambda row: (row.get("margin") or {"mean": 0})["mean"])
    return league._replace(text=f"{league.text}\n  {order[0]['bot']} wins by more, {order[-1]['bot']} wins oftener\n")


def _outside(league: League) -> League:
    """An interval that does not hold its number, in JSON and on the page."""
    for of in (league.json, league.page):
        for row in of["tables"][0]["rows"]:
            if row["low"] is not None and row["elo"] is not None and row["high"] is not None:
                row["low"], row["high"] = row["high"] + 1, row["high"] + 2
    return league


PLANTS: dict[str, Callable[[League], League]] = {
    "a chance with the wrong sign": _turned,
    "places out of order": _swapped,
    "JSON beside a page": _beside,
    "a sentence the wrong way round": _said,
    "an interval without its number": _outside,
}


def search(leagues: int, folder: Path) -> tuple[dict[str, list[str]], dict[str, int]]:
    """What contradicts itself, by league; in how many leagues each plant was seen."""
    found, seen = {}, dict.fromkeys(PLANTS, 0)
    for number in range(leagues):
        league = drawn(number, folder)
        if told := list(contradictions(league)):
            found[league.what] = told
        for name, plant in PLANTS.items() if len(league.json["tables"][0]["rows"]) > 1 else ():
            copy = league._replace(json=json.loads(json.dumps(league.json)), page=json.loads(json.dumps(league.page)))
            seen[name] += len(list(contradictions(plant(copy)))) > len(told)
        (folder / f"{number}.db").unlink()
    return found, seen


def main(leagues: int) -> int:
    with TemporaryDirectory() as folder:
        found, seen = search(leagues, Path(folder))
    for what, told in found.items():
        print(f"{what.strip()}: {'; '.join(told)}")
    print(f"{leagues} leagues, {len(found)} contradict themselves")
    for name, times in seen.items():
        print(f"planted: {name}: seen in {times}")
    return 1 if found or not all(seen.values()) else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000))
