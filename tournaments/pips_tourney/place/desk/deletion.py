"""Deleting a person: which data go, and which stay in the chain of a night."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from contextlib import suppress

from pips_tourney.bots.logs import logs_of
from pips_tourney.night.director import DirectorError, office
from pips_tourney.people.store import Person
from pips_tourney.place.desk.desk import Desk
from pips_tourney.place.desk.hand_ins import DELETED, WHY_OUT, WITHDRAWN, BotVersion
from pips_tourney.place.desk.invites import write_invites


def delete_person(desk: Desk, person: Person, *, only_shown: bool) -> str:
    """Delete a person, or only say what that would do. Returns a sentence.

    A team's bot is deleted with its last member.
    """
    shared = [each for each in desk.people.everybody() if each.owner == person.owner and each.id != person.id]
    if not only_shown:
        desk.people.revoke(person.id)  # no more versions can come
    own = [] if shared else desk.hand_ins.of(person)
    told = f"{'It would delete' if only_shown else 'Deleted'} {person.name}: {_told(own)}."
    if shared:
        told += f" The bot of {person.team} stays with its other members."
    if only_shown:
        return f"Nothing was deleted. {told}"
    for version in own:
        desk.hand_ins.set_state(version.id, DELETED)
        desk.hand_ins.set_mark(version.id, "")
    _take_out(desk, own, WHY_OUT[DELETED])
    for version in own:
        shutil.rmtree(desk.hand_ins.folder / version.folder, ignore_errors=True)
        for folder in desk.logs.parent.glob("*"):
            for log in logs_of(folder, version.bot):
                log.unlink(missing_ok=True)
    if not shared:
        desk.calendar.set_deadline("", person)
    write_invites(desk.people.folder, [], gone=[person.name])
    desk.people.delete(person.id)
    return told


def withdraw_own(desk: Desk, person: Person) -> None:
    """Withdraw a person's bot from the current night, and from later ones."""
    own = desk.hand_ins.of(person)
    for version in own:
        desk.hand_ins.set_state(version.id, WITHDRAWN, "You have withdrawn it.")
    _take_out(desk, own, WHY_OUT[WITHDRAWN])


def _told(own: Sequence[BotVersion]) -> str:
    gone = "the name, the invite, the visits and the token"
    if not own:
        return f"{gone} go"
    bots = ", ".join(version.bot for version in own)
    return (
        f"{gone} go, and the files and prints of {bots}. What these have played stays in the nights under the bots' "
        "names, with its records: a night is one chain. Take the name off the roster, too, or it is invited again"
    )


def _take_out(desk: Desk, own: Sequence[BotVersion], why: str) -> None:
    """Withdraw the bots that are still playing."""
    playing = desk.carry_over.names().intersection(version.bot for version in own)
    if playing:
        with office(desk.database) as at:
            for bot in sorted(playing):
                with suppress(DirectorError):  # it is out already
                    at.withdraw(bot, why, from_start=False)
