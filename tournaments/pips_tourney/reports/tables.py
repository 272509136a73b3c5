"""Standings for people and programs: a table, JSON, CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Collection, Mapping, Sequence

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from pips_referee.printable import plain, plain_block
from pips_tourney.night.log.kinds import ADD, ANNUL, BROKEN, PAUSE, REDEAL, REPLAY, WITHDRAW
from pips_tourney.night.plan.decisions import Note
from pips_tourney.night.plan.results import Conduct
from pips_tourney.night.plan.stages import Gate, PlayedRound
from pips_tourney.night.table.standings_json import as_json
from pips_tourney.night.table.tables import ContestTable, SeasonNight, Standings
from pips_tourney.ratings.overall import Overall
from pips_tourney.ratings.stopping import PairVerdict, Verdict
from pips_tourney.ratings.table import Rating, Ratings
from pips_tourney.reports.details import chance, print_details
from pips_tourney.reports.margins import margin_lines

COLUMNS = (
    "table", "rank", "bot", "elo", "low", "high", "bound", "note", "better_than_next", "points", "points_percent",
    "points_by_seat", "matches", "deals", "faults", "place_from", "place_to", "first",
    "margin", "margin_low", "margin_high", "ordered_by", "unfenced", "same_files_as",
)  # fmt: skip
TIMING_COLUMNS = ("median_ms", "p99_ms", "out_of_turn_ms")
CERTAIN = 0.975
"""The level at which a pair's own deals contradict the table."""
MOST_UPSETS = 5
WORTH_A_NOTE_US = 500_000
"""From here on, a bot's CPU time out of turn in a night gets a line, in µs.

Every bot uses a little to clean up.
"""

MARGIN = "margin"
"""The mean lead of a match over the other bots at the table, in points of the game."""
PLACES = "places"
"""The range of ranks that a bot may truly have, with 95 %."""
_COLUMNS = {
    "#": "right", "bot": "left", "Elo": "right", "95 %": "center", PLACES: "center", "better than next": "right",
    MARGIN: "right", "points": "right", "by seat": "left", "matches": "right", "faults": "left", "median": "right",
    "p99": "right",
}  # fmt: skip
"""The columns of a table on a terminal, and how they are aligned."""
DISPENSABLE = ("p99", "median", "by seat", "faults", MARGIN, PLACES, "better than next", "matches")
"""Columns that a narrow terminal omits, in this order."""

MORE = "Who is better than whom, seats, draws, the deals' share and tie-breaks: pips-tourney standings --full"


def to_json(of: Standings, *, timings: bool) -> str:
    """Sorted and indented, so that equal standings give the same bytes."""
    return json.dumps(as_json(of, timings=timings), sort_keys=True, indent=2, ensure_ascii=False) + "\n"


def to_csv(of: Standings, *, timings: bool) -> str:
    """A line for each bot and table. Lists are joined with blanks."""
    out = io.StringIO()
    columns = COLUMNS + TIMING_COLUMNS if timings else COLUMNS
    writer = csv.DictWriter(out, columns, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for table in as_json(of, timings=timings)["tables"]:
        for row in table["rows"]:
            seats = ["" if points is None else str(points) for points in row["points_by_seat"]]
            faults = [f"{kind}:{count}" for kind, count in row["faults"].items()]
            first, last = row.get("ranks") or (None, None)
            lists = {"points_by_seat": " ".join(seats), "faults": " ".join(faults)}
            won = row.get("margin") or {}
            by = {"ordered_by": table.get("ordered_by", "results"), "unfenced": "yes" if "unfenced" in row else ""}
            ends = {"margin": won.get("mean"), "margin_low": won.get("low"), "margin_high": won.get("high")}
            writer.writerow(
                {**row, **lists, **ends, "table": table["label"], **by, "place_from": first, "place_to": last}
            )
    return out.getvalue()


def print_standings(of: Standings, console: Console, *, full: bool = False) -> None:
    """Print every table, and its notes. With `full`, everything that the JSON has."""
    for table in of.all_tables:
        console.print(_fitting(table, of.league, console))
        for note in _notes(table):
            console.print(Text(f"  {plain(note)}"))
        for asked in of.models:
            if asked.used.contest == table.label:
                console.print(Text(f"  {plain(asked.line())}"))
        if full:
            print_details(table, console)
    for night in of.nights:
        console.print(Text(_night(night)))
    told = {bot for table in of.all_tables for bot in table.withdrawn}
    for decision in of.decisions:
        if decision.kind != WITHDRAW or decision.about not in told:
            console.print(Text(plain_block(_decision(decision))))
    if not full and any(table.rows for table in of.all_tables):
        console.print(Text(MORE))


def _night(night: SeasonNight) -> str:
    left_out = "".join(f"; {label} was played otherwise then, and does not count" for label in night.left_out)
    return f"Night {night.number}, {night.file}: {night.counted} matches{left_out}"


def _decision(note: Note) -> str:
    why = f": {note.why}" if note.why else ""
    return {
        PAUSE: f"The night is paused{why}",
        ADD: f"{note.about} was added after the night had begun",
        WITHDRAW: f"{note.about} was {note.why}",
        ANNUL: f"Match {note.about} was annulled, and its deal in the other seatings with it{why}",
        REPLAY: f"Match {note.about} was to be played again, and counts as it was then{why}",
        REDEAL: f"For the sake of {note.about} {note.why}. Each was played again on a fresh deal, by fresh processes",
        BROKEN: f"{note.about} was left out{why}",
    }[note.kind]


def _fitting(table: ContestTable, league: str, console: Console) -> Grid:
    """The columns that fit the terminal."""
    columns = [*_COLUMNS]
    if all(row.ranks is None for row in table.rows):
        columns.remove(PLACES)
    if all(table.margin(row.bot) is None for row in table.rows):
        columns.remove(MARGIN)
    narrower = [column for column in DISPENSABLE if column in columns]
    unbounded, out = console.options.update(width=1000), list[str]()
    while console.measure(grid := _grid(table, league, columns), options=unbounded).maximum > console.width:
        if not narrower:
            break
        out.append(narrower.pop(0))
        columns.remove(out[-1])
    if out:
        grid.caption, grid.caption_justify = f"No room for: {' | '.join(out)}", "left"
    return grid


def _grid(table: ContestTable, league: str, columns: Sequence[str]) -> Grid:
    by = ", in the order of margins" if table.ordered_by == "points" else ""
    grid = Grid(title=Text(plain(f"{league}: {table.label}{by}")), title_justify="left", title_style="bold")
    for heading in columns:
        grid.add_column(heading, justify=_COLUMNS[heading])  # type: ignore[arg-type]  # rich's literals
    for place, row in enumerate(table.rows):
        cells = _cells(table, place, row)
        grid.add_row(*(cells[heading] for heading in columns))
    return grid


def _cells(table: ContestTable, place: int, row: Rating) -> dict[str, str]:
    better, conduct = table.better_chance(place), table.conduct.get(row.bot, Conduct())
    cells = (
        str(table.place(place)),
        f"{row.bot} (unfenced)" if row.bot in table.unfenced else row.bot,
        row.text,
        _interval(row),
        _places(row),
        "" if table.better_than_next(place) is None else chance(better),
        "" if (margin := table.margin(row.bot)) is None else f"{margin.mean:+z.1f}",
        f"{row.points / row.matches:.1%}" if row.matches else "",
        " ".join("-" if points is None else f"{points:.0%}" for points in row.points_by_seat),
        str(row.matches),
        ", ".join(f"{count} {kind}" for kind, count in sorted(conduct.faults.items())) or "none",
        _milliseconds(conduct.quantile_ms(0.5)),
        _milliseconds(conduct.quantile_ms(0.99)),
    )
    return dict(zip(_COLUMNS, cells, strict=True))


def _notes(table: ContestTable) -> list[str]:
    notes = [f"{table.counted} matches"]
    if table.scheduled != table.counted:
        notes = [f"{table.counted} of {table.scheduled} matches counted"]
    if table.waiting and table.contest is not None:
        notes.append(f"{table.waiting} more were played and count when their deals are complete")
    if table.for_nobody and table.contest is not None:
        notes.append(f"{table.for_nobody} more count for nobody: a bot of theirs was withdrawn too early")
    if isinstance(table.ratings, Overall):
        notes += _over_games(table.ratings, table.rated)
    if isinstance(table.ratings, Ratings):
        notes += margin_lines(table)
        notes += circle_lines(table.ratings) + upset_lines(table.ratings, [row.bot for row in table.rows])
    same = {row.bot: table.same_as(row.bot) for row in table.rows}
    notes += [f"{bot} has the same files as {best}, so it has its place" for bot, best in same.items() if best]
    if table.beyond:
        notes.append(f"{table.beyond} more were played after that and are kept, but not counted")
    if table.verdict is not None:
        notes += verdict_lines(table.verdict)
    if table.winner is not None:
        notes.append(f"{table.winner} has won it; the order is that of the bracket")
    for number, played in enumerate(table.rounds, 1):
        notes += [f"round {number}: {line}" for line in round_lines(played)]
    notes += [f"{bot} was {why}" for bot, why in sorted(table.withdrawn.items())]
    if table.contest is not None:
        for bot, conduct in sorted(table.conduct.items()):
            for kind, (match, sentence) in sorted(conduct.first_faults.items()):
                notes.append(f"{bot}, {kind}, first in match {match}: {sentence}")
            if conduct.out_of_turn_us >= WORTH_A_NOTE_US:
                notes.append(f"{bot} computed for {conduct.out_of_turn_us / 1e6:.1f} s while it was not its turn")
    return notes


def _over_games(ratings: Overall, rated: Collection[str]) -> list[str]:
    """The note on the overall rating, and on bots without one."""
    notes = [f"the mean of the Elo in {', '.join(ratings.games)}, each with the same weight"]
    for game, bots in ratings.short.items():
        short = {bot: deals for bot, deals in bots.items() if bot in rated}
        if short:
            who = ", ".join(sorted(short)) if len(short) < len(rated) else "any bot"
            wanted = f"it takes {max(short.values())} more deals of each"
            notes.append(f"{game} has too few deals yet for an interval of {who} here: {wanted}")
    missing = [(bot, games) for bot, games in sorted(ratings.missing.items()) if bot in rated]
    return notes + [f"{bot} has no overall rating: it has none in {', '.join(games)}" for bot, games in missing]


def circle_lines(ratings: Ratings) -> list[str]:
    """Notes on results that fit no order.

    There are none if luck alone may explain the results.
    """
    found = ratings.circles
    if found is None or not found.found:
        return []
    if found.circle:
        a, b, c = found.circle
        return [f"{a} beats {b}, {b} beats {c}, {c} beats {a}: no order of these three is the whole story"]
    return ["some bots do better or worse against others than their Elos say: standings --full, head to head"]


def upset_lines(ratings: Ratings, order: Sequence[str]) -> list[str]:
    """The pairs whose lower bot is better head to head.

    Their own deals contradict the order of the table.
    """
    place = {bot: at for at, bot in enumerate(order)}
    upsets = [
        met
        for met in ratings.meetings
        if met.score < 0.5
        and met.ahead >= CERTAIN
        and {met.a, met.b} <= place.keys()
        and place[met.a] < place[met.b]
        and (ratings.difference(met.a, met.b).better or 1.0) <= 0.5
    ]
    lines = [
        f"{met.a} stands above {met.b}, but against each other {met.b} has {1 - met.score:.1%} of {met.matches} matches"
        for met in upsets[:MOST_UPSETS]
    ]
    more = len(upsets) - len(lines)
    return lines + ([f"so it is with {more} more pairs: standings --full, head to head"] if more else [])


def gate_lines(gate: Gate) -> list[str]:
    """The lines printed after a round, or after a look at the table."""
    part, label = gate.part, gate.part.label
    if gate.adaptive and part.verdicts:
        return [f"{label}: {line}" for line in verdict_lines(part.verdicts[-1])]
    if gate.look is not None and part.verdicts:
        return [f"{label}: {line}" for line in verdict_lines(part.verdicts[-1])[:1]]
    if gate.played is not None:
        number = part.rounds.index(gate.played) + 1
        return [f"{label}: round {number}: {line}" for line in round_lines(gate.played)]
    return []


def verdict_lines(verdict: Verdict) -> list[str]:
    """The result of a look at the table, and the open pairs."""
    after = f"after {verdict.deals} deals of every combination"
    if verdict.round:
        after = f"after round {verdict.round}, with {verdict.total} deals in all,"
    if verdict.settled:
        return [f"settled {after.rstrip(',')}"]
    open_pairs = [pair for pair in verdict.pairs if not pair.decided]
    decided = f"{after} {len(verdict.pairs) - len(open_pairs)} of {len(verdict.pairs)} neighbours are decided"
    if verdict.last or not any(pair.is_open for pair in open_pairs):
        return [decided, *(f"{pair.better} and {pair.worse}: not decided" for pair in open_pairs)]
    if verdict.round:
        return [decided.rstrip(","), *map(_adaptive_pair, open_pairs)]
    needed = verdict.deals_needed
    still = "more than max_deals" if needed is None else f"about {needed}"
    return [f"{decided}; for all it takes {still}", *map(_open_pair, open_pairs)]


def _adaptive_pair(pair: PairVerdict) -> str:
    if pair.given_up:
        return f"{pair.better} and {pair.worse}: not decided, and max_deals would hardly decide them"
    needed = "perhaps more than max_deals" if pair.more is None else f"about {pair.more} more deals"
    return f"{pair.better} and {pair.worse}: not decided yet, it takes {needed}"


def _open_pair(pair: PairVerdict) -> str:
    needed = "more than max_deals" if pair.deals_needed is None else f"about {pair.deals_needed} deals"
    return f"{pair.better} and {pair.worse}: not decided yet, it takes {needed}"


def round_lines(played: PlayedRound) -> list[str]:
    """The tables of a round, and the bots that go on."""
    points = played.points

    def shown(bot: str) -> str:
        return bot if points is None else f"{bot} {100 * points.get(bot, 0.0):.0f} %"

    lines = [", ".join("-".join(map(shown, sorted(table, key=_by(points)))) for table in played.round.tables)]
    if played.round.byes:
        lines.append(f"{', '.join(played.round.byes)} sat it out")
    if played.through:
        lines.append(f"{', '.join(played.through)} {'wins' if len(played.through) == 1 else 'go on'}")
    if played.by_seed:
        lines.append(f"the seed decided for {', '.join(played.by_seed)}")
    return ["; ".join(lines)]


def _by(points: Mapping[str, float] | None) -> Callable[[str], float]:
    return lambda bot: -(points or {}).get(bot, 0.0)


def _interval(row: Rating) -> str:
    if row.note:
        return row.note
    if row.bound or row.low is None or row.high is None:
        return ""
    return f"{row.low:.0f} to {row.high:.0f}"


def _places(row: Rating) -> str:
    """`2 to 4`, or `2` if it is certain."""
    if row.ranks is None:
        return ""
    first, last = row.ranks
    return str(first) if first == last else f"{first} to {last}"


def _milliseconds(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.2f} ms" if value < 10 else f"{value:.0f} ms"
