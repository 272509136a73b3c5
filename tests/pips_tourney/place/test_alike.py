"""Which bots are alike: the organiser asks, a process compares, a page tells."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from unittest.mock import Mock

import pytest

from pips_tourney.league.league import League
from pips_tourney.night.director import office
from pips_tourney.people.store import Invited
from pips_tourney.place import child
from pips_tourney.place.desk.deletion import delete_person
from pips_tourney.place.pages.alike import BEGUN, AlikePages, without
from pips_tourney.workshop.begin.new_bot import new_bot
from pips_tourney.workshop.checks.likeness import Likeness, Pair
from tests.patience import PATIENCE_S
from tests.pips_tourney.place.conftest import Place

FOUND = Likeness(
    (Pair("ada", "bo", 0.8, 0.996, 500), Pair("ada", "strange", 0.9, None, 0)),
    3,
    {"cy": "exit status 1"},
    (("ada", "cy"),),
)


def test_the_organiser_has_the_bots_compared(played: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    goes_on, told = asyncio.Event(), list[tuple[int, list[bytes]]]()

    async def run(pages: AlikePages, words: Sequence[str], lines: list[bytes]) -> tuple[int | None, str]:
        assert words[0] == "alike"
        await goes_on.wait()
        code, said = told.pop(0)
        lines += said
        return code, "no memory is left"

    monkeypatch.setattr(AlikePages, "_run", run)
    client, form = played.client, played.enter("organiser")
    assert client.get("/organiser/alike.json").json()["bots"] == 0
    told += [(0, [json.dumps(FOUND.as_json()).encode()]), (1, [])]
    for _ in range(2):  # once it is being done
        assert BEGUN in client.post("/organiser/alike", data={"form": form}).text
    assert BEGUN in client.get("/organiser/alike").text
    assert client.portal is not None
    client.portal.call(goes_on.set)
    page = until_without(played, BEGUN)
    assert '<th scope="row">ada and bo</th><td>the league and the league</td>' in page
    assert "The same files: ada, cy" in page
    assert "80 %" in page and "99.6 % of 500" in page and "cy could not be played: exit status 1" in page
    assert client.get("/organiser/alike.json").json() == json.loads(json.dumps(FOUND.as_json()))
    client.post("/organiser/alike", data={"form": form})
    page = until_without(played, BEGUN)
    assert "They could not be compared. no memory is left" in page and "ada and bo" in page, "the last finding stays"
    played.enter("ada")
    assert [client.get(f"/organiser/alike{end}").status_code for end in ("", ".json")] == [403, 403]


ONE = Path(child.__file__).read_text(encoding="utf-8")


def test_the_same_code_of_two_authors_is_told_unasked(
    place: Place, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A check marks the code; an author's own versions and the starter tell nothing."""
    ready = Mock(ok=True, games=[Mock(game="wichita")], letter=list)
    monkeypatch.setattr(child, "check_in_league", Mock(return_value=ready))

    def marked(*names: str, **files: str) -> None:
        for at, name in enumerate(names):
            own = next(each for each in place.people.everybody() if each.name == name)
            text = [(f"{file}.py", f"{'# mine' * at}\n{text}".encode()) for file, text in files.items()]
            version = place.hand_ins.keep(own, text)
            assert child.check(place.hand_ins.files(version), place.desk.league) == 0
            said = json.loads(capsys.readouterr().out.splitlines()[-1])
            place.hand_ins.set_mark(version.id, said["mark"])

    place.people.invite([Invited("Cy", "", "Foxes"), Invited("Dee", "", "Foxes")])
    (new,) = [path for path in new_bot(tmp_path / "my_bot", "wichita", "python") if path.name == "my_bot.py"]
    marked("Ada", "Bo", my_bot=new.read_text(encoding="utf-8"))
    marked("Ada", "Ada", x=ONE)
    marked("Cy", "Dee", x=f"{ONE}\na = 1")
    place.enter("organiser")
    assert "The same code" not in place.client.get("/organiser").text
    marked("Bo", x=ONE.replace("league", "mine"))
    marked("Dee", x=ONE)
    shown = place.client.get("/organiser").text
    assert "is from Ada (ada v2), Bo (bo v2) and Foxes (" in shown and shown.count("The same code") == 1
    (bo,) = [each for each in place.people.everybody() if each.name == "Bo"]
    delete_person(place.desk, bo, only_shown=False)
    assert "is from Ada (ada v2) and Foxes (" in place.client.get("/organiser").text
    assert set(place.people.settings("mark_")) == {"3", "4", "5", "6", "8"}


def test_who_has_left_is_named_no_more() -> None:
    found = json.loads(json.dumps(FOUND.as_json()))
    left = without(found, {"ada", "cy"})
    assert (left["pairs"], left["left_out"], left["same_files"], left["bots"]) == ([], {}, [], 3)
    assert without(found, {"bo"})["pairs"] == found["pairs"][1:] and without(found, ()) == found


def test_that_no_process_is_to_be_had_is_told(played: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    async def run(*_: object) -> tuple[int | None, str]:
        raise OSError("no process is left")

    monkeypatch.setattr(AlikePages, "_run", run)
    form = played.enter("organiser")
    played.client.post("/organiser/alike", data={"form": form})
    assert "They could not be compared. no process is left" in until_without(played, BEGUN)


def until_without(place: Place, text: str) -> str:
    until = time.monotonic() + PATIENCE_S
    while text in (page := place.client.get("/organiser/alike").text):
        assert time.monotonic() < until
        time.sleep(0.01)
    return page


def test_without_a_night_there_is_nothing_to_compare(place: Place) -> None:
    form = place.enter("organiser")
    assert place.client.post("/organiser/alike", data={"form": form}).status_code == 422


def test_its_process_compares_those_that_play(
    tmp_path: Path, night: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    seen: list[set[str]] = []

    def compare(league: League, out: Collection[str], private: Iterable[Path]) -> Likeness:
        assert tmp_path / "c.db" in private, "no bot reads the night"
        seen.append({bot.name for bot in league.file.bots} - set(out))
        return FOUND

    monkeypatch.setattr(child, "likeness", compare)
    (tmp_path / "c.toml").write_text(
        'games = ["serpent"]\nbots = [{ name = "ada", sample = "random" }, { name = "bo", sample = "greedy" }]\n',
        encoding="utf-8",
    )
    database = tmp_path / "c.db"
    database.write_bytes(night.read_bytes())
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "bot.py").write_text(
        "from pips_sdk.serpent import SerpentBot\n\nclass A(SerpentBot): pass\n", encoding="utf-8"
    )
    with office(database) as at:
        for name in ("ed", "fay"):
            at.add({"path": "own", "name": name}, tmp_path)
        at.withdraw("fay", "it was replaced", from_start=False)
    assert child.alike(tmp_path / "c.toml", database) == 0
    assert seen == [{"ada", "bo", "ed"}] and json.loads(capfd.readouterr().out) == json.loads(
        json.dumps(FOUND.as_json())
    )
