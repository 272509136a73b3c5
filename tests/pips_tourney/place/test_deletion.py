"""A person is deleted in one act, and nothing that a night needs is."""

from __future__ import annotations

from pathlib import Path

from pips_tourney.night.log.store import read_store
from pips_tourney.night.night import last_night
from pips_tourney.night.table.standings import standings
from pips_tourney.people.store import Invited
from pips_tourney.place.desk.hand_ins import DELETED, READY
from pips_tourney.place.desk.invites import write_invites
from tests.pips_tourney.place.conftest import Place
from tests.pips_tourney.web.nights import small_night


def handed_in(place: Place, who: str) -> Path:
    person = next(each for each in place.people.everybody() if each.bot == who)
    version = place.hand_ins.keep(person, [("bot.py", b"secret = 1\n")])
    place.hand_ins.set_state(version.id, READY)
    logs = place.desk.logs
    logs.mkdir(parents=True, exist_ok=True)
    (logs / f"{who}.serpent.0.log").write_text("my name is Ada", encoding="utf-8")
    return place.hand_ins.folder / version.folder


def test_all_of_a_person_goes_but_what_their_bot_has_played(place: Place, tmp_path: Path) -> None:
    place.desk.database = small_night(tmp_path)
    with read_store(place.desk.database) as store:
        before = {row.bot: row.matches for row in standings(last_night(store)).tables[0].rows}
    files, others = handed_in(place, "ada"), handed_in(place, "bo")
    write_invites(tmp_path, [{"name": "Ada", "code": "A-CODE"}, {"name": "Bo", "code": "B-CODE"}])
    place.enter("ada")
    cookie = dict(place.client.cookies)
    ada = next(each for each in place.people.everybody() if each.bot == "ada")
    form = {"form": place.enter("organiser"), "person": str(ada.id)}
    shown = place.client.post("/organiser/delete", data={**form, "how": "preview"}).text
    assert "Nothing was deleted. It would delete Ada" in shown and files.is_dir()
    told = place.client.post("/organiser/delete", data={**form, "how": "do"}).text
    assert "Deleted Ada" in told and "stays in the nights" in told and "off the roster" in told
    assert not files.exists() and others.is_dir()
    assert [path.name for path in place.desk.logs.iterdir()] == ["bo.serpent.0.log"]
    invites = tmp_path / "invites.csv"
    assert invites.read_text(encoding="utf-8") == "name,code\nBo,B-CODE\n" and invites.stat().st_mode & 0o777 == 0o600
    assert [person.name for person in place.people.everybody()] == ["Bo"]
    assert not [path for path in tmp_path.glob("place.db*") if b"Ada" in path.read_bytes()], "not even in free pages"
    assert [row[0] for row in place.people.do("SELECT name FROM people WHERE id = ?", ada.id)] == [""]
    place.client.cookies.clear()
    place.client.cookies.update(cookie)
    assert place.client.get("/mine").status_code == 401
    assert place.client.post("/enter", data={"code": place.codes["ada"]}).status_code == 403
    with read_store(place.desk.database) as store:
        table = standings(last_night(store)).tables[0]
    assert "ada" in {**table.withdrawn, **{row.bot: "" for row in table.rows}}
    assert sum(before.values()) > 0
    place.hand_ins.set_state(1, READY)
    assert place.hand_ins.all()[0].state == DELETED, "a check that ends later does not bring it back"
    ((again, _),) = place.people.invite([Invited("Ada", "ada")])
    assert again.bot != "ada", "another bot never gets the name"


def test_a_team_keeps_its_bot_until_its_last_member_goes(place: Place) -> None:
    place.people.invite([Invited("Cy", "foxes", "Foxes"), Invited("Dee", "", "Foxes")])
    files = handed_in(place, "foxes")
    form = {"form": place.enter("organiser"), "how": "do"}
    cy, dee = (each for each in place.people.everybody() if each.team)
    told = place.client.post("/organiser/delete", data={**form, "person": str(cy.id)}).text
    assert "stays with its other members" in told and files.is_dir()
    place.client.post("/organiser/delete", data={**form, "person": str(dee.id)})
    assert not files.exists()
    assert place.client.post("/organiser/delete", data={**form, "person": str(dee.id)}).status_code == 404
