"""What was acknowledged is there, and codes open for their person alone."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from pips_tourney.people.store import Invited, People, PeopleError
from pips_tourney.place.desk.hand_ins import CHECKING, READY, WAITING, HandIns, before, in_turn
from pips_tourney.place.pages.hand_in import shown_versions
from tests.lab.nights.disk import FULL, Disk, on_disk


@pytest.fixture
def people(tmp_path: Path) -> Iterator[People]:
    with People(tmp_path) as people:
        yield people


@pytest.fixture
def hand_ins(people: People, tmp_path: Path) -> HandIns:
    return HandIns(people, tmp_path / "versions")


def test_an_invite_opens_until_it_is_revoked_or_made_again(people: People) -> None:
    ((ada, code), (_, other)) = people.invite([Invited("Ada", "ada"), Invited("Bo", "bo")])
    cookie = people.enter(f" {code.upper()} ")
    assert cookie is not None and people.visitor(cookie) == ada
    assert people.enter("ABCD-EFGH-JKMN-P") is people.enter("") is None
    renewed = people.new_code(ada.id)
    assert people.visitor(cookie) is None and people.enter(code) is None
    again = people.enter(renewed)
    assert again is not None
    people.revoke(ada.id)
    assert people.visitor(again) is None and people.enter(renewed) is None
    left = people.enter(other)
    assert left is not None
    people.leave(left)
    assert people.visitor(left) is None
    with pytest.raises(PeopleError, match="nobody here has the number 99"):
        people.new_code(99)


def test_every_entry_gives_a_cookie_of_its_own(people: People) -> None:
    ((_, code),) = people.invite([Invited("Ada", "ada")])
    assert people.enter(code) != people.enter(code)


def test_bots_have_names_of_their_own_and_people_stay(people: People) -> None:
    invited = people.invite([Invited("Ada", "ada"), Invited("Other Ada", "ada"), Invited("R", "random")], {"random"})
    assert [person.bot for person, _ in invited] == ["ada", "ada 2", "random 2"]
    assert people.invite([Invited("Ada", "ada", id="7")]) == people.invite([Invited("Ada", "", id="8")]) == []
    assert len(people.everybody()) == 3 and people.everybody()[0].course_id == "7", "an id is filled in once"


def test_the_organisers_new_code_leaves_their_visits(people: People) -> None:
    first = people.organiser()
    cookie = people.enter(first)
    second = people.organiser()
    assert cookie is not None and people.enter(first) is None and people.enter(second) is not None
    visitor = people.visitor(cookie)
    assert visitor is not None and visitor.organiser and people.everybody() == []


def test_nothing_in_the_file_opens_a_door(people: People, tmp_path: Path) -> None:
    ((_, code),) = people.invite([Invited("Ada", "ada")])
    cookie = people.enter(code)
    assert cookie is not None
    people.close()
    held = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert code.replace("-", "").encode() not in held and cookie.encode() not in held
    assert (tmp_path / "place.db").stat().st_mode & 0o777 == 0o600


def test_no_first_version_waits_for_a_second_one(people: People, hand_ins: HandIns) -> None:
    ada, bo = (person for person, _ in people.invite([Invited("Ada", "ada"), Invited("Bo", "bo")]))
    first, second = hand_ins.add(ada, "a"), hand_ins.add(ada, "b")
    other = hand_ins.add(bo, "c")
    assert [first.bot, second.bot] == ["ada", "ada v2"]
    assert [each.id for each in in_turn(hand_ins.all())] == [other.id, second.id]
    assert before(second, hand_ins.all()) == 1 and before(other, hand_ins.all()) == 0
    shown = shown_versions(hand_ins.of(ada), hand_ins.all())
    assert [each["state"] for each in shown] == [WAITING, "replaced before its check"]
    hand_ins.set_state(second.id, READY, "fine")
    assert in_turn(hand_ins.all()) == [other]


def test_what_was_being_checked_waits_after_a_kill(tmp_path: Path) -> None:
    with People(tmp_path) as people:
        ((ada, _),) = people.invite([Invited("Ada", "ada")])
        hand_ins = HandIns(people, tmp_path)
        hand_ins.set_state(hand_ins.add(ada, "a").id, CHECKING)
    with People(tmp_path) as again:
        assert [each.state for each in HandIns(again, tmp_path).all()] == [WAITING]


def test_another_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "place.db").write_text("no database at all, but a text of some length")
    with pytest.raises(PeopleError, match="move it away"):
        People(tmp_path)
    (tmp_path / "place.db").unlink()
    with closing(sqlite3.connect(tmp_path / "place.db")) as connection, connection:
        connection.execute("CREATE TABLE t (a)")
    connection.close()
    with pytest.raises(PeopleError, match="move it away"):
        People(tmp_path)
    with pytest.raises(PeopleError, match="No such file"):
        People(tmp_path / "gone")


def test_processes_that_write_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    def write(number: int) -> None:
        with People(tmp_path) as people:
            for turn in range(5):
                people.player_code(f"{number} {turn}")
            people.revoke(next(person.id for person in people.everybody() if person.bot == f"{number} 0"))

    with ThreadPoolExecutor(4) as writers:
        list(writers.map(write, range(4)))
    with People(tmp_path) as people:
        assert set(people.invites()) == {f"{number} {turn}" for number in range(4) for turn in range(1, 5)}


def test_a_visit_begun_while_its_invite_is_revoked_ends(people: People, tmp_path: Path) -> None:
    ((ada, code),) = people.invite([Invited("Ada", "ada")])
    with People(tmp_path) as terminal, ThreadPoolExecutor(4) as visitors:
        entering = [visitors.submit(people.enter, code) for _ in range(8)]
        terminal.revoke(ada.id)
        cookies = [entered.result() for entered in entering]
    assert not any(people.visitor(cookie) for cookie in cookies if cookie)


def test_a_team_has_one_bot_and_an_invite_for_each(people: People, hand_ins: HandIns) -> None:
    invited = [Invited("Cy", team="Foxes"), Invited("Dee", team="Foxes"), Invited("Eve")]
    (cy, _), (dee, code), (eve, _) = people.invite(invited)
    assert cy.bot == dee.bot == "Foxes" and cy.owner == dee.owner != cy.id and cy.team == "Foxes"
    assert eve.bot == "Eve" and eve.owner == eve.id and eve.team == ""
    assert hand_ins.add(cy, "a").bot == "Foxes" and hand_ins.add(dee, "b").bot == "Foxes v2"
    people.revoke(cy.id)
    assert people.enter(code) is not None and len(people.everybody()) == 3
    with pytest.raises(PeopleError):
        people.new_code(cy.owner)  # a team has no invite of its own


def test_anonymous_bots_have_drawn_names(people: People) -> None:
    ((ada, _), (bo, _)) = people.invite([Invited("Ada"), Invited("Bo", "queen")], anonymous=True)
    assert re.fullmatch(r"bot \d{5}", ada.bot) and bo.bot == "queen"


def test_a_bot_is_renamed_before_its_first_version(people: People, hand_ins: HandIns) -> None:
    ((ada, _), _) = people.invite([Invited("Ada"), Invited("Bo")])
    people.rename(ada, " queen of hearts ", {"random"})
    ada = people.person(ada.id)
    assert ada.bot == "queen of hearts"
    for wrong in ("random", "Bo", "", "a/b", "x" * 35):
        with pytest.raises(PeopleError):
            people.rename(ada, wrong, {"random"})
    hand_ins.add(ada, "a")
    with pytest.raises(PeopleError, match="keeps its name"):
        people.rename(ada, "king")


def test_a_token_is_its_persons_until_the_next(people: People) -> None:
    ((ada, _),) = people.invite([Invited("Ada")])
    first = people.new_token(ada.id)
    assert people.of_token(first) == ada and people.of_token("") is people.of_token("pips_") is None
    second = people.new_token(ada.id)
    assert people.of_token(first) is None and people.of_token(second) == ada


@pytest.mark.parametrize(("version", "what"), [(99, "a later version"), (1, "an earlier version"), (0, "an earlier")])
def test_a_store_of_another_version_is_refused(tmp_path: Path, version: int, what: str) -> None:
    People(tmp_path).close()
    with closing(sqlite3.connect(tmp_path / "place.db")) as other, other:
        other.execute(f"PRAGMA user_version = {version}")
    other.close()
    with pytest.raises(PeopleError, match=what):
        People(tmp_path)


def test_a_full_disk_costs_a_hand_in_and_nothing_more(tmp_path: Path) -> None:
    disk = Disk(tmp_path, lambda _: None)
    with on_disk(disk):
        people = People(tmp_path)
        hand_ins = HandIns(people, tmp_path)
        ((ada, _),) = people.invite([Invited("Ada", "ada")])
        disk.trouble = {"write": FULL, "sync": FULL}
        with pytest.raises(PeopleError, match=r"nothing can be kept now: database or disk is full\. Try again later"):
            hand_ins.add(ada, "folder")
        disk.trouble = {}
        assert hand_ins.all() == []
        assert hand_ins.add(ada, "folder").number == 1
        people.close()


def test_no_bot_is_called_like_a_version(people: People, hand_ins: HandIns) -> None:
    """`ada v2` is Ada's second version: no other bot may have that name."""
    invited = [Invited("Ada", "ada"), Invited("Ada v2"), Invited("Bo", "bo v2"), Invited("Cy", "cy")]
    ada, eve, bo, cy = (person for person, _ in people.invite(invited, {"cy v3"}))
    assert [eve.bot, bo.bot, cy.bot] == ["Ada_v2", "bo_v2", "cy 2"]
    with pytest.raises(PeopleError, match="no bot's name ends with v2: so the versions of a bot are called"):
        people.rename(eve, "ada v2")
    hand_ins.add(ada, "a")
    with pytest.raises(PeopleError, match="cy is taken"):
        people.rename(eve, "cy", {"cy v3"})
    assert hand_ins.add(ada, "b").bot == "ada v2"


def test_a_hand_in_has_the_name_of_its_moment(people: People, hand_ins: HandIns) -> None:
    """A person who was read before a rename hands in under the new name."""
    ((ada, _),) = people.invite([Invited("Ada", "ada")])
    people.rename(ada, "queen")
    assert hand_ins.add(ada, "a").bot == "queen"
    with pytest.raises(PeopleError, match="keeps its name"):
        people.rename(ada, "king")
    assert people.person(ada.id).bot == "queen"
