"""The data of a place's pages about its night, as plain values.

Questions to an archive run in the archive's own thread.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Final, NamedTuple
from weakref import WeakKeyDictionary

from pips_referee.printable import plain
from pips_tourney.night.log.earlier_nights import moved_aside
from pips_tourney.night.log.store import read_store
from pips_tourney.night.night import last_night
from pips_tourney.night.table import boss
from pips_tourney.night.table.standings import standings
from pips_tourney.night.table.standings_json import public_tables
from pips_tourney.night.table.tables import Standings
from pips_tourney.reports.feedback import BotRows, FeedbackPart, feedback, seen_in
from pips_tourney.reports.feedback_pages import files_of, named
from pips_tourney.reports.own_records import OwnRecord, own_record
from pips_tourney.web.archive import Archive, ArchivedResult

MOST_RECORDS: Final = 2000
"""Records in one download, the last ones."""
RECORDS_AT_ONCE: Final = 20
Json = dict[str, Any]


class ListedMatch(NamedTuple):
    """A match on a page."""

    id: str
    line: str
    open: bool
    """Whether it may be watched: no match with its cards is still to come."""
    lost: int | None
    """The seat of the bot that the list is about, if it lost."""


class RatedVersion(NamedTuple):
    """The rating of a version in a night."""

    night: int
    contest: str
    bot: str
    place: str
    elo: str
    interval: str
    matches: int


class _Made(NamedTuple):
    """Standings, the same tables as JSON values, and each bot's matches by table."""

    standings: Standings
    tables: list[Json]
    seen: dict[str, BotRows]
    """Filled when the first author asks: it takes a walk through all matches."""


_MADE: Final[WeakKeyDictionary[Archive, _Made]] = WeakKeyDictionary()


def recent(archive: Archive) -> _Made:
    """The standings that spectators see, computed once for all."""
    latest, made = archive.latest or archive.standings(), _MADE.get(archive)
    if made is None or made.standings is not latest:
        _MADE[archive] = made = _Made(latest, public_tables(latest), {})
    return made


def tables(archive: Archive) -> list[Json]:
    """The public standings, with a table for each contest."""
    return recent(archive).tables


def _elo(value: float | None) -> str:
    return "" if value is None else f"{value:.0f}"


def _interval(low: float | None, high: float | None) -> str:
    if low is not None and high is not None:
        return f"{_elo(low)} to {_elo(high)}"
    return f"above {_elo(low)}" if low is not None else f"below {_elo(high)}" if high is not None else ""


def match_list(
    archive: Archive, bots: Iterable[str] = (), *, lost: bool = False, begins: str = "", most: int
) -> list[ListedMatch]:
    """The last matches, newest first: all, those of these bots, or their losses.

    `begins` is a prefix of their ids.
    """
    wanted, found = set(bots), []
    for played in reversed(archive.played):
        own = [seat for seat, bot in enumerate(played.fixture.seating) if bot in wanted]
        if not played.fixture.match_id.startswith(begins.strip().lower()):
            continue
        if (wanted and not own) or (lost and not any(played.places[seat] > 1 for seat in own)):
            continue
        found.append(_listed(archive, played, own))
        if len(found) == most:
            break
    return found


def _listed(archive: Archive, played: ArchivedResult, own: list[int]) -> ListedMatch:
    of, faults = played.fixture, {fault.seat: f", {fault.kind}" for fault in played.faults}
    seats = sorted(range(len(of.seating)), key=lambda seat: (seat not in own, played.places[seat]))
    told = " – ".join(f"{of.seating[seat]} ({played.scores[seat]}{faults.get(seat, '')})" for seat in seats)
    where = "" if played.counts else " (does not count)"
    lost = next((seat for seat in own if played.places[seat] > 1), None)
    how = "" if not own else "lost: " if lost is not None else "won: " if played.places.count(1) == 1 else "drawn: "
    return ListedMatch(of.match_id, plain(f"{of.part}, {how}{told}{where}"), archive.may_be_shown(of.match_id), lost)


def about_bot(archive: Archive, bots: list[str]) -> list[FeedbackPart]:
    """The night's feedback on the newest of these bots that plays in it."""
    known = {entrant.name for entrant in archive.night.programme.entrants}
    if not (playing := [bot for bot in bots if bot in known]):
        return []
    made = recent(archive)
    if not made.seen:
        made.seen.update(seen_in(archive.night, made.standings))
    pages = feedback(archive.night, made.standings, playing[-1:], made.seen)
    return [part for page in pages for part in page.sections]


def plays_from(archive: Archive, bot: str) -> str:
    """Since when a bot plays in this night; empty if it does not."""
    if all(bot != entrant.name for entrant in archive.night.programme.entrants):
        return ""
    told = []
    for contest in archive.night.programme.contests:
        rounds = archive.decisions.rounds.get(contest.label, {})
        first = [number for number, each in sorted(rounds.items()) if any(bot in table for table in each.depths)]
        if contest.form.is_adaptive:
            told.append(
                f"{contest.label} from round {first[0] + 1}" if first else f"{contest.label} from the next round"
            )
        else:
            told.append(f"{contest.label} from the first deal")
    ends = {
        line.removeprefix(contest.label) for line, contest in zip(told, archive.night.programme.contests, strict=True)
    }
    return ends.pop().strip() if len(ends) == 1 < len(told) else ", ".join(told)


def rated_versions(archive: Archive, database: Path, bots: list[str]) -> list[RatedVersion]:
    """The ratings of a bot's versions, night by night, oldest first."""
    earlier = moved_aside(database)
    found = [row for number, file in earlier.items() for row in _rated_then(number, file)]
    found += _rated(1 + max(earlier, default=0), recent(archive).tables)
    own = [row for row in found if row.bot in bots]
    return sorted(own, key=lambda row: (row.night, bots.index(row.bot)))


@lru_cache(256)
def _rated_then(number: int, file: Path) -> tuple[RatedVersion, ...]:
    """The ratings of a finished night, which no longer change."""
    with read_store(file) as store:
        return tuple(_rated(number, public_tables(standings(last_night(store)))))


def _rated(number: int, shown: list[Json]) -> Iterator[RatedVersion]:
    for table in shown:
        rows = table["rows"]
        for row in rows:
            interval, place = _interval(row["low"], row["high"]), f"{row['rank']} of {len(rows)}"
            yield RatedVersion(number, table["label"], row["bot"], place, _elo(row["elo"]), interval, row["matches"])


def newest_of(rated: Sequence[RatedVersion]) -> list[RatedVersion]:
    """The ratings of the newest rated version, in each contest."""
    return [row for row in rated if (row.night, row.bot) == (rated[-1].night, rated[-1].bot)]


def curve(rated: Sequence[RatedVersion]) -> Json | None:
    """The Elo of versions in the latest contest, as points of a curve."""
    own = [row for row in rated if row.elo and row.contest == rated[-1].contest]
    if len(own) < 2:
        return None
    values = [int(row.elo) for row in own]
    low, wide = min(values), max(1, max(values) - min(values))
    dots = [
        (round(5 + 190 * at / (len(own) - 1)), round(45 - 40 * (elo - low) / wide)) for at, elo in enumerate(values)
    ]
    said = "Elo: " + ", ".join(f"{row.bot} {row.elo} in night {row.night}" for row in own)
    return {"dots": dots, "points": " ".join(f"{x},{y}" for x, y in dots), "said": said}


def above_boss(archive: Archive, bot: str) -> list[str]:
    """The contests of this night in which a bot is above the sample bot `BOSS`."""
    found, entrants = recent(archive).standings, archive.night.programme.entrants
    return [table.label for table in found.all_tables if bot in boss.above_boss(table, entrants)]


class NextStep(NamedTuple):
    """An author's next step, with a link."""

    line: str
    address: str = ""
    button: str = ""


def what_next(is_rated: bool, lost: Sequence[ListedMatch]) -> NextStep:
    """The next step of an author whose bot plays."""
    if found := next((match for match in lost if match.open), None):
        return NextStep(
            "look at the match that it lost last.",
            f"/night/#/match/{found.id}/worst?seat={found.lost}",
            "Its worst moment",
        )
    return NextStep("look at its matches below." if is_rated else "wait for its first matches.")


def records_of(archive: Archive, bots: list[str], matches: list[str]) -> list[OwnRecord]:
    """The records of matches for one of their authors; none for other people."""
    rows = archive.night.store.rows(matches)
    seats = {match: [seat for seat, bot in enumerate(row.bots) if bot in bots] for match, row in rows.items()}
    return [own_record(match, rows[match].record, own[0]) for match, own in seats.items() if own]


async def records_zip(ask: Callable[[Callable[[Archive], Any]], Awaitable[Any]], bots: list[str]) -> bytes:
    """The records of a bot's last matches whose deals are over.

    It asks the archive for a few at a time, so others' questions come between.
    """
    into = io.BytesIO()
    listed = await ask(lambda archive: match_list(archive, bots, most=MOST_RECORDS)) or []
    matches = [each.id for each in listed if each.open]
    with zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as whole:
        for at in range(0, len(matches), RECORDS_AT_ONCE):
            few = partial(records_of, bots=bots, matches=matches[at : at + RECORDS_AT_ONCE])
            for record in await ask(few) or []:
                whole.writestr(*record)
    return into.getvalue()


def feedback_zip(database: Path, prefixes: Mapping[str, Sequence[str]]) -> bytes:
    """Everybody's feedback, each as a page and a text, `named` for their authors."""
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as whole, read_store(database) as store:
        night = last_night(store)
        for name, text in named(files_of(feedback(night, standings(night))), prefixes):
            whole.writestr(name, text)
    return into.getvalue()
