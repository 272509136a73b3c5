"""The nights that a command looks at: one, or with `--season` all stored beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from pips_tourney.errors import TourneyError
from pips_tourney.night.log.handed_in import HandedIn, handed_in
from pips_tourney.night.log.store import Store, StoreError, read_store
from pips_tourney.night.night import last_night
from pips_tourney.night.proof.verify import first_damage
from pips_tourney.night.table.season import Season, read_season, season_stores
from pips_tourney.night.table.standings import standings
from pips_tourney.night.table.tables import Standings
from pips_tourney.people.store import People
from pips_tourney.place.desk.grades import of_people, people_beside
from pips_tourney.reports.exports import NightColumn, PlayedNights

L = TypeVar("L")


@contextmanager
def _in_a_sentence(store: Store) -> Iterator[None]:
    """Report an error caused by a changed database in one sentence.

    All other errors pass through.
    """

    try:
        yield
    except TourneyError:
        raise
    except Exception as error:
        if damage := first_damage(store):
            told = f"{store.path} was changed or damaged: {damage}. `pips-tourney verify` tells all that is wrong"
            raise StoreError(told) from error
        raise


def looked_at(database: Path, look: Callable[[Store], L]) -> L:
    """The result of `look` for a night; `StoreError` if its database was changed."""
    with read_store(database) as store, _in_a_sentence(store):
        return look(store)


@contextmanager
def results_of(database: Path, *, season: bool) -> Iterator[tuple[PlayedNights, Standings]]:
    """The matches of a night, or of a season, and the resulting standings."""

    if season:
        found = read_season(database)
        yield found, found.standings
    else:
        with read_store(database) as store:
            with _in_a_sentence(store):
                night = last_night(store)
                table = standings(night)
            yield night, table


def of_gradebook(database: Path, found: PlayedNights) -> tuple[HandedIn, list[NightColumn]]:
    """The bots that were handed in to the last night.

    For a season, also every night's own standings.
    """

    with read_store(database) as store:
        handed = handed_in(store)
    if not isinstance(found, Season):
        return handed, []
    stores = season_stores(database)
    return handed, [NightColumn(number, found.names[number], standings(last_night(store))) for number, store in stores]


def of_place(database: Path, lines: list[dict[str, Any]]) -> Iterable[Mapping[str, Any]]:
    """The lines of a gradebook, by person if the night belongs to a place."""
    if (folder := people_beside(database)) is None:
        return lines
    with People(folder) as people:
        return [*of_people(lines, people)]
