"""What a new version changes: who is looked at, and what its author's page says."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

from pips_tourney.people.store import Person
from pips_tourney.place.changes import changes_of, compare, next_words
from pips_tourney.place.hand_ins import READY, BotVersion
from pips_tourney.place.uploads import keep_files
from tests.pips_tourney.place.conftest import Place

FOUND = {"lines": ["ada v2 beside ada", "serpent: <b>better"], "deals": [{"line": "against bo", "replay": "seat 0 …"}]}


def hand_in(place: Place, person: Person) -> BotVersion:
    hand_ins = place.hand_ins
    version = hand_ins.add(person, keep_files([("bot.py", b"pass")], hand_ins.folder, person.bot))
    hand_ins.set_state(version.id, READY)
    return version


def to_do(place: Place) -> tuple[BotVersion, list[str]] | None:
    return next_words(place.hand_ins, place.desk.league, place.desk.database)


async def looked_at(place: Place, code: int | None = 0, line: str = json.dumps({"changed": FOUND})) -> str:
    async def run(_: Sequence[str], __: float, hear: Callable[[bytes], None]) -> tuple[int | None, str]:
        hear(line.encode())
        return code, "no memory"

    found = to_do(place)
    assert found is not None
    return await compare(place.hand_ins, *found, run)


def people(place: Place) -> list[Person]:
    return [person for person in place.people.everybody() if not person.organiser]


async def test_newest_versions_are_looked_at_once_after_a_night_is_over(place: Place, tmp_path: Path) -> None:
    ada, bo = people(place)
    hand_in(place, bo)
    versions = [hand_in(place, ada) for _ in range(3)]
    assert to_do(place) is None, "no night is over"
    for number in (1, 2):
        (tmp_path / f"c.{number}.db").touch()
    found = to_do(place)
    assert found is not None
    version, words = found
    assert version.id == versions[-1].id
    assert words[0] == "changed" and words[-3:] == ["ada v3", "ada v2", "ada"]
    assert words[1] == str(tmp_path / "c.2.db") and words[4] == str(place.hand_ins.files(version))
    assert await looked_at(place) == ""
    assert to_do(place) is None


async def test_a_process_that_fails_is_told_to_the_organiser_alone(place: Place, tmp_path: Path) -> None:
    ada, _ = people(place)
    _, newest = hand_in(place, ada), hand_in(place, ada)
    (tmp_path / "c.1.db").touch()
    assert await looked_at(place, None, "no JSON") == "What ada v2 changes is not known: no memory"
    assert changes_of(place.hand_ins, newest) == {}
    place.enter("ada")
    assert "What changed" not in place.client.get("/mine").text


async def test_its_author_reads_it_and_nobody_else(place: Place, tmp_path: Path) -> None:
    ada, _ = people(place)
    _, newest = hand_in(place, ada), hand_in(place, ada)
    (tmp_path / "c.1.db").touch()
    await looked_at(place)
    place.enter("ada")
    page = place.client.get("/mine").text
    assert "What changed" in page and "serpent: &lt;b&gt;better" in page
    link = f"/mine/{newest.id}/changed/1"
    assert f'href="{link}"' in page
    assert place.client.get(link).text == "seat 0 …"
    for wrong in (f"/mine/{newest.id}/changed/2", f"/mine/{newest.id}/changed/x", "/mine/99/changed/1"):
        assert place.client.get(wrong).status_code == 404
    place.enter("bo")
    assert place.client.get(link).status_code == 404
