"""Exports of a night for other programs.

Results for Ordo and BayesElo, a gradebook, and the schema of its standings.
"""

from __future__ import annotations

import csv
import io
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

from pips_referee.printable import plain, plain_block
from pips_tourney.bots.find import sample_names
from pips_tourney.league.collected import participant
from pips_tourney.night.log.handed_in import HandedIn
from pips_tourney.night.log.kinds import BROKEN
from pips_tourney.night.log.store import Row
from pips_tourney.night.night import CHUNK, chunks
from pips_tourney.night.plan.fixtures import Fixture
from pips_tourney.night.plan.programme import Programme
from pips_tourney.night.plan.results import Conduct
from pips_tourney.night.table.tables import ContestTable, Standings

SCHEMA: Final = Path(__file__).with_name("standings.schema.json")
"""The JSON schema of the standings."""
_RESULTS: Final = {1: "1-0", 0: "1/2-1/2", -1: "0-1"}
GRADEBOOK: Final = (
    "bot", "submission", "participant", "participant_number", "table", "rank", "elo", "low", "high", "note", "matches",
    "points", "points_percent", "faults", "fault_kinds", "status",
)  # fmt: skip
Score = tuple[float, int]
"""Points, and the number of meetings."""


class PlayedNights(Protocol):
    """A night, or a season."""

    @property
    def programme(self) -> Programme: ...

    def look_up(self, ids: Sequence[str]) -> Mapping[str, Row]:
        """Results by the ids of matches, with the bots' names as in the standings."""

    def seatings(self) -> Mapping[str, Fixture]:
        """By the ids of matches, their deals and seatings."""


def pgn(night: PlayedNights, of: Standings) -> Iterator[str]:
    """The matches that count, in schedule order, as PGN games without moves.

    Rating programs read these. Seat 0 is White. A table of more than two seats becomes
    one game for every pair, with the lower seat as White.
    """
    seatings = {fixture.match_id: fixture for fixture in night.seatings().values()}
    for table in of.tables:
        for row in _counted(night, table):
            seats, places, fixture = row.bots, row.seat_places, seatings[row.id]
            what = f"{of.league}: {table.label}" + (f", pairs of a table of {len(seats)}" if len(seats) > 2 else "")
            for white, black in combinations(range(len(seats)), 2):
                result = _RESULTS[(places[black] > places[white]) - (places[black] < places[white])]
                tags = {
                    "Event": what, "Site": "?", "Date": "????.??.??", "Round": row.id[:8],
                    "White": seats[white], "Black": seats[black], "Result": result,
                    "Contest": fixture.contest.label, "Deal": fixture.deal.name, "Rotation": fixture.rotation,
                    "Seats": ",".join(seats), "Match": row.id,
                }  # fmt: skip
                yield "".join(f'[{name} "{_quoted(value)}"]\n' for name, value in tags.items()) + f"\n{result}\n\n"


def _quoted(value: object) -> str:
    """A value quoted for PGN: on one line, with `\\` before special characters."""
    return plain(" ".join(str(value).split())).replace("\\", "\\\\").replace('"', '\\"')


class NightColumn(NamedTuple):
    """A night of a season: the names of its bots in the season, and its tables."""

    number: int
    names: Mapping[str, str]
    standings: Standings


def gradebook(
    night: PlayedNights,
    of: Standings,
    baselines: Sequence[str] = (),
    handed: HandedIn | None = None,
    nights: Sequence[NightColumn] = (),
) -> str:
    """The gradebook as CSV: a line for each bot and table, with points by baseline.

    Bots that were left out have lines too; in a season, those of its last night. By
    default the baselines are the league's sample bots.

    A season has two columns for each night: rank and points. The line of a bot's last
    version includes those of all its versions.
    """
    return as_csv(*grade_lines(night, of, baselines, handed, nights))


def as_csv(columns: Sequence[str], lines: Iterable[Mapping[str, Any]]) -> str:
    """Lines under their columns; no cell can become a formula."""
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: harmless(value) for name, value in line.items()} for line in lines)
    return out.getvalue()


def grade_lines(
    night: PlayedNights,
    of: Standings,
    baselines: Sequence[str] = (),
    handed: HandedIn | None = None,
    nights: Sequence[NightColumn] = (),
) -> tuple[list[str], list[dict[str, Any]]]:
    """The columns and the lines of a gradebook."""
    handed = handed or HandedIn()
    decisions = nights[-1].standings.decisions if nights else of.decisions  # a season's own standings have no decisions
    left_out = {note.about: note.why for note in decisions if note.kind == BROKEN}
    names = [entrant.name for entrant in night.programme.entrants if entrant.rated]
    samples = sample_names() if handed.samples is None else handed.samples
    known = [name for name in names if name in (baselines or samples)]
    columns = [*GRADEBOOK]
    for baseline in known:
        columns += [f"points_percent_against_{baseline}", f"better_than_{baseline}"]
    for column in nights:
        columns += [f"rank_night_{column.number}", f"points_percent_night_{column.number}"]
    lines: list[dict[str, Any]] = []
    for table in of.tables:
        met = _met(night, table, known)
        lines += [
            _graded(table, bot, known, met) | _whose(bot, handed) | _by_night(table, bot, nights) for bot in names
        ]
        for bot, why in left_out.items():
            if bot not in names:  # a bot added by the director keeps its own name
                line = {"bot": bot, "table": table.label, "status": plain_block(f"left out: {why}")}
                lines.append(line | _whose(bot, handed))
    return columns, lines


def harmless(value: Any) -> Any:
    """A text that no spreadsheet reads as a formula, and no parser as a new row.

    Students choose names, and the output of their bots.
    """
    if not isinstance(value, str):
        return value
    text = value.replace("\r\n", "\n").replace("\r", "\n")  # Python quotes \n but not \r
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\n")) else text


def _whose(bot: str, handed: HandedIn) -> dict[str, Any]:
    place = handed.places.get(bot, "")
    found = participant(place)
    named = {} if found is None else {"participant": plain(found.name), "participant_number": found.number}
    return {"submission": plain(place), **named}


def _by_night(table: ContestTable, bot: str, nights: Sequence[NightColumn]) -> dict[str, Any]:
    """Rank and points of a bot in each night.

    The last version in a season also gets those of earlier versions.
    """
    line: dict[str, Any] = {}
    for column in nights:
        called = {season: own for own, season in column.names.items()}
        own = called.get(bot, bot if bot in column.names else None)
        for shown in column.standings.tables:
            for at, row in enumerate(shown.rows if shown.label == table.label else ()):
                if row.bot == own:
                    line[f"rank_night_{column.number}"] = shown.place(at)
                    points = round(100 * row.points / row.matches, 2) if row.matches else None
                    line[f"points_percent_night_{column.number}"] = points
    return line


def _graded(
    table: ContestTable, bot: str, baselines: Collection[str], met: Mapping[tuple[str, str], Score]
) -> dict[str, Any]:
    conduct = table.conduct.get(bot, Conduct())
    line: dict[str, Any] = {
        "bot": bot,
        "table": table.label,
        "faults": conduct.faults.total(),
        "fault_kinds": " ".join(f"{kind}:{count}" for kind, count in sorted(conduct.faults.items())),
        "status": plain(
            table.withdrawn.get(bot, "played" if bot in {row.bot for row in table.rows} else "no match counts")
        ),
    }
    for at, row in enumerate(table.rows):
        if row.bot == bot:
            line |= {
                "rank": table.place(at),
                "elo": row.elo,
                "low": row.low,
                "high": row.high,
                "note": row.note or row.bound,
            }
            line |= {"matches": row.matches, "points": row.points}
            line["points_percent"] = round(100 * row.points / row.matches, 2) if row.matches else None
    for baseline in baselines:
        points, meetings = met.get((bot, baseline), (0.0, 0))
        if bot != baseline and meetings and table.ratings is not None:
            line[f"points_percent_against_{baseline}"] = round(100 * points / meetings, 2)
            line[f"better_than_{baseline}"] = table.ratings.difference(bot, baseline).better
    return line


def _met(night: PlayedNights, table: ContestTable, baselines: Collection[str]) -> dict[tuple[str, str], Score]:
    """The results of bots against baselines, by pair."""
    points: dict[tuple[str, str], float] = defaultdict(float)
    meetings: Counter[tuple[str, str]] = Counter()
    for row in _counted(night, table):
        seats, places = row.bots, row.seat_places
        for baseline, mark in zip(seats, places, strict=True):
            for bot, place in zip(seats, places, strict=True) if baseline in baselines else ():
                points[bot, baseline] += (place < mark) + (place == mark) / 2
                meetings[bot, baseline] += 1
    return {pair: (points[pair], meetings[pair]) for pair in meetings}


def _counted(night: PlayedNights, table: ContestTable) -> Iterator[Row]:
    """The results that count in a table."""
    for chunk in chunks(table.ids, CHUNK):
        rows = night.look_up(chunk)
        yield from (rows[match] for match in chunk)
