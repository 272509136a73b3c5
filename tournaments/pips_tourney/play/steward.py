"""Looks after a night while it is played.

It notices decisions, ends the night in time, and leaves out bots that are absent.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Final

from pips_tourney.arena.starting import StartFailure
from pips_tourney.bots.process_name import ProcessName
from pips_tourney.engines.match_queue import MatchQueue
from pips_tourney.league.file import LeagueFile
from pips_tourney.night.log.kinds import ABSENT, BROKEN, DIRECTORS, REDEAL, UNFENCED
from pips_tourney.night.log.store import Store
from pips_tourney.night.night import Night

POLL_S: Final = 1.0
"""How often the log is read for decisions."""
LONGEST_REASON: Final = 400
MOST_BARREN: Final = 5
"""So many parts of a run without a result are enough for matches that stay void."""


@dataclass(slots=True)
class Steward:
    """Watches for decisions and for the end of the time.

    `clock` is in seconds. `heard` is whether the director has decided something since
    the last `begin`.
    """

    store: Store
    minutes: float | None = None
    clock: Callable[[], float] = monotonic
    poll_s: float = POLL_S
    heard: bool = False
    in_vain: str = ""
    _known: int = 0
    _results: int = 0
    _barren: int = 0
    _ends_at: float = field(init=False)

    def __post_init__(self) -> None:
        self._ends_at = float("inf") if self.minutes is None else self.clock() + 60 * self.minutes

    @property
    def in_time(self) -> bool:
        return self.clock() < self._ends_at

    def begin(self) -> None:
        """Start anew: all that was decided until now is known."""
        self.heard, self.in_vain, self._known = False, "", self.store.last(*DIRECTORS, REDEAL)

    async def watch(self, queue: MatchQueue) -> None:
        """Close the queue when something was decided.

        When the time is up, let it finish its deals.
        """
        while not self.look():
            if not self.in_time:
                queue.finish()
            await asyncio.sleep(self.poll_s)
        queue.close()

    async def wait(self) -> None:
        """Wait until something was decided or the time is up."""
        while not self.look() and self.in_time:  # noqa: ASYNC110 - another process writes it
            await asyncio.sleep(self.poll_s)

    def look(self) -> bool:
        """Whether something was decided since `begin`."""
        self.heard = self.heard or self.store.last(*DIRECTORS) > self._known
        return self.heard

    def is_redealt(self, results: int) -> bool:
        """Whether a block was dealt afresh since `begin`, and is to be played now.

        `results` counts those of the run. Where one part after another brings none, the
        block waits for the next run, and `in_vain` says why.
        """
        if self.store.last(REDEAL) <= self._known:
            return False
        self._barren = 0 if results > self._results else self._barren + 1
        self._results = results
        if self._barren < MOST_BARREN:
            return True
        why = self.store.log(REDEAL)[-1].payload["reason"]
        self.in_vain = f"Matches are void again and again: {why}. Put that right, and run the night again"
        return False


def leave_out(night: Night, failures: Sequence[StartFailure], optional: Collection[str]) -> list[tuple[str, str]]:
    """Play on without optional bots that did not start.

    Returns, in words, which bot is left out of what, and why.

    No bot is left out if fewer would remain than a table has seats: then the night
    cannot go on.
    """
    absent: dict[str, dict[str, str]] = defaultdict(dict)
    for failure in failures:
        process = ProcessName.parse(failure.process)
        if process.bot in optional:
            absent[process.bot][process.contest] = _reason(failure)
    if not any(_enough(night, label, absent) for label in (contest.label for contest in night.programme.contests)):
        return []
    prints = {entrant.name: dict(entrant.fingerprints) for entrant in night.programme.entrants}
    told = []
    for bot, reasons in absent.items():
        played = night.complete_deals(bot)
        why = "; ".join(f"{contest}: {reason}" for contest, reason in reasons.items())
        if len(night.programme.contests) == 1:
            (why,) = reasons.values()
        entry = {
            "bot": bot,
            "reason": why,
            "deals": {contest: played[contest] for contest in reasons},
            "among": sorted(prints),
            "fingerprints": prints[bot],
        }
        night.store.append(ABSENT, entry)
        told.append((bot, why))
    return told


def _enough(night: Night, label: str, absent: Mapping[str, Mapping[str, str]]) -> bool:
    (contest,) = (contest for contest in night.programme.contests if contest.label == label)
    out = {*night.decisions().out_of(label), *(bot for bot in absent if label in absent[bot])}
    return sum(player.name not in out for player in night.programme.players(contest)) >= contest.seats


def _reason(failure: StartFailure) -> str:
    """How a bot failed and what it printed, in a line; of a traceback the last line."""
    lines = [line.strip() for line in failure.last_output.splitlines() if line.strip(" ^\n")]
    if any(line.startswith("Traceback") for line in lines):
        lines = lines[-1:]
    return ": ".join([failure.how, *filter(None, ["; ".join(lines)])])[:LONGEST_REASON]


def note_broken(night: Night, broken: Mapping[str, str]) -> None:
    """Note which bots of the league file are broken, if that is news."""
    if dict(broken) != night.decisions().broken:
        night.store.append(BROKEN, {"bots": dict(broken)})


def note_unfenced(night: Night, league: LeagueFile) -> None:
    """Note that the bots which play here do so without a fence, if that is news."""
    bots, on_trust_alone = {bot.name for bot in league.bots if not bot.remote}, not league.sandbox.unfenced
    known = night.decisions()
    if not known.unfenced.issuperset(bots) or known.on_trust_alone is not on_trust_alone:
        night.store.append(UNFENCED, {"bots": sorted(bots), "on_trust_alone": on_trust_alone})
