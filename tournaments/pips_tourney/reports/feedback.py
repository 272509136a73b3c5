"""A night's feedback for each author: place, opponents, faults, replays, next steps.

A page tells only what its bot did and saw. It has no paths, none of the director's
reasons, and no match whose deal is still being played.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Final, NamedTuple

from pips_referee.errors import RecordError
from pips_referee.match import Fault
from pips_referee.printable import plain
from pips_referee.records.record import read_record
from pips_referee.records.replay import fault_text, get_text
from pips_tourney.night.log.kinds import BROKEN
from pips_tourney.night.log.store import Row, StoreError
from pips_tourney.night.night import CHUNK, Night, chunks
from pips_tourney.night.plan.decisions import BY_DIRECTOR
from pips_tourney.night.plan.results import Conduct
from pips_tourney.night.table.tables import ContestTable, Standings
from pips_tourney.ratings.table import Rating, Ratings
from pips_tourney.reports.explain import fault_lines, faulty_steps, was_put
from pips_tourney.reports.own_records import SHORT, SUFFIX, OwnRecord, own_record, without_folders

BotRows = Mapping[str, list[Row]]
LISTED: Final = 3
"""How many opponents of each kind, and how many replays, are listed."""
SURE: Final = 0.95
_Z: Final = 1.959964


class FeedbackPart(NamedTuple):
    """A heading with its section."""

    heading: str
    lines: tuple[str, ...]
    shown: tuple[str, ...] = ()
    """Preformatted lines: a question, a command."""
    records: tuple[OwnRecord, ...] = ()
    """The records of the matches that its commands name, contained in the page."""


@dataclass(frozen=True, slots=True)
class Feedback:
    """The page of one bot."""

    bot: str
    league: str
    sections: tuple[FeedbackPart, ...]


class _Against(NamedTuple):
    """A bot's results against one other bot."""

    other: str
    score: float
    matches: int
    deals: int
    expected: float | None
    sure: bool
    """Whether their own deals show, at the level `SURE`, which bot is ahead."""

    @property
    def text(self) -> str:
        low, high = wilson(self.score, self.deals)
        line = f"{self.other}: {self.score:.0%} of the points ({low:.0%} to {high:.0%}) in {self.matches} matches"
        return line + ("" if self.expected is None else f"; the ratings of both say {self.expected:.0%}")


def wilson(share: float, deals: int) -> tuple[float, float]:
    """The 95 % interval of a mean score, from 0 to 1.

    Wilson, "Probable inference, the law of succession, and statistical inference", JASA
    22 (1927), page 210. `deals` is used as the number of trials. The mean score of a
    deal varies no more than one trial with the same chance, so the interval is not too
    narrow.
    """
    n = max(1, deals)
    middle, half = share + _Z * _Z / (2 * n), _Z * sqrt(share * (1 - share) / n + _Z * _Z / (4 * n * n))
    whole = 1 + _Z * _Z / n
    return max(0.0, (middle - half) / whole), min(1.0, (middle + half) / whole)


def feedback(
    night: Night, of: Standings, bots: Iterable[str] | None = None, seen: Mapping[str, BotRows] | None = None
) -> Iterator[Feedback]:
    """A page for each rated bot, and for each bot that could not be played.

    `bots` limits the pages to these; `seen` is the result of `seen_in`. Raises
    `StoreError` for a bot that is not in the night.
    """
    names = [entrant.name for entrant in night.programme.entrants if entrant.rated]
    left_out = {note.about: note.why for note in of.decisions if note.kind == BROKEN and note.about not in names}
    wanted = {*names, *left_out} if bots is None else set(bots)
    if unknown := sorted(wanted - {*names, *left_out}):
        raise StoreError(f"there is no bot {unknown[0]} in this night; there are {', '.join([*names, *left_out])}")
    seen = seen_in(night, of) if seen is None else seen
    for bot in (name for name in names if name in wanted):
        sections = [section for table in of.tables for section in _of_table(night, table, bot, seen[table.label])]
        yield Feedback(bot, of.league, (*_of_overall(of, bot), *sections))
    for bot in (name for name in left_out if name in wanted):
        why = FeedbackPart("It did not play", (without_folders(left_out[bot]),))
        check = FeedbackPart(
            "What to try next", ("Check it on your own machine, fix it, and hand it in again:",), (CHECK,)
        )
        yield Feedback(bot, of.league, (why, check))


CHECK: Final = "pips-bot check MY_BOT"
AGAIN: Final = "The same question again, with the record that this page carries and your bot in place of MY_BOT"
LATER: Final = "When the night is over, its page carries the record: others still play the same deal."
TAKEN_OUT: Final = "taken out of the night. The organiser can say why"
WATCH: Final = "With the records that this page carries"


def seen_in(night: Night, of: Standings) -> Mapping[str, BotRows]:
    """By table and bot, its matches that count."""
    return {table.label: _seen(night, table) for table in of.tables}


def _seen(night: Night, table: ContestTable) -> BotRows:
    found: dict[str, list[Row]] = {}
    for chunk in chunks(table.ids, CHUNK):
        rows = night.look_up(chunk)
        for match in chunk:
            for bot in set(rows[match].bots):
                found.setdefault(bot, []).append(rows[match])
    return found


def _of_overall(of: Standings, bot: str) -> Iterator[FeedbackPart]:
    if of.overall is not None:
        yield FeedbackPart("Over all games", tuple(_place(of.overall, bot)))


def _of_table(night: Night, table: ContestTable, bot: str, seen: BotRows) -> Iterator[FeedbackPart]:
    if table.contest is not None and bot not in {*seen, *table.conduct, *table.withdrawn}:
        return
    yield FeedbackPart(f"{table.label}: the place", tuple(_place(table, bot)))
    against = _opponents(table, bot)
    if against:
        yield from _good_and_bad(table.label, against)
    conduct = table.conduct.get(bot, Conduct())
    for kind, count in sorted(conduct.faults.items(), key=lambda fault: -fault[1]):
        yield _of_fault(night, table, bot, kind, count)
    rows = seen.get(bot, [])
    if rows:
        yield _replays(night, table, bot, rows)
    yield _next(table, bot, conduct, against)


def _place(table: ContestTable, bot: str) -> Iterator[str]:
    if (why := table.withdrawn.get(bot)) is not None:
        by_director = why.startswith(BY_DIRECTOR)
        yield f"It was {TAKEN_OUT if by_director else without_folders(why.rstrip(' .;'))}."
    rows = table.rows
    at = next((number for number, row in enumerate(rows) if row.bot == bot), None)
    if at is None:
        yield "Nothing counts for it yet."
        return
    row = rows[at]
    yield f"Place {table.place(at)} of {len(rows)}{_between(row)}."
    yield _elo(row)
    if row.matches:
        share = row.points / row.matches
        yield f"{row.points:.1f} points from {row.matches} matches ({share:.0%}), in {row.deals} deals."


def _between(row: Rating) -> str:
    if row.ranks is None:
        return "; how sure that is, is not known yet"
    first, last = row.ranks
    return f", and with 95 % truly at {first}" if first == last else f", and with 95 % truly between {first} and {last}"


def _elo(row: Rating) -> str:
    if row.low is None or row.high is None:
        who = "it has" if row.points in (0, row.matches) else "it and others have, against the rest,"
        return f"Elo {row.text}: {row.note or f'a bound alone, for {who} won or lost everything'}."
    return f"Elo {row.text}, with 95 % between {row.low:.0f} and {row.high:.0f}."


def _opponents(table: ContestTable, bot: str) -> list[_Against]:
    """The bot's results against every other bot, best first."""
    ratings, found = table.ratings, []
    if not isinstance(ratings, Ratings):
        return []
    for met in ratings.meetings:
        if bot in (met.a, met.b):
            first = met.a == bot
            score = met.score if first else 1 - met.score
            expected = met.expected if first or met.expected is None else 1 - met.expected
            other = met.b if first else met.a
            found.append(_Against(other, score, met.matches, met.deals, expected, met.ahead >= SURE))
    return sorted(found, key=lambda against: (-against.score, against.other))


def _good_and_bad(label: str, against: list[_Against]) -> Iterator[FeedbackPart]:
    good = [each for each in against if each.score > 0.5 and each.sure][:LISTED]
    bad = [each for each in reversed(against) if each.score < 0.5 and each.sure][:LISTED]
    for what, listed in (("it does well", good), ("it does badly", bad)):
        lines = tuple(each.text for each in listed)
        nobody = "Its results say this of nobody with 95 %."
        yield FeedbackPart(f"{label}: against whom {what}", lines or (nobody,))


def _of_fault(night: Night, table: ContestTable, bot: str, kind: str, count: int) -> FeedbackPart:
    """The first fault of a kind, if its deal is over, and the command to repeat it."""
    match, sentence = table.conduct[bot].first_faults[kind]
    heading = f"{table.label}: lost by {kind}, {count} {'match' if count == 1 else 'matches'}"
    row = night.store.rows([match]).get(match)
    if row is None:
        return FeedbackPart(heading, (without_folders(sentence),))
    try:
        record = read_record(row.record)
    except RecordError as error:
        raise StoreError(f"{night.store.path}: the record of {match} cannot be read: {error}") from None
    text = get_text(record.header.game.name)
    for step, reply, fault in faulty_steps(record):
        if (row.bots[fault.seat], fault.kind.value) == (bot, kind):
            shown = list(fault_lines(text, step, reply, fault))
            said = f"The first one, match {match[:SHORT]}, question {fault.question}: {fault_text(fault)}"
            told = (without_folders(said),)
            if not was_put(step, fault):
                return FeedbackPart(heading, told, tuple(map(without_folders, shown)))
            if not night.is_ended():
                return FeedbackPart(heading, (*told, LATER), tuple(map(without_folders, shown)))
            again = ("", f"{AGAIN}:", _situation(night, match, fault))
            here = own_record(match, row.record, fault.seat)
            return FeedbackPart(heading, told, (*map(without_folders, shown), *again), (here,))
    return FeedbackPart(heading, (without_folders(sentence),))


def _situation(night: Night, match: str, fault: Fault) -> str:
    """The command that repeats the question of a fault, with the same luck."""
    luck = night.secret.rng_seed(match, fault.seat).hex()
    where = f"--seat {fault.seat} --question {fault.question} --luck {luck}"
    return f"pips-bot ask {match[:SHORT]}{SUFFIX} MY_BOT {where}"


def _replays(night: Night, table: ContestTable, bot: str, rows: list[Row]) -> FeedbackPart:
    """The closest match, the loss to the weakest bot, the win against the strongest."""
    strength = {row.bot: -place for place, row in enumerate(table.rows)}
    clean = [row for row in rows if row.faults == "[]"] or rows

    def others(row: Row) -> int:
        return max((strength.get(other, -len(strength)) for other in row.bots if other != bot), default=0)

    def place(row: Row) -> int:
        return row.seat_places[row.bots.index(bot)]

    lost, won = [row for row in clean if place(row) > 1], [row for row in clean if place(row) == 1]
    chosen: dict[str, str] = {}
    if lost:
        chosen[min(lost, key=others).id] = "lost to the weakest"
    if won:
        chosen.setdefault(max(won, key=others).id, "won against the strongest")
    for row in sorted(clean, key=lambda row: _gap(row, bot)):
        if len(chosen) < LISTED:
            chosen.setdefault(row.id, "a close one")
    by_id = {row.id: row for row in clean}
    heading, shown = f"{table.label}: worth watching", []
    if not night.is_ended():
        told = (f"{why}: against {_others(by_id[match], bot)}, match {match[:SHORT]}" for match, why in chosen.items())
        return FeedbackPart(heading, (LATER,), tuple(map(plain, told)))
    for match, why in chosen.items():
        shown += [f"{why}: against {_others(by_id[match], bot)}", f"pips-tourney replay {match[:SHORT]}{SUFFIX}"]
    kept = night.store.rows(list(chosen))  # the rows of `look_up` have no records
    records = tuple(own_record(match, kept[match].record, by_id[match].bots.index(bot)) for match in chosen)
    return FeedbackPart(heading, (f"{WATCH}:",), tuple(map(plain, shown)), records)


def _others(row: Row, bot: str) -> str:
    return ", ".join(other for other in row.bots if other != bot)


def _gap(row: Row, bot: str) -> int:
    """How far the bot's score is from the nearest other score."""
    seat = row.bots.index(bot)
    own = row.seat_scores[seat]
    return min((abs(own - score) for at, score in enumerate(row.seat_scores) if at != seat), default=0)


def _next(table: ContestTable, bot: str, conduct: Conduct, against: list[_Against]) -> FeedbackPart:
    lines, shown = [], []
    if conduct.faults:
        kind, count = conduct.faults.most_common(1)[0]
        lines.append(f"Fix {kind} first: it cost {count} matches, whatever the bot knows of the game.")
        shown.append(CHECK)
    worse = [each for each in against if each.expected is not None and each.sure and each.score < each.expected]
    if worse:
        most = min(worse, key=lambda each: each.score - (each.expected or 0))
        lines.append(f"Watch it lose to {most.other}: there it does worst of all, measured by the ratings.")
    places = {row.bot: table.place(at) for at, row in enumerate(table.rows)}
    if others := [name for name, place in places.items() if place < places.get(bot, 0)]:
        above = others[-1]
        chance = table.better_chance([*places].index(above))
        sure = "" if chance is None else f"; that {above} is the better one has a probability of {chance:.0%}"
        lines.append(f"The next one above is {above}{sure}.")
    lines.append("Keep the old version, change one thing, and ask whether the new one is better:")
    shown.append("pips-bot compare MY_BOT OLD_BOT")
    return FeedbackPart(f"{table.label}: what to try next", tuple(lines), tuple(shown))
