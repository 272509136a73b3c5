"""Bots that cannot play, and a night that goes on without them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from pips_tourney.arena.refusals import MOST_REFUSALS, MOST_STARTS, Refusals
from pips_tourney.arena.starting import StartFailure
from pips_tourney.bots.process_name import ProcessName
from pips_tourney.night.log.kinds import ABSENT, BROKEN, REFUSED
from pips_tourney.night.night import Night
from pips_tourney.night.plan.follower import Follower
from pips_tourney.play.evening import Watcher
from pips_tourney.play.ledger import Ledger

LONGEST_REASON: Final = 400


@dataclass
class Absentees:
    """The bots that a machine cannot play in a session, and the bots left out."""

    night: Night
    watcher: Watcher
    ledger: Ledger
    lookout: Follower
    optional: Collection[str]
    """The bots without which the night may go on."""
    hinted: set[str] = field(default_factory=set)
    """Hints about bots that this run has already shown."""

    def do_without(self, failures: Sequence[StartFailure]) -> Sequence[StartFailure]:
        """Leave out optional bots that did not start; return the other failures."""
        left_out = dict(leave_out(self.night, failures, self.optional))
        self._learn(left_out)
        return [failure for failure in failures if ProcessName.parse(failure.process).bot not in left_out]

    def give_up(self, failure: StartFailure) -> None:
        """Leave out a bot that did not start several times in a row."""
        how = f"{failure.how}, {MOST_STARTS} starts in a row"
        bot = ProcessName.parse(failure.process).bot
        self._learn(dict(leave_out(self.night, [failure._replace(how=how)], [bot])))

    def _learn(self, left_out: Mapping[str, str]) -> None:
        tell_left_out(self.watcher, left_out)
        self.lookout.learn(self.night.decisions())

    def refusals(self) -> Refusals:
        """What the machine has refused each bot; the organiser is told at the limit."""
        logged = Counter(entry.payload["bot"] for entry in self.night.store.log(REFUSED))
        return Refusals(logged, self._refused)

    def _refused(self, bot: str, why: str, times: int) -> None:
        self.ledger.refused(bot, why)
        if times == MOST_REFUSALS:
            self.watcher.told(
                f"The machine has refused something to {bot} {MOST_REFUSALS} times ({why}): its matches were void, "
                "and played again. From now on that counts as the bot's fault"
            )

    def tell_hint(self, process: str, hint: str) -> None:
        """Show a hint once for each bot, however often the run begins."""
        if (line := f"{ProcessName.parse(process).bot}: {hint}") not in self.hinted:
            self.hinted.add(line)
            self.watcher.told(line)


def tell_left_out(watcher: Watcher, why: Mapping[str, str]) -> None:
    for bot, reason in why.items():
        watcher.told(f"{bot} is left out: {reason}")


def note_broken(night: Night, broken: Mapping[str, str]) -> None:
    """Log which bots of the league file are broken, if that has changed."""
    if dict(broken) != night.decisions().broken:
        night.store.append(BROKEN, {"bots": dict(broken)})


def leave_out(night: Night, failures: Sequence[StartFailure], optional: Collection[str]) -> list[tuple[str, str]]:
    """Play on without optional bots that did not start.

    Returns the bots that are left out, each with its reason. No bot is left out if too
    few would remain to fill a table of any contest: then the night cannot go on.
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
    """How a bot failed and what it printed, in a line; only the end of a traceback."""
    lines = [line.strip() for line in failure.last_output.splitlines() if line.strip(" ^\n")]
    if any(line.startswith("Traceback") for line in lines):
        lines = lines[-1:]
    return ": ".join([failure.how, *filter(None, ["; ".join(lines)])])[:LONGEST_REASON]
