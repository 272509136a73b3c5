"""Moodle's own worksheet comes back with grades, and otherwise as it was."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest

from pips_tourney.reports.worksheet import WorksheetError, fill, fill_canvas

HEAD = "Identifier,Full name,Email address,Status,Grade,Maximum Grade,Grade can be changed,Feedback comments"
WORKSHEET = f"""{HEAD}
Participant 1000137,Anna Alder,anna@x.org,Submitted,,20.00,Yes,
Participant 2,Bo,bo@x.org,No submission,,20.00,Yes,
Participant 3,"Cy, the third",cy@x.org,Submitted,5.00,20.00,Yes,"old, but kept"
Participant 4,Dee,dee@x.org,Submitted,,20.00,Yes,
"""


def line(bot: str, percent: float | None, **more: Any) -> dict[str, Any]:
    return {"bot": bot, "rank": 1, "elo": 1512.4, "points_percent": percent, "status": "played", **more}


def filled(text: str, *lines: dict[str, Any]) -> dict[str, list[str]]:
    return {row[1]: row for row in csv.reader(io.StringIO(fill(text, lines).text))}


def test_each_is_found_by_number_by_name_or_by_mail() -> None:
    lines = (
        line("a", 50.0, participant="Somebody Else", participant_number="1000137"),
        line("b", 25.5, participant="bo"),
        line("d", 100.0, participant="D.", id="DEE@x.org"),
        line("baseline", 99.0),
    )
    rows = filled(WORKSHEET, *lines)
    assert [rows[name][4] for name in ("Anna Alder", "Bo", "Cy, the third", "Dee")] == [
        "10.00",
        "5.10",
        "5.00",
        "20.00",
    ]
    assert rows["Anna Alder"][7] == "a: place 1, Elo 1512, 50.0 % of the points"
    before = {row[1]: row for row in csv.reader(io.StringIO(WORKSHEET))}
    assert rows["Cy, the third"] == before["Cy, the third"] and list(rows) == list(before)
    assert all(rows[name][:4] + rows[name][5:7] == before[name][:4] + before[name][5:7] for name in before)
    told = fill(WORKSHEET, lines)
    assert (told.graded, dict(told.without)) == (3, {"Cy, the third": "nothing was handed in"})


def test_bots_whose_authors_have_no_row_are_named() -> None:
    """Else their authors would read that they handed nothing in."""
    stranger = line("fox", 40.0, participant="Cyrus", id="c17")
    told = fill(WORKSHEET, [line("b", 25.5, participant="bo"), stranger, line("e", None, participant="Eve")])
    assert told.unmatched == ["Cyrus (fox)"] and set(told.without.values()) == {
        "no bot has this name, number or address"
    }


def test_two_of_one_name_are_told_by_their_number_alone() -> None:
    text = f"{HEAD}\nParticipant 1,Ann,a@x.org,Submitted,,20,Yes,\nParticipant 2,ann,b@x.org,No submission,,20,Yes,\n"
    own = line("ann", 50.0, participant="Ann", participant_number="1")
    for sheet in (text, text.replace("Participant 1,Ann,a@x.org,Submitted,,20,Yes,\n", "")):  # that of another group
        assert "Participant 2,ann,b@x.org,No submission,,20" in fill(sheet, [own]).text
    told = fill(text, [line("ann", 50.0, participant="Ann")])  # the line of a place
    assert told.graded == 0 and list(told.without) == ["Ann", "ann"] and "several rows" in told.without["Ann"]
    assert fill(text, [line("ann", 50.0, participant="Ann", id="B@x.org")]).graded == 1
    again = fill(text.replace(",ann,", ",Ann,"), [])
    assert list(again.without) == ["Ann", "Ann (Participant 2)"]


def test_the_number_of_a_roster_is_not_moodles() -> None:
    """A class list may have numbers of its own."""
    sheet = f"{HEAD}\nParticipant 7,Ada,a@x.org,Submitted,,10,Yes,\nParticipant 8,Bo,b@x.org,Submitted,,10,Yes,\n"
    rows = filled(sheet, line("bo", 50.0, participant="Bo", id="7"), line("ada", 90.0, participant="Ada", id="12"))
    assert [rows[name][4] for name in ("Ada", "Bo")] == ["9.00", "5.00"]


def test_no_points_are_more_than_no_result() -> None:
    who = {"participant_number": "2"}
    broken, loses = line("b", None, **who, status="left out: broken"), line("b v2", 0.0, **who)
    for lines in ((broken, loses), (loses, broken)):
        assert filled(WORKSHEET, *lines)["Bo"][4] == "0.00"


def test_the_overall_table_counts_and_of_two_bots_the_better() -> None:
    who = {"participant_number": "2"}
    lines = [line("b", 10.0, **who), line("b", 30.0, **who), line("b v2", 20.0, **who), line("b v3", None, **who)]
    assert filled(WORKSHEET, *lines)["Bo"][4] == "6.00"


def test_one_without_a_result_keeps_their_line_and_is_told() -> None:
    told = fill(WORKSHEET, [line("a", None, participant_number="4", status="left out: broken")])
    assert told.without["Dee"] == "left out: broken" and "\nParticipant 4,Dee,dee@x.org,Submitted,,20.00" in told.text


def test_a_german_worksheet_keeps_its_semicolons_and_commas() -> None:
    text = "ID;Vollständiger Name;Bewertung;Bestwertung\nTeilnehmer/in7;Zoë;;10,00\n"
    assert fill(text, [line("z", 55.5, participant_number="7")]).text.endswith("Teilnehmer/in7;Zoë;5,55;10,00\n")


def test_a_formula_in_a_bots_name_stays_a_text() -> None:
    text = fill(WORKSHEET, [line("=1+1", 50.0, participant_number="2")]).text
    assert "\"'=1+1: place" in text


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "no column for the grade"),
        ("Name,Points\nAda,\n", "it has name, points"),
        ("Name,Grade\nAda,,,\n", "line 2: it has 4 cells"),
        ("Name,Grade,Maximum grade\nada,,much\n", "'much' as the most"),
        ("Name,Grade,Maximum grade\nada,,nan\n", "'nan' as the most"),
        pytest.param(f"Name,Grade\n{'a' * (1 << 18)},\n", "is no CSV: field larger", id="a long field"),
    ],
)
def test_a_worksheet_that_is_none_is_refused(text: str, told: str) -> None:
    with pytest.raises(WorksheetError, match=told):
        fill(text, [line("a", 50.0, participant="ada")])


CANVAS = """Student,ID,SIS Login ID,Section,Homework (11),Class (12),Current Score
,,,,,Manual Posting,(read only)
    Points Possible,,,,10.00,20.00,(read only)
"Alder, Anna",1000137,aa,Group 1,50.0,,5
Bo,2,bo@x.org,Group 1,50.0,3.00,5
"Cy, Lee",3,cl,Group 1,50.0,,5
"""


def test_canvas_gets_one_column_and_what_tells_its_people() -> None:
    lines = (
        line("a", 50.0, participant="alderanna", participant_number="1000137"),
        line("b", 25.5, id="BO@x.org"),
        line("c", 100.0, participant="Lee Cy"),
        line("other", 75.0, id="50.0"),
    )
    filled = fill_canvas(CANVAS, "class", lines)
    assert filled.text.splitlines() == [
        "Student,ID,SIS Login ID,Section,Class (12)",
        ",,,,Manual Posting",
        "    Points Possible,,,,20.00",
        '"Alder, Anna",1000137,aa,Group 1,10.00',
        "Bo,2,bo@x.org,Group 1,5.10",
        '"Cy, Lee",3,cl,Group 1,20.00',
    ]
    some = fill_canvas(CANVAS, "Class", lines[:1])
    assert (some.graded, list(some.without)) == (1, ["Bo", "Lee Cy"])
    assert "Bo,2,bo@x.org,Group 1,3.00" in some.text, "what was there stays"
    one = fill_canvas(CANVAS.replace("Homework (11)", "Total"), "Other", lines)
    assert one.graded == 3, "the only assignment needs no name"


@pytest.mark.parametrize("text", [CANVAS.replace("Student", "Name"), CANVAS.replace("Class (12)", "Exam (12)"), ""])
def test_a_gradebook_without_the_assignment_is_refused(text: str) -> None:
    with pytest.raises(WorksheetError, match="Student and ID, and has one assignment called 'Class'"):
        fill_canvas(text, "Class", [])


def test_a_row_that_is_cut_is_told() -> None:
    with pytest.raises(WorksheetError, match="line 5: it has 6 cells, not 7"):
        fill_canvas(CANVAS.replace("Bo,2,bo@x.org,", "Bo,2,"), "Class", [])
