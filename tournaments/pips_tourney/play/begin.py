"""The start of a run: its league, its database, and the night to begin or resume."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pips_tourney.league.league import League
from pips_tourney.league.mistakes import LeagueError, Mistake
from pips_tourney.league.read import read_league
from pips_tourney.night.begin import begin, changes, is_untouched, make_room
from pips_tourney.night.log.handed_in import HandedIn, note_handed_in
from pips_tourney.night.log.store import Store, open_store
from pips_tourney.night.night import Night, nights
from pips_tourney.night.plan.from_league import make_programme
from pips_tourney.night.plan.programme import Entrant, Programme
from pips_tourney.night.proof.game_code import note_changes
from pips_tourney.night.proof.promise import promised
from pips_tourney.play.absence import note_broken
from pips_tourney.play.evening import LeagueChanged, RunConfig
from pips_tourney.secret import Secret, read_secret


@dataclass
class Beginning:
    """A run whose league has been read, and whose database is open."""

    config: RunConfig
    league: League
    store: Store
    given: Secret | None
    aside: Path | None
    """The path to which the last night was moved."""
    entrants: dict[str, Entrant] = field(default_factory=dict)
    """The entrants at the start of the run.

    So a new version that an author hands in meanwhile does not end the night.
    """

    def begin(self, tell: Callable[[str], object]) -> tuple[Night, League]:
        """Begin or resume the night, with the bots that were added meanwhile.

        `tell` is called for each bot that has changed since the run began.
        """
        begun = nights(self.store)
        if not self.entrants and begun:
            for line in note_changes(self.store):
                tell(line)
        added = Night(self.store, begun[-1], Secret(b"")).decisions().added if begun else {}
        league = self.league.joined_by(added.values()).installed().with_contents()
        programme = make_programme(league)
        for entrant in programme.entrants:
            if self.entrants.setdefault(entrant.name, entrant) != entrant:
                tell(f"{entrant.name} has changed since this run began: its matches count for the earlier version")
        entrants = tuple(self.entrants[entrant.name] for entrant in programme.entrants)
        night = self._begin(begun, replace(programme, entrants=entrants), added)
        note_broken(night, league.broken)
        if any(bot.sample is None for bot in league.file.bots):  # samples are not handed in
            note_handed_in(self.store, _handed_in(league, added))
        _check_hosting(self.config, league)
        return night, league

    def _begin(self, begun: list[Programme], programme: Programme, added: Collection[str]) -> Night:
        expected = {f"bot {name} is new" for name in added}
        differences = [what for what in changes(begun[-1], programme) if what not in expected] if begun else []
        if differences and not self.config.go_on and not is_untouched(self.store):
            raise LeagueChanged(self.config.database, differences)
        secret, pledge = promised(self.store, programme, self.given, self.config.beacon)
        return begin(self.store, programme, secret, pledge)


@contextmanager
def opened(config: RunConfig) -> Iterator[Beginning]:
    """Read the league, make room for its night, and open the database.

    Raises the errors of league, secret and store.
    """
    league = read_league(config.league)
    _check_hosting(config, league)
    given = None if config.secret_file is None else read_secret(config.secret_file)
    aside = make_room(config.database, given, season=league.file.season, new=config.new, go_on=config.go_on)
    with open_store(config.database) as store:
        yield Beginning(config, league, store, given, aside)


def _check_hosting(config: RunConfig, league: League) -> None:
    remote = [bot.name for bot in league.file.bots if bot.remote]
    if remote and config.hosting is None:
        told = f"{', '.join(remote)} play from other machines: play the night with `pips-tourney serve`"
        raise LeagueError(league.path, [Mistake("bots", told)])


def _handed_in(league: League, added: Mapping[str, Mapping[str, Any]]) -> HandedIn:
    """The bots' paths, including bots added meanwhile, and which bots are samples."""
    late = {name: entry.get("cwd") or (entry.get("command") or [""])[-1] for name, entry in added.items()}
    samples = frozenset(bot.name for bot in league.file.bots if bot.sample is not None)
    return HandedIn({**league.where, **{name: place for name, place in late.items() if place}}, samples)
