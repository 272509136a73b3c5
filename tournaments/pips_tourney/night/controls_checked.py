"""Verify the controls of a night: every one is played again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pips_referee.record import read_record
from pips_tourney.night.control import control_of, player_sha256
from pips_tourney.night.night import BEGUN
from pips_tourney.night.programme import Fixture
from pips_tourney.night.store import Row, Store


class Discrepancy(NamedTuple):
    """Something wrong. `match` is an id; empty if it concerns the whole night."""

    match: str
    what: str


class CheckedControls:
    """Compares stored controls with those that the player gives now.

    With `drawn` only those of these matches are played again.
    """

    def __init__(self, store: Store, drawn: frozenset[str] | None) -> None:
        self._store, self._drawn = store, drawn
        self._players: dict[str, str] = {}
        """By game, the SHA-256 of our files that ran in them when the night began.

        Older nights logged that of other files: to us another version.
        """
        for entry in store.log(BEGUN):
            self._players |= entry.payload.get("controls", {})

    def problems(self, fixture: Fixture, row: Row) -> Iterator[Discrepancy]:
        """What is wrong with the control of that match."""
        stored = self._store.controls([row.id]).get(row.id)
        if not fixture.contest.form.control:
            if stored is not None:
                yield Discrepancy(row.id, "it has a control, though its contest has none")
        elif stored is None:
            yield Discrepancy(row.id, "its control is missing")
        elif self._is_played_again(row) and stored != control_of(read_record(row.record).header):
            yield Discrepancy(row.id, "its control is not what the deal gives")

    def notes(self) -> Iterator[str]:
        """Games whose controls cannot be checked."""
        for game in sorted(self._players):
            if not self._is_ours(game):
                yield f"another version of Pips played the controls of {game}: they are not checked"

    def _is_played_again(self, row: Row) -> bool:
        return self._is_ours(row.game) and (self._drawn is None or row.id in self._drawn)

    def _is_ours(self, game: str) -> bool:
        return self._players.get(game) == player_sha256(game)
