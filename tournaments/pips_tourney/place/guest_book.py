"""The book of a hosted night: its guests enter with the invites with which bots join.

Who is invited stands in the host's file of invites alone. The book follows it: a visit
ends with the invite that it was begun with.
"""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from threading import Lock

from pips_tourney.place.book import Book, Person, PlaceBookError
from pips_tourney.remote.certificates import Files
from pips_tourney.remote.codes import Code, InviteError
from pips_tourney.remote.invites import Invites


class GuestBook(Book):
    """The open book of these players. Each is a person whose bot has their name.

    `files` is the certificate of the host, by which a code recognises it.
    """

    def __init__(self, path: Path, invites: Invites, files: Files, players: Collection[str]) -> None:
        super().__init__(path)
        self._invites, self._files, self._players = invites, files, frozenset(players)
        self._following = Lock()
        self._followed: object = None
        """Which file of invites was followed last."""
        known = {person.bot for person in super().people()}
        for player in players:
            if player not in known:
                self._do("INSERT INTO people (bot, name) VALUES (?, ?)", player, player)

    def people(self) -> list[Person]:
        return [person for person in super().people() if person.bot in self._players]

    def invite_all(self) -> list[tuple[str, str]]:
        """Invite the players who have no invite; returns them with their codes.

        Whoever was revoked waits for the organiser's new invite.
        """
        known = self._invites.read().keys() | self._invites.revoked()
        return [(person.bot, self.new_code(person.id)) for person in self.people() if person.bot not in known]

    def new_code(self, person: int, *, visits_end: bool = True) -> str:
        """Make an invite anew, for the browser and for `pips-bot join` alike."""
        whose = self.person(person)
        if whose.organiser:
            return super().new_code(person, visits_end=visits_end)
        if whose.bot not in self._players:
            raise PlaceBookError(f"{whose.bot} dials in no more: the league file does not have it")
        return str(self._invites.invite(whose.bot, self._files.in_der))

    def revoke(self, person: int) -> None:
        self._invites.revoke(self.person(person).bot)

    def enter(self, code: str) -> str | None:
        """A fresh cookie for a guest's code, or for the organiser's."""
        try:
            given = Code.read(code).sha256
        except InviteError:
            return super().enter(code)
        with self._following:  # an invite that is revoked meanwhile ends the visit, too
            self._follow_file()
            found = self._do("SELECT id FROM people WHERE organiser = 0 AND code = ?", given)
            return self._visit(found[0][0]) if found else None

    def visitor(self, cookie: str) -> Person | None:
        self._follow()
        return super().visitor(cookie)

    def of_token(self, token: str) -> Person | None:
        self._follow()
        return super().of_token(token)

    def _follow(self) -> None:
        """End the visits and tokens of those whose invite is another now, or none."""
        with self._following, suppress(InviteError):  # the host says what is wrong with the file
            self._follow_file()

    def _follow_file(self) -> None:
        if (file := self._invites.state()) == self._followed:
            return
        held = self._invites.read()
        with self._held() as db:
            db.execute("BEGIN IMMEDIATE")
            changed = []
            for number, bot, mark in db.execute(
                "SELECT id, bot, code FROM people WHERE organiser = 0 AND is_team = 0"
            ).fetchall():
                now = held.get(bot) if bot in self._players else None
                if now != mark:
                    changed.append((now, number))
                    db.execute("UPDATE people SET code = NULL, token = NULL WHERE id = ?", (number,))
                    db.execute("DELETE FROM visits WHERE person = ?", (number,))
            db.executemany("UPDATE people SET code = ? WHERE id = ?", changed)  # two may have been swapped
            db.execute("COMMIT")
        self._followed = file
