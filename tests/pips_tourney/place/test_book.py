"""The book: what was acknowledged is there, and codes open for their person alone."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from pips_tourney.place.book import CHECKING, READY, WAITING, Book, PlaceBookError, before, in_turn
from pips_tourney.place.versions import shown_versions


@pytest.fixture
def book(tmp_path: Path) -> Iterator[Book]:
    book = Book(tmp_path / "place.db")
    yield book
    book.close()


def test_an_invite_opens_until_it_is_revoked_or_made_again(book: Book) -> None:
    ((ada, code), (_, other)) = book.invite([("Ada", "ada"), ("Bo", "bo")])
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
    ((_, code),) = book.invite([("Ada", "ada")])
    assert book.enter(code) != book.enter(code)


def test_bots_have_names_of_their_own_and_people_stay(book: Book) -> None:
    invited = book.invite([("Ada", "ada"), ("Other Ada", "ada"), ("R", "random")], {"random"})
    assert [person.bot for person, _ in invited] == ["ada", "ada 2", "random 2"]
    assert book.invite([("Ada", "ada")]) == []
    assert len(book.people()) == 3


def test_the_organisers_new_code_leaves_their_visits(book: Book) -> None:
    first = book.organiser()
    cookie = book.enter(first)
    second = book.organiser()
    assert cookie is not None and book.enter(first) is None and book.enter(second) is not None
    visitor = book.visitor(cookie)
    assert visitor is not None and visitor.organiser and book.people() == []


def test_nothing_in_the_file_opens_a_door(book: Book, tmp_path: Path) -> None:
    ((_, code),) = book.invite([("Ada", "ada")])
    cookie = book.enter(code)
    assert cookie is not None
    book.close()
    held = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert code.replace("-", "").encode() not in held and cookie.encode() not in held
    assert (tmp_path / "place.db").stat().st_mode & 0o777 == 0o600


def test_no_first_version_waits_for_a_second_one(book: Book) -> None:
    people = [person for person, _ in book.invite([("Ada", "ada"), ("Bo", "bo")])]
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
    ((ada, _),) = book.invite([("Ada", "ada")])
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
