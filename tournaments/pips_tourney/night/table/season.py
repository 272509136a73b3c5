"""A season: the standings over a night and the earlier nights moved aside from it."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pips_tourney.night.log.earlier_nights import moved_aside
from pips_tourney.night.log.store import Row, Store, read_store
from pips_tourney.night.night import last_night, nights
from pips_tourney.night.plan.fixtures import Fixture
from pips_tourney.night.plan.live_schedule import LiveSchedule
from pips_tourney.night.plan.programme import Anchor, Contest, Entrant, Programme
from pips_tourney.night.plan.results import ContestResults
from pips_tourney.night.plan.stages import Stage
from pips_tourney.night.table.standings import fold_night, overall_table, rated_table, withdrawn_of
from pips_tourney.night.table.tables import ContestTable, SeasonNight, Standings
from pips_tourney.secret import Secret


@dataclass(frozen=True, eq=False)
class Season:
    """All nights: their standings, their players, and every match that counts."""

    standings: Standings
    programme: Programme
    """What the last night plays, with the players of all nights."""
    database: Path
    names: Mapping[int, Mapping[str, str]]
    """By night, its bots' names in the season."""
    parts: Mapping[str, Mapping[int, ContestResults]]
    """By contest and night, the results that count."""

    def look_up(self, ids: Sequence[str]) -> dict[str, Row]:
        """Like a night's `look_up`; a match of a season has the id `night/match`."""
        wanted: defaultdict[int, list[str]] = defaultdict(list)
        for name in ids:
            number, _, match = name.partition("/")
            wanted[int(number)].append(match)
        found = {}
        for night, file in _files(self.database).items():
            if night not in wanted:
                continue
            with read_store(file) as store:
                for match, row in store.results(wanted[night]).items():
                    bots = [self.names[night][bot] for bot in row.bots]
                    found[f"{night}/{match}"] = row._replace(seats=json.dumps(bots))
        return found

    def seatings(self) -> dict[str, Fixture]:
        """By match of the season, its deal and its seating."""
        found: dict[str, Fixture] = {}
        for number, file in _files(self.database).items():
            with read_store(file) as store:
                found |= {f"{number}/{match}": fixture for match, fixture in last_night(store).seatings().items()}
        return found


def season_standings(database: Path) -> Standings:
    """The standings over all nights, with the last night's contests and formats."""
    return read_season(database).standings


def read_season(database: Path, coming: Programme | None = None) -> Season:
    """Read all nights stored beside a database, and the one in it.

    A `coming` night is added as the last one; nothing of it was played.
    """
    played = list(_played(database))
    if coming is not None:
        played.append(_FoldedNight(1 + played[-1].number, "", LiveSchedule(coming, Secret(b""))))
    last, roster = played[-1].course.programme, _SeasonPlayers()
    for night in played:
        for entrant in night.course.programme.entrants:
            roster.meet(entrant, night.number)
    anchor = last.anchor and Anchor(roster.names(played[-1].number)[last.anchor.name], last.anchor.elo)
    programme = replace(last, entrants=tuple(roster.entrants()), anchor=anchor)
    tables, counted = [], dict.fromkeys(played, 0)
    parts: dict[str, dict[int, ContestResults]] = {}
    for contest in last.contests:
        here = _SeasonSum()
        for night in played:
            for part in night.parts(contest):
                added = here.add(night, part, roster)
                counted[night] += len(added.fold.results)
                parts.setdefault(contest.label, {})[night.number] = added.fold
        table = here.table(programme, contest.label)
        tables.append(replace(table, contest=contest, unfenced=frozenset(_unfenced(played, roster))))
    shown = tuple(SeasonNight(night.number, night.file, counted[night], night.left_out(last)) for night in played)
    standings = Standings(f"{last.league}, season", tuple(tables), overall_table(tables), nights=shown)
    names = {night.number: roster.names(night.number) for night in played}
    return Season(standings, programme, database, names, parts)


@dataclass(frozen=True, eq=False)
class _FoldedNight:
    """A night after folding its results."""

    number: int
    file: str
    course: LiveSchedule

    def parts(self, contest: Contest) -> list[Stage]:
        """The night's stages of that contest.

        Finals are left out, because each ends only its own night.
        """
        return [part for part in self.course.parts if not part.final and _same(part.contest, contest)]

    def left_out(self, last: Programme) -> tuple[str, ...]:
        contests = self.course.programme.contests
        return tuple(own.label for own in contests if not any(_same(own, contest) for contest in last.contests))


def _unfenced(played: Iterable[_FoldedNight], roster: _SeasonPlayers) -> Iterator[str]:
    """Season names of bots that played without a fence in some night."""
    for night in played:
        names = roster.names(night.number)
        yield from (names[bot] for bot in night.course.withdrawals.decisions.unfenced if bot in names)


def _files(database: Path) -> dict[int, Path]:
    """Database files by the number of the night, oldest first."""
    earlier = moved_aside(database)
    return earlier | ({1 + max(earlier, default=0): database} if database.is_file() or not earlier else {})


def season_stores(database: Path) -> Iterator[tuple[int, Store]]:
    """Every night by its number, oldest first, open until the next one is requested.

    A file without a begun night is skipped, unless there is no other file.
    """
    files = _files(database)
    for number, file in files.items():
        with read_store(file) as store:
            if nights(store) or len(files) == 1:
                yield number, store


def _played(database: Path) -> Iterator[_FoldedNight]:
    for number, store in season_stores(database):
        yield _FoldedNight(number, store.path.name, fold_night(last_night(store)))


def _same(one: Contest, other: Contest) -> bool:
    """Whether results of both contests can be rated together.

    The format in which they were played does not matter.
    """
    return replace(one, deals=other.deals, form=other.form) == other


@dataclass
class _Version:
    """A bot as it was in some nights."""

    bot: str
    rated: bool
    number: int
    fingerprints: dict[str, str] = field(default_factory=dict)
    last: int = 0
    """The last night in which it played."""

    def fits(self, fingerprints: Mapping[str, str]) -> bool:
        """Whether fingerprints are the same in every game that both versions play."""
        return all(self.fingerprints.get(game, mark) == mark for game, mark in fingerprints.items())


class _SeasonPlayers:
    """The players of a season.

    A bot that has changed counts as another bot; one that returns unchanged, as the
    same.
    """

    def __init__(self) -> None:
        self._versions: defaultdict[tuple[str, bool], list[_Version]] = defaultdict(list)
        self._nights: defaultdict[int, dict[str, _Version]] = defaultdict(dict)

    def meet(self, entrant: Entrant, night: int) -> None:
        """Add a player of a night. Call this in the order of nights."""
        versions = self._versions[entrant.name, entrant.rated]
        latest_first = sorted(versions, key=lambda version: -version.last)
        version = next((version for version in latest_first if version.fits(entrant.fingerprints)), None)
        if version is None:
            version = _Version(entrant.name, entrant.rated, len(versions) + 1)
            versions.append(version)
        version.fingerprints.update(entrant.fingerprints)
        version.last = night
        self._nights[night][entrant.name] = version

    def entrants(self) -> Iterator[Entrant]:
        for (_, rated), versions in self._versions.items():
            for version in versions:
                yield Entrant(self._name(version, versions), version.fingerprints, rated)

    def names(self, night: int) -> dict[str, str]:
        """For each bot of a night, its name in the season."""
        met = self._nights[night]
        return {bot: self._name(version, self._versions[bot, version.rated]) for bot, version in met.items()}

    @staticmethod
    def _name(version: _Version, versions: Sequence[_Version]) -> str:
        """The bot's own name if this version played last; otherwise with a number."""
        if version.last == max(other.last for other in versions):
            return version.bot
        return f"{version.bot} (version {version.number}, until night {version.last})"


@dataclass
class _SeasonSum:
    """The sum over nights."""

    fold: ContestResults = field(default_factory=ContestResults)
    withdrawn: dict[str, str] = field(default_factory=dict)
    finished: bool = True

    def add(self, night: _FoldedNight, part: Stage, roster: _SeasonPlayers) -> _SeasonSum:
        """Add a night's part of a contest; return the part added.

        A bot that was withdrawn too early is left out of that night only.
        """
        names, withdrawn = roster.names(night.number), withdrawn_of(night.course, part)
        fold = part.fold.in_season(night.number, names, part.fold.left_out(withdrawn))
        why = {names[bot]: f"{why} (night {night.number})" for bot, why in withdrawn.items()}
        added = _SeasonSum(fold, why, part.finished)
        self.join(added)
        return added

    def join(self, other: _SeasonSum) -> None:
        self.fold.join(other.fold)
        for bot, why in other.withdrawn.items():
            self.withdrawn[bot] = f"{self.withdrawn[bot]}; {why}" if bot in self.withdrawn else why
        self.finished &= other.finished

    def table(self, programme: Programme, label: str) -> ContestTable:
        table = rated_table(programme, label, self.fold, self.withdrawn, set())
        return replace(table, finished=self.finished)
