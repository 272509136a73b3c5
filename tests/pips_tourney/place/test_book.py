"""The book: what was acknowledged is there, and codes open for their person alone."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from pips_tourney.place.book import CHECKING, READY, WAITING, Book, Invited, PlaceBookError, before, in_turn
from pips_tourney.place.versions import shown_versions
from tests.lab.nights.disk import FULL, Disk, on_disk


@pytest.fixture
def book(tmp_path: Path) -> Iterator[Book]:
    book = Book(tmp_path / "place.db")
    yield book
    book.close()


def test_an_invite_opens_until_it_is_revoked_or_made_again(book: Book) -> None:
    ((ada, code), (_, other)) = book.invite([Invited("Ada", "ada"), Invited("Bo", "bo")])
    cookie = book.enter(f" {code.upper()} ")
    assert cookie is not None and book.visitor(cookie) == ada
    assert book.enter("abcd-efgh-jkmn") is book.enter("") is None
    renewed = book.new_code(ada.id)
    assert book.visitor(cookie) is None and book.enter(code) is None
    again = book.enter(renewed)
    assert again is not None
    book.revoke(ada.id)
    assert book.visitor(again) is None and book.enter(renewed) is None
    left = book.enter(other)
    assert left is not None
    book.leave(left)
    assert book.visitor(left) is None
    with pytest.raises(PlaceBookError, match="nobody here has the number 99"):
        book.new_code(99)


def test_every_entry_gives_a_cookie_of_its_own(book: Book) -> None:
    ((_, code),) = book.invite([Invited("Ada", "ada")])
    assert book.enter(code) != book.enter(code)


def test_bots_have_names_of_their_own_and_people_stay(book: Book) -> None:
    invited = book.invite([Invited("Ada", "ada"), Invited("Other Ada", "ada"), Invited("R", "random")], {"random"})
    assert [person.bot for person, _ in invited] == ["ada", "ada 2", "random 2"]
    assert book.invite([Invited("Ada", "ada")]) == []
    assert len(book.people()) == 3


def test_the_organisers_new_code_leaves_their_visits(book: Book) -> None:
    first = book.organiser()
    cookie = book.enter(first)
    second = book.organiser()
    assert cookie is not None and book.enter(first) is None and book.enter(second) is not None
    visitor = book.visitor(cookie)
    assert visitor is not None and visitor.organiser and book.people() == []


def test_nothing_in_the_file_opens_a_door(book: Book, tmp_path: Path) -> None:
    ((_, code),) = book.invite([Invited("Ada", "ada")])
    cookie = book.enter(code)
    assert cookie is not None
    book.close()
    held = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert code.replace("-", "").encode() not in held and cookie.encode() not in held
    assert (tmp_path / "place.db").stat().st_mode & 0o777 == 0o600


def test_no_first_version_waits_for_a_second_one(book: Book) -> None:
    people = [person for person, _ in book.invite([Invited("Ada", "ada"), Invited("Bo", "bo")])]
    first, second = book.hand_in(people[0], "a"), book.hand_in(people[0], "b")
    other = book.hand_in(people[1], "c")
    assert [first.bot, second.bot] == ["ada", "ada v2"]
    assert [each.id for each in in_turn(book.versions())] == [other.id, second.id]
    assert before(second, book.versions()) == 1 and before(other, book.versions()) == 0
    shown = shown_versions(book.versions(people[0].id), book.versions())
    assert [each["state"] for each in shown] == [WAITING, "replaced before its check"]
    book.set_state(second.id, READY, "fine")
    assert in_turn(book.versions()) == [other]


def test_what_was_being_checked_waits_after_a_kill(tmp_path: Path) -> None:
    book = Book(tmp_path / "place.db")
    ((ada, _),) = book.invite([Invited("Ada", "ada")])
    book.set_state(book.hand_in(ada, "a").id, CHECKING)
    book.close()
    again = Book(tmp_path / "place.db")
    assert [each.state for each in again.versions()] == [WAITING]
    again.close()


def test_another_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no database at all, but a text of some length")
    with sqlite3.connect(tmp_path / "other.db") as connection:
        connection.execute("CREATE TABLE t (a)")
    connection.close()
    for name in ("text", "other.db"):
        with pytest.raises(PlaceBookError, match="move it away"):
            Book(tmp_path / name)


def test_a_team_has_one_bot_and_an_invite_for_each(book: Book) -> None:
    people = [Invited("Cy", team="Foxes"), Invited("Dee", team="Foxes"), Invited("Eve")]
    (cy, _), (dee, code), (eve, _) = book.invite(people)
    assert cy.bot == dee.bot == "Foxes" and cy.owner == dee.owner != cy.id and cy.team == "Foxes"
    assert eve.bot == "Eve" and eve.owner == eve.id and eve.team == ""
    assert book.hand_in(cy, "a").bot == "Foxes" and book.hand_in(dee, "b").bot == "Foxes v2"
    book.revoke(cy.id)
    assert book.enter(code) is not None and len(book.people()) == 3
    with pytest.raises(PlaceBookError):
        book.new_code(cy.owner)  # a team has no invite of its own


def test_anonymous_bots_have_drawn_names(book: Book) -> None:
    ((ada, _), (bo, _)) = book.invite([Invited("Ada"), Invited("Bo", "queen")], anonymous=True)
    assert re.fullmatch(r"bot \d{5}", ada.bot) and bo.bot == "queen"


def test_a_bot_is_renamed_before_its_first_version(book: Book) -> None:
    ((ada, _), _) = book.invite([Invited("Ada"), Invited("Bo")])
    book.rename(ada, " queen of hearts ", {"random"})
    ada = book.person(ada.id)
    assert ada.bot == "queen of hearts"
    for wrong in ("random", "Bo", "", "a/b", "x" * 35):
        with pytest.raises(PlaceBookError):
            book.rename(ada, wrong, {"random"})
    book.hand_in(ada, "a")
    with pytest.raises(PlaceBookError, match="keeps its name"):
        book.rename(ada, "king")


def test_a_token_is_its_persons_until_the_next(book: Book) -> None:
    ((ada, _),) = book.invite([Invited("Ada")])
    first = book.new_token(ada.id)
    assert book.of_token(first) == ada and book.of_token("") is book.of_token("pips_") is None
    second = book.new_token(ada.id)
    assert book.of_token(first) is None and book.of_token(second) == ada


@pytest.mark.parametrize(("version", "what"), [(99, "a later version"), (1, "an earlier version"), (0, "an earlier")])
def test_a_book_of_another_version_is_refused(tmp_path: Path, version: int, what: str) -> None:
    Book(tmp_path / "place.db").close()
    with sqlite3.connect(tmp_path / "place.db") as other:
        other.execute(f"PRAGMA user_version = {version}")
    other.close()
    with pytest.raises(PlaceBookError, match=what):
        Book(tmp_path / "place.db")


def test_a_full_disk_costs_a_hand_in_and_nothing_more(tmp_path: Path) -> None:
    disk = Disk(tmp_path, lambda _: None)
    with on_disk(disk):
        book = Book(tmp_path / "place.db")
        ((ada, _),) = book.invite([Invited("Ada", "ada")])
        disk.trouble = {"write": FULL, "sync": FULL}
        with pytest.raises(
            PlaceBookError, match=r"cannot keep anything now: database or disk is full\. Try again later"
        ):
            book.hand_in(ada, "folder")
        disk.trouble = {}
        assert book.versions() == []
        assert book.hand_in(ada, "folder").number == 1
        book.close()


def test_no_bot_is_called_like_a_version(book: Book) -> None:
    """`ada v2` is Ada's second version: no other bot may have that name."""
    people = [Invited("Ada", "ada"), Invited("Ada v2"), Invited("Bo", "bo v2"), Invited("Cy", "cy")]
    ada, eve, bo, cy = (person for person, _ in book.invite(people, {"cy v3"}))
    assert [eve.bot, bo.bot, cy.bot] == ["Ada_v2", "bo_v2", "cy 2"]
    with pytest.raises(PlaceBookError, match="no bot's name ends with v2: so the versions of a bot are called"):
        book.rename(eve, "ada v2")
    book.hand_in(ada, "a")
    with pytest.raises(PlaceBookError, match="cy is taken"):
        book.rename(eve, "cy", {"cy v3"})
    assert book.hand_in(ada, "b").bot == "ada v2"


def test_a_name_in_a_book_of_before_stops_nobody(book: Book) -> None:
    """Where another is called `ada v2`, Ada's next number is free."""
    ada, eve = (person for person, _ in book.invite([Invited("Ada", "ada"), Invited("Eve", "eve")]))
    book._do("UPDATE people SET bot = 'ada v2' WHERE id = ?", eve.id)
    assert [book.hand_in(each, "x").bot for each in (eve, ada, ada)] == ["ada v2", "ada", "ada v3"]


def test_a_hand_in_has_the_name_of_its_moment(book: Book) -> None:
    """A person who was read before a rename hands in under the new name."""
    ((ada, _),) = book.invite([Invited("Ada", "ada")])
    book.rename(ada, "queen")
    assert book.hand_in(ada, "a").bot == "queen"
    with pytest.raises(PlaceBookError, match="keeps its name"):
        book.rename(ada, "king")
    assert book.person(ada.id).bot == "queen"
