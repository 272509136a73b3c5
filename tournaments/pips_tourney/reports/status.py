"""The state of a night: progress, remaining time, absent bots, decisions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final

from pips_tourney.league.entries import BotEntry
from pips_tourney.night.log.kinds import DIRECTORS, VOID
from pips_tourney.night.log.store import Store, runner_of
from pips_tourney.night.night import last_night
from pips_tourney.night.plan.decisions import Decisions, Note
from pips_tourney.night.plan.fixtures import fixtures
from pips_tourney.night.plan.programme import Entrant, Programme
from pips_tourney.night.plan.stages import hangs
from pips_tourney.people.presence import GuestNote, noted_guests

RECENT: Final = timedelta(minutes=5)
"""The results in this last stretch of time determine the pace."""


@dataclass(frozen=True, slots=True)
class ContestProgress:
    """The progress of one contest of the night."""

    label: str
    scheduled: int
    played: int


@dataclass(frozen=True, slots=True)
class Status:
    """The content of `pips-tourney status`.

    `state` is playing, paused, complete or stopped.
    """

    league: str
    database: str
    state: str
    runner: str | None
    """The process that plays the night."""
    contests: tuple[ContestProgress, ...]
    last_result: str | None
    """When the last result was stored, UTC."""
    minutes_left: float | None
    """At the recent pace. None if no process plays, or nothing is left."""
    faults: dict[str, int]
    """The number of faults by bot."""
    voids: int
    decisions: tuple[Note, ...]
    """The decisions in force."""
    history: tuple[dict[str, Any], ...]
    """All decisions ever made, with their times."""
    to_come: tuple[str, ...] = ()
    """Bots that were added, and play from the next run on."""
    more: int | None = None
    """How many matches these bots add, unless results decide that."""
    head: str = ""
    """The head of the database's chain, in hexadecimal. Empty if there is none yet."""
    guests: tuple[GuestNote, ...] = ()
    """Bots on other machines, while their night is hosted."""

    @property
    def scheduled(self) -> int:
        return sum(contest.scheduled for contest in self.contests)

    @property
    def played(self) -> int:
        return sum(contest.played for contest in self.contests)

    def as_json(self) -> dict[str, Any]:
        whole = asdict(self) | {"scheduled": self.scheduled, "played": self.played}
        whole["guests"] = [guest._asdict() for guest in self.guests]
        return whole | {"decisions": [note._asdict() for note in self.decisions]}

    def lines(self) -> Iterator[str]:
        """The status, as lines for a reader."""
        by = f" by process {self.runner}" if self.runner else ""
        yield f"{self.league}: {self.state}{by}, {self.played} of {self.scheduled} matches played"
        if self.to_come:
            matches = "their matches" if self.more is None else f"{self.more} more matches"
            yield f"The next run plays {matches}, of {', '.join(self.to_come)}"
        for contest in self.contests if len(self.contests) > 1 else ():
            yield f"  {contest.label}: {contest.played} of {contest.scheduled}"
        if self.last_result is not None:
            left = "" if self.minutes_left is None else f"; about {self.minutes_left:.1f} minutes are left"
            yield f"The last result came at {self.last_result[:19].replace('T', ' ')} UTC{left}"
        if self.head:
            yield f"The head of its chain is {self.head}"
        for here, word in ((True, "Guests here"), (False, "Guests not here")):
            if some := [guest.text for guest in self.guests if guest.here is here]:
                yield f"{word}: {', '.join(some)}"
        if self.faults:
            yield "Faults: " + ", ".join(f"{count} of {bot}" for bot, count in self.faults.items())
        if self.voids:
            yield f"{self.voids} matches were spoilt by the machine and played again"
        for entry in self.history:
            about = entry.get("bot") or entry.get("match") or ""
            about = about.get("name", "") if isinstance(about, dict) else about
            undone = " (undone)" if entry["kind"] == "replay" and not entry["attempt"] else ""
            reason = f": {entry['reason']}" if entry.get("reason") else ""
            what = " ".join(filter(None, [entry["kind"], about]))
            yield f"  {entry['at'][:19].replace('T', ' ')} {what}{undone}{reason}"
        yield from (f"  left out: {note.about}: {note.why}" for note in self.decisions if note.kind == "broken")


def status_of(store: Store) -> Status:
    """The status of the night in a database. `StoreError` if no night has begun."""
    night = last_night(store)
    decisions, runner = night.decisions(), runner_of(store.path)
    scheduled: Counter[str] = Counter({contest.label: 0 for contest in night.programme.contests})
    played: Counter[str] = Counter()
    faults: Counter[str] = Counter()
    for fixture, row in night.kept():
        scheduled[fixture.contest.label] += 1
        if row is not None:
            played[fixture.contest.label] += 1
            faults.update(fixture.seating[fault.seat] for fault in row.seat_faults)
    left = scheduled.total() - played.total()
    to_come = _to_come(night.programme, decisions)
    times = sorted(at for _, at in store.arenas().values())
    if decisions.paused is not None and left:
        state = "paused"
    else:
        state = "complete" if not left and not to_come else "stopped" if runner is None else "playing"
    contests = tuple(ContestProgress(label, count, played[label]) for label, count in scheduled.items())
    pace = _pace_per_minute(times) if state == "playing" else None
    history = [{"at": entry.at, "kind": entry.kind, **entry.payload} for entry in store.log(*DIRECTORS, "absent")]
    return Status(
        night.programme.league, str(store.path), state, runner, contests, times[-1] if times else None,
        None if pace is None else round(left / pace, 1), dict(sorted(faults.items())), len(store.log(VOID)),
        tuple(decisions.notes()), tuple(history), tuple(to_come), _more(night.programme, to_come) if to_come else None,
        store.head(), noted_guests(store.path) if runner is not None else (),
    )  # fmt: skip


def _to_come(programme: Programme, decisions: Decisions) -> dict[str, list[str]]:
    """By bot added since the night's last begin: the games that it plays."""
    known = {entrant.name for entrant in programme.entrants}
    games = sorted({contest.game for contest in programme.contests})
    return {
        name: [game for game in games if BotEntry.model_validate(entry).plays(game)]
        for name, entry in sorted(decisions.added.items())
        if name not in known and name not in decisions.out
    }


def _more(programme: Programme, to_come: Mapping[str, Sequence[str]]) -> int | None:
    """How many more matches these bots add."""
    if any(map(hangs, programme.contests)):
        return None
    new = tuple(Entrant(name, dict.fromkeys(games, "")) for name, games in to_come.items())
    with_them = replace(programme, entrants=(*programme.entrants, *new))
    return sum(1 for _ in fixtures(with_them)) - sum(1 for _ in fixtures(programme))


def _pace_per_minute(times: list[str]) -> float | None:
    """The recent number of results a minute."""
    if not times:
        return None
    last = datetime.fromisoformat(times[-1])
    recent = [at for at in map(datetime.fromisoformat, times) if last - at <= RECENT]
    seconds = (last - recent[0]).total_seconds()
    return 60 * len(recent) / seconds if seconds > 0 else None
