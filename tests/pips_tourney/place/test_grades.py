"""The gradebook of a place: nobody of the roster is missing."""

from __future__ import annotations

import csv
import io
import zipfile
from datetime import datetime, timedelta, timezone
from pathlib import Path

from click.testing import CliRunner
from httpx2 import Response

from pips_tourney.cli.tourney import main
from pips_tourney.people.moments import WRITTEN
from pips_tourney.people.store import Invited, People
from pips_tourney.place.desk.calendar import Calendar
from pips_tourney.place.desk.grades import grades, of_people, people_beside
from pips_tourney.place.desk.hand_ins import READY, REFUSED, HandIns
from tests.pips_tourney.place.conftest import Place
from tests.pips_tourney.web.nights import small_night

ROSTER = [
    Invited("Ada Lovelace", "ada", id="ada@x.org"), Invited("Bo", "bo"), Invited("Cy"), Invited("Dee", "dee"),
    Invited("=Eve", "eve"), Invited("Fay", "bo2", "Foxes"), Invited("Gus", "", "Foxes"),
]  # fmt: skip


def test_there_is_a_line_for_each_person(tmp_path: Path) -> None:
    database = small_night(tmp_path)
    folder = database.with_name(f"{database.stem}-place")
    folder.mkdir()
    with People(folder) as people:
        people.invite(ROSTER)
        hand_ins, by_name = HandIns(people, folder), {person.name: person for person in people.everybody()}
        for name, state, said in (
            ("Ada Lovelace", READY, ""), ("Ada Lovelace", REFUSED, "No.\nMore."), ("Dee", REFUSED, "No.\nMore."),
            ("=Eve", READY, ""),
        ):  # fmt: skip
            hand_ins.set_state(hand_ins.add(by_name[name], "x").id, state, said)
        text = grades(database, people)
    rows = list(csv.DictReader(io.StringIO(text)))
    of = {row["name"]: row for row in rows if row["table"] in ("", "overall", rows[0]["table"])}
    assert list(of) == ["Ada Lovelace", "Bo", "Cy", "Dee", "'=Eve", "Fay", "Gus"]
    ada = of["Ada Lovelace"]
    assert (ada["bot"], ada["version"], ada["id"]) == ("ada", "1", "ada@x.org") and ada["points_percent"]
    assert ada["handed_in_at"] and ada["status"] == "played"
    assert of["Dee"]["status"] == "refused: No." and of["'=Eve"]["status"] == "not in this night"
    assert of["'=Eve"]["version"] == "", "the night is over, so the version came too late"
    assert {of[name]["status"] for name in ("Cy", "Gus")} == {"nothing was handed in"}
    assert of["Gus"]["team"] == of["Fay"]["team"] == "Foxes" and str(tmp_path) not in text
    overall = [row for row in rows if row["bot"] == "ada"][-1]
    worksheet = tmp_path / "Grades.csv"
    worksheet.write_text("Full name,Email address,Grade\nA. Lovelace,ada@x.org,\nCy,,\n", encoding="utf-8")
    words = ["export", str(database), "--as", "moodle", "--worksheet", str(worksheet)]
    told = CliRunner().invoke(main, words, catch_exceptions=False)
    assert told.stdout.splitlines()[1] == f"A. Lovelace,ada@x.org,{float(overall['points_percent']):.2f}"
    assert told.stderr == (
        "1 of 2 have a grade.\n- Cy: nothing was handed in\nNo row has the name, number or address of: Bo (bo)\n"
    )
    told = CliRunner().invoke(main, [*words, "--baseline", "cy"], catch_exceptions=False)
    book = ["export", str(database), "--as", "gradebook", "--baseline", "cy"]
    lines = csv.DictReader(CliRunner().invoke(main, book).stdout.lstrip("\ufeff").splitlines())
    against = [float(line["points_percent_against_cy"]) for line in lines if line["bot"] == "ada"][-1]
    assert told.stdout.splitlines()[1] == f"A. Lovelace,ada@x.org,{against:.2f}" != f",{overall['points_percent']}"
    assert CliRunner().invoke(main, [*words, "--baseline", "cy", "--baseline", "bo"]).exit_code == 2
    assert (
        CliRunner().invoke(main, words[:-2]).exit_code
        == CliRunner().invoke(main, [*words, "--as", "csv"]).exit_code
        == 2
    )


def test_feedback_gets_the_names_of_moodles_worksheet(played: Place) -> None:
    played.people.invite([Invited("Cy", "cy", "Foxes"), Invited("Dee", "", "Foxes", id="dee@x.org")])
    form = played.enter("organiser")
    head = "Identifier,Full name,Email address,Status,Grade,Maximum Grade"
    rows = ["Participant 17,Ada,,,,20", "Participant 18,CY,,,,20", 'Participant 19,"Du_pré, D.",DEE@x.org,,,20']
    sheet = "\r\n".join([head, *rows, "Participant 20,Eve,,,,20"])

    def asked(worksheet: bytes, query: str = "", **words: str) -> Response:
        send = {"data": {"form": form} | words, "files": {"worksheet": ("Grades.csv", worksheet)}}
        return played.client.post(f"/organiser/feedback.zip{query}", **send)  # type: ignore[arg-type]

    named = {f"{who}_assignsubmission_file_{bot}" for who, bot in (("Ada_17", "ada"), ("CY_18", "cy"))}
    named |= {"Du pré, D._19_assignsubmission_file_cy", "bo"}
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        answer = asked(sheet.encode(encoding))
        assert answer.headers["content-disposition"].endswith('"feedback-night-1-so-far.zip"')
        with zipfile.ZipFile(io.BytesIO(answer.content)) as whole:
            assert {*whole.namelist()} == {f"{name}.{kind}" for name in named for kind in ("html", "txt")}
    for spoilt, why in (
        (b"\xff\xfe\x00", "no text in UTF-8"), (b"Identifier,Full name\n", "no column for the grade"),
        (b"Full name,Grade\nAda,\n", "no row of the worksheet has a number"), (b"", "no column for the grade"),
    ):  # fmt: skip
        answer = asked(spoilt)
        assert answer.status_code == 422 and why in answer.text
    assert asked(b"", "?night=1").status_code == 404 and asked(b"", form="0" * 64).status_code == 403
    page = played.client.get("/organiser").text
    assert page.count('name="worksheet"') == 1 and "Feedback for Moodle" in page
    form = played.enter("ada")
    assert asked(sheet.encode()).status_code == 403


def test_days_after_the_deadline_of_all_are_counted(tmp_path: Path) -> None:
    with People(tmp_path) as people:
        people.invite([Invited("Ada"), Invited("Bo"), Invited("Cy")])
        hand_ins, (ada, bo, _) = HandIns(people, tmp_path), people.everybody()
        for person in (ada, bo):
            hand_ins.add(person, "x")
        late = {line["name"]: line.get("late_days") for line in of_people([], people)}
        assert late == {"Ada": None, "Bo": None, "Cy": None}, "there is no deadline"
        now = datetime.now()  # noqa: DTZ005 - the wall's
        Calendar(people).set_deadline((now - timedelta(days=2, hours=3)).strftime(WRITTEN), at_once=True)
        elsewhere = (now - timedelta(days=3)).astimezone(timezone(timedelta(hours=5)))
        people.do("UPDATE versions SET at = ? WHERE person = ?", elsewhere.isoformat(), bo.id)
        lines = {line["name"]: line for line in of_people([], people)}
    assert lines["Bo"]["handed_in_at"] == (now - timedelta(days=3)).strftime(WRITTEN), "local time, as the deadline"
    late = {name: line.get("late_days") for name, line in lines.items()}
    assert late == {"Ada": 3, "Bo": 0, "Cy": None}


def test_the_people_of_an_earlier_night_are_those_of_its_place(tmp_path: Path) -> None:
    (tmp_path / "class-place").mkdir()
    assert people_beside(tmp_path / "class.db") is None
    (tmp_path / "class-place" / "place.db").touch()
    assert people_beside(tmp_path / "class.db") == people_beside(tmp_path / "class.1.db") == tmp_path / "class-place"
    assert people_beside(tmp_path / "other.db") is None
