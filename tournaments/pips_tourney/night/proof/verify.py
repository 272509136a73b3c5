"""Verify a night: replay every record and recompute everything else.

That means every row, entry, commitment, link and digest.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pips_tourney.night.log.entries import entry_problems, unknown_kinds
from pips_tourney.night.log.kinds import BEGUN, ENDED
from pips_tourney.night.log.store import Entry, Store, StoreError, runner_of, secret_of
from pips_tourney.night.night import Night, nights
from pips_tourney.night.plan.programme import Programme
from pips_tourney.night.proof.checked_rows import CheckedRows, Discrepancy, header_problems, not_counted
from pips_tourney.night.proof.ending import time_problems
from pips_tourney.night.proof.game_code import code_changes
from pips_tourney.night.proof.promise import KeptByOthers, kept_problems, promise_notes, promise_problems
from pips_tourney.night.proof.round_plans import plan_problems
from pips_tourney.night.table.standings import standings
from pips_tourney.night.table.standings_json import standings_sha256
from pips_tourney.night.table.tables import Standings
from pips_tourney.secret import Secret


class Verified(NamedTuple):
    """The result: how many results were verified, and the digest of the last night."""

    results: int
    digest: str
    problems: tuple[Discrepancy, ...]
    notes: tuple[str, ...] = ()
    """Facts that are not mistakes, but should be known."""
    head: str = ""
    """The head of its chain; empty if there is none."""
    counted: int = 0
    """How many of the results count in the standings of the last night."""


def verify_night(store: Store, kept: KeptByOthers | None = None) -> Verified:
    """Check everything in a database.

    It is checked against itself, the rules, and what others kept of the night.
    """
    damage = [Discrepancy("", f"its file is damaged: {what}") for what in store.damage()]
    with store.snapshot():
        chain = store.chain()
        problems = [*damage, *(Discrepancy("", what) for what in chain.problems)]
        unreadable = [Discrepancy("", what) for what in entry_problems(store)]
        if unreadable:  # without a readable log nothing further can be checked
            return Verified(0, "", (*problems, *unreadable), head=chain.head)
        secret = _check_begun(store)
        try:
            looked = _look(nights(store), secret, CheckedRows(store))
        except StoreError:
            raise
        except Exception as error:  # noqa: BLE001 - a forged entry may make a reader raise anything
            what = f"what its log says cannot be played: {error!r}"
            notes = tuple(code_changes(store).values())
            return Verified(0, "", (*problems, Discrepancy("", what)), notes, chain.head)
        brought = kept_problems(store, chain, kept or KeptByOthers())
        problems += [*looked.problems, *(Discrepancy("", what) for what in brought)]
        notes = (*_kind_notes(store), *code_changes(store).values(), *promise_notes(store), *looked.notes)
        return Verified(looked.results, looked.digest, tuple(problems), notes, chain.head, looked.counted)


def first_damage(store: Store) -> str:
    """The first damage to a database's file; empty if there is none.

    Rules and luck are not checked.
    """
    with store.snapshot():
        chain = store.chain()
        found = [*chain.problems, *entry_problems(store)]
        rows = CheckedRows(store)
        if not found:
            rows.rows([str(match) for match in store.ids()])
        return next(iter([*found, *(f"match {match}: {what}" for match, what in rows.problems())]), "")


def _check_begun(store: Store) -> Secret:
    secret = secret_of(store)
    if secret is None or not store.log(BEGUN):
        raise StoreError(f"{store.path}: no night was begun in it")
    return secret


def _kind_notes(store: Store) -> Iterator[str]:
    if unknown := unknown_kinds(store):
        yield f"its log has entries of kinds that this version does not know and ignores: {', '.join(unknown)}"


def _look(programmes: list[Programme], secret: Secret, looked: CheckedRows) -> Verified:
    """Check everything in a database whose log can be read."""
    store = looked.store
    ended = _ended(store, programmes)
    problems: list[Discrepancy] = []
    seen: set[str] = set()
    for number, programme in enumerate(programmes):
        end = ended.get(number)
        night = Night(store, programme, secret, None if end is None else end.seq, reader=looked.results)
        for fixture, row, kept in night.walk(look_up=looked.rows):
            if row is not None and fixture.match_id not in seen:
                seen.add(fixture.match_id)
                problems += header_problems(fixture, row, secret)
            elif row is None and end is not None and kept and fixture.match_id not in looked.wrong:
                problems.append(Discrepancy(fixture.match_id, "the night is over, but its result is missing"))
        left = set(store.ids()) - seen
        for fixture, row in not_counted(night, looked, left):
            seen.add(fixture.match_id)
            problems += header_problems(fixture, row, secret)
        found = [*problems, *looked.problems()]
        if not found and number == len(programmes) - 1:
            problems += [Discrepancy("", what) for what in plan_problems(night, programmes)]
            problems += [Discrepancy("", what) for what in time_problems(night, programmes)]
        table = None
        if end is not None and not found:
            table = standings(night)
            problems += [Discrepancy("", what) for what in _end_problems(night, table, end)]
    known = seen | looked.wrong.keys()
    problems += [
        Discrepancy(match, "it is in no schedule of this night") for match in store.ids() if match not in known
    ]
    problems += [*looked.problems(), *(Discrepancy("", what) for what in promise_problems(store, programmes, secret))]
    last = Night(store, programmes[-1], secret, reader=looked.results)
    if problems:
        return Verified(len(known), "", tuple(problems))
    table = table or standings(last)
    counted = sum(each.counted for each in table.tables)
    about = _about_end(last, table)
    wrong = [Discrepancy("", about.problem)] if about.problem else []
    return Verified(len(known), last.digest(), tuple(wrong), (about.note,) if about.note else (), counted=counted)


class _About(NamedTuple):
    """What is wrong, and what should be known; empty if nothing is."""

    problem: str = ""
    note: str = ""


def _about_end(night: Night, table: Standings) -> _About:
    """Check a night's end, which may be missing."""
    if night.is_ended():
        return _About()
    if night.store.last(ENDED) > night.store.last(BEGUN):
        return _About(note="something was decided after its end; the next `pips-tourney run` ends it anew")
    if not table.complete:
        scheduled, played = night.count()
        return _About(note=f"the night has not ended: {played} of {scheduled} matches are played, as far as is known")
    if runner_of(night.store.path) is not None:
        return _About(note="the night has not ended: its runner is just ending it")
    return _About(
        "all matches are played, but its end is missing: the digest, the standings and the revealed secret; "
        "`pips-tourney run` writes it where the night was played"
    )


def _ended(store: Store, programmes: list[Programme]) -> dict[int, Entry]:
    """The end of each programme that has one, by the programme's number."""
    ended: dict[int, Entry] = {}
    begun = -1
    for entry in store.log():
        if entry.kind == BEGUN:
            begun += 1
        elif entry.kind == ENDED and 0 <= begun < len(programmes):
            ended[begun] = entry
    return ended


def _end_problems(night: Night, table: Standings, entry: Entry) -> Iterator[str]:
    said = entry.payload
    if said["digest"] != night.digest():
        yield "the night's digest is not the one that was published at its end"
    if said["standings_sha256"] != standings_sha256(table):
        yield "the recomputed standings differ from those at the night's end"
    if said["secret"] != night.secret.key.hex():
        yield "the secret that was revealed is not the stored one"
