"""The class: a check of all, two nights of a season, and what is read of them."""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
import shutil
import time
from typing import Any, Final

from pips_tourney.night.log.store import read_store
from tests.lab.evening.room import Findings, Pages, Room, serving
from tests.lab.evening.students import COUNT, FINE, LATE, LONG, ZIP, hand_in
from tests.patience import PATIENCE_S

LEAGUE: Final = """
name = "Class"
games = ["wichita"]
season = true
max_faults = 5
tables = 6
clock = { answer_ms = 400 }
bots = ["submissions/*", { name = "baseline", sample = "random" }]
deals = { suite = "quick", count = 12 }
"""
OPTIONAL: Final = (
    "status", "standings", "verify", "audit", "report -o pages", "matches", "pause",
    "resume", "export --as csv", "export --as gradebook", "standings --full",
)  # fmt: skip
MOST_AGE_S: Final = 5.0
LATEST: Final = 0.25
"""After this part of a night every bot has played."""


def begin(room: Room, _: Findings) -> None:
    """The folders, and the league file."""
    hand_in(room.folder / "submissions")
    room.write("class.toml", LEAGUE)


def check(room: Room, found: Findings) -> None:
    """All submissions at once, before the night."""
    with found.step("W6"):
        ended = room.type("check", "class.toml", "-o", "letters", "--json", status=1)
        bots = {each["bot"]: each for each in json.loads(ended.out)["bots"]}
        assert len(bots) == COUNT, f"{len(bots)} of {COUNT} submissions are named"
        assert "pack it again" in json.dumps(bots["vera"]) and len(list((room.folder / "letters").iterdir())) == COUNT
        assert "copy of ada" in bots["ada"]["same_as"]
        found.shown("W6", f"`check` names {ZIP} among {COUNT} submissions, a letter for each")
    with found.step("W17"):
        assert not bots["other game"]["ready"] and "It does not play wichita" in json.dumps(bots["other game"])
        alone = room.type("check", "submissions/other game", "--league", "class.toml", bot=True, status=1)
        assert "It does not play wichita" in alone.said
        found.shown("W17", "`check` and `pips-bot check --league` name a bot of another game")


def first_night(room: Room, found: Findings) -> None:
    """A night that is watched, paused, resumed, corrected, and served to its end."""
    with serving(room, "run", "class.toml", "--web", "0", name="night1") as pages:
        with found.step("W1", "W2"):
            _fresh(room, pages, found)
        with found.step("W11"):
            room.type("pause", "class.db", "--reason", "ten minutes of break")
            paused = pages.until(lambda about: about["progress"]["state"] == "paused", "the page does not say paused")
            assert "ten minutes" in json.dumps(paused["progress"]["paused"])
            found.shown("W11", "the page says paused, and why")
        room.type("resume", "class.db")
        pages.until(lambda about: about["progress"]["state"] != "paused", "the page stays paused")
        room.type("withdraw", "class.db", "cy", "--reason", "copied from ada")
        played = [line["match"] for line in json.loads(room.type("matches", "class.db", "--bot", "bo", "--json").out)]
        room.type("annul", "class.db", played[0][:12], "--reason", "a power cut")
        room.type("replay-match", "class.db", played[-1][:12], "--reason", "a power cut")
        pages.process.wait(PATIENCE_S)  # nobody is at a terminal to end the pages
    with serving(room, "serve", "class.db", "--listen", "127.0.0.1:0", name="after") as after:
        with found.step("W12"):
            rows = json.loads(after.get("api/matches")[1])
            status, _ = after.get(f"api/match/{rows[0][1]}")
            assert rows and status == 200 and after.about()["night"]["over"]
            found.shown("W12", f"after the end there are pages, with {len(rows)} matches and their replays")
        with found.step("W10"):
            _same_numbers(room, after, found)
        with found.step("D9"):
            _in_turn(room, found)
        with found.step("W12"):
            assert after.stop() in (0, 130), "Ctrl-C does not end the pages well"
    with found.step("W9"):
        _printed_commands(room, pages.text(), found)


def _fresh(room: Room, pages: Pages, found: Findings) -> None:
    """The page of a late comer is as new as the terminal; so are the next ones."""
    time.sleep(5)  # nobody looks
    ages, played = [], []
    for _ in range(4):
        stored = room.status("class.db")["played"]
        about = pages.about()
        ages.append(time.time() - about["night"]["made"])
        played.append(about["progress"]["played"])
        assert played[-1] >= stored, f"status said {stored} played, and a page after it {played[-1]}"
    assert max(ages) <= MOST_AGE_S, f"a page was {max(ages):.1f} s old"
    counts = pages.until(lambda about: about["night"]["tables"][0]["counted"] > 0, "nothing counts on the page")
    found.shown("W1", f"the first page, after 5 s without a look, had {played[0]} matches, as `status` had")
    found.shown("W2", f"pages were at most {max(ages):.1f} s old; {counts['night']['tables'][0]['counted']} count soon")


def _same_numbers(room: Room, pages: Pages, found: Findings) -> None:
    """Page, status and report of a complete night have the same numbers."""
    status = room.status("class.db")
    table = json.loads(room.type("standings", "class.db", "--json").out)["tables"][0]
    assert status["state"] == "complete" and status["played"] == status["scheduled"], status["state"]
    told = (status["played"], status["scheduled"], table["played"], table["counted"])

    def on_page(about: dict[str, Any]) -> tuple[int, ...]:
        night = about["night"]
        shown = night["tables"][0]
        return night["played"], night["scheduled"], shown["played"], shown["counted"]

    last = on_page(pages.until(lambda about: about["night"]["over"], "the page does not say over"))
    assert last == told, f"the page says {last}, the terminal {told}"
    found.shown("W10", f"page and status both say {status['played']} of {status['scheduled']}")


def _in_turn(room: Room, found: Findings) -> None:
    """Nobody is late for a name."""
    with read_store(room.folder / "class.db") as store:
        played = sorted(store.arenas().items(), key=lambda match: match[1][1])
        rows = store.rows([match for match, _ in played])
    first = dict[str, int]()
    for at, (match, _) in enumerate(played):
        for bot in rows[match].bots:
            first.setdefault(bot, at)
    latest = max(first.values()) / len(played)
    assert latest < LATEST, f"{max(first, key=lambda bot: first[bot])} is first seen after {latest:.0%} of the night"
    found.shown("D9", f"the last of {len(first)} bots to appear does so after {latest:.0%} of the night")


def _printed_commands(room: Room, printed: str, found: Findings) -> None:
    """Every command that the end of a night names works as it stands."""
    commands = [
        line for line in re.findall(r"(pips-tourney (?:standings|verify)[^\n│]*)", printed) if "run" not in line
    ]
    assert any("--full" in command for command in commands), "the end names no command"
    for command in dict.fromkeys([*commands, *(f"pips-tourney {words}" for words in OPTIONAL)]):
        room.type(*shlex.split(command.strip().rstrip("."))[1:])
    found.shown("W9", f"{len(set(commands))} printed commands and {len(OPTIONAL)} without a NIGHT end with 0")


def later(room: Room, found: Findings) -> None:
    """A late submission after a complete night; a replaced one in the next night."""
    shutil.copytree(room.folder / "submissions" / "ada", room.folder / LATE)
    with found.step("W13"):
        room.type("add", "class.db", LATE, "--name", LATE)
        said = room.type("status", "class.db")
        first = said.out.splitlines()[0]
        more = re.search(r"The next run plays (\d+) more matches, of late", said.said)
        assert more and ": complete" not in first, said.out[:200]
        room.type("run", "class.toml", "--continue")
        assert room.status("class.db")["state"] == "complete"
        found.shown("W13", f"after `add`, status says: {more[0]}")
    (room.folder / "submissions" / "bo" / "bot.py").write_text(FINE["fay"], encoding="utf-8")
    room.type("run", "class.toml", "--new")
    season = room.type("standings", "--season", "class.db")
    with found.step("W17"):
        assert re.search(r"bo +nights 1 to 2 .*Elo", season.out), "the season does not say who improved"
        found.shown("W17", "`standings --season` says who improved")


def grades(room: Room, found: Findings) -> None:
    """The gradebook, the feedback, and what the public may read."""
    with found.step("W7", "W8"):
        text = room.type("export", "class.db", "--as", "gradebook", "--season").out
        assert text.startswith("\ufeff")
        rows: list[dict[str, Any]] = list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))))
        by_path = {row["submission"]: row for row in rows if row["submission"]}
        for number in ("1234567", "7654321"):
            row = by_path[f"submissions/{LONG}_{number}_assignsubmission_file_"]
            assert number in row.values(), f"no column has the participant's number: {row}"
        assert any("vera" in path for path in by_path), "the archive is in no row"
        found.shown("W7", "the gradebook has paths and Moodle's numbers of two long equal names")
        columns = [name for name in rows[0] if name.startswith("points_percent_against")]
        assert columns == ["points_percent_against_baseline"], columns
        found.shown("W8", "the folder `random` is no baseline; the sample bot is")
    with found.step("W16"):
        room.type("report", "class.db", "-o", "pages")
        page = (room.folder / "pages" / "site" / "night-1.html").read_text(encoding="utf-8")
        for private in (str(room.folder), "Traceback", "copied from ada", "a power cut"):
            assert private not in page, f"{private} is in the public report"
        assert re.search(r"20\d\d-\d\d-\d\d|\b20\d\d\b", page), "the report has no date"
        found.shown("W16", "`report --public` has a date, and no path, traceback or reason")
    with found.step("W16"):
        pages = list((room.folder / "pages" / "feedback").glob("*.html"))
        assert len(pages) >= len(FINE)
        told = "".join(page.read_text(encoding="utf-8") for page in pages)
        assert str(room.folder) not in told and "class.db" not in told
        found.shown("W16", f"{len(pages)} pages of feedback name no folder of the teacher")
    with found.step("D13"):
        whys = set(re.findall(r"It was withdrawn after \d+ faults, the last one \(\w+\)", told))
        assert whys
        found.shown("D13", f"a page says why its bot is out: {min(whys)}")


def small_ones(room: Room, found: Findings) -> None:
    """What the terminal says of single matches."""
    with found.step("W17"):
        listed = room.type("replay", "class.db", status=2).said
        assert '["' not in listed and "\\u" not in listed and "which match" in listed
        found.shown("W17", "`replay` lists matches in words")
    with found.step("W17"):
        faulty = next(
            line["match"] for line in json.loads(room.type("matches", "class.db", "--bot", "crash", "--json").out)
        )
        said = room.type("explain", "class.db", faulty)
        assert "nothing" in said.said and said.out.count("failed at question") <= 1, said.out[-400:]
        found.shown("W17", "`explain` prints the report of one match, line by line")
    with found.step("W17"), serving(room, "serve", "class.db", "--listen", "127.0.0.2:0", name="two") as pages:
        assert pages.get()[0] == 200
        found.shown("W17", "`web --host 127.0.0.2` opens by the link that it prints")
