"""The decisions in force, and the bots that the runner had to leave out.

This is a fold over a night's log, to which decisions are only ever added. Another entry
reverses a decision. The order in which results arrived does not matter, because an
entry itself says up to which deal matches count.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any, Final, NamedTuple

from msgspec import structs

from pips_tourney.night.log.kinds import ADD, ANNUL, BROKEN, PAUSE, REDEAL, REPLAY, RESTORE, WITHDRAW
from pips_tourney.night.log.store import Entry
from pips_tourney.night.plan.adaptive_rounds import AdaptiveRound, logged_round
from pips_tourney.night.plan.fixtures import ID_BYTES, Fixture
from pips_tourney.night.plan.programme import Programme
from pips_tourney.secret import canonical

BY_DIRECTOR: Final = "withdrawn by the tournament director"
"""The beginning of the reason for a bot's absence, if the director decided it."""
BY_AUTHOR: Final = "its author has withdrawn it"
BY_NEWER: Final = "its author handed in version"
"""How that reason continues if a place acted for the author."""


@dataclass(frozen=True, slots=True)
class Absence:
    """Why a bot no longer plays in some contests.

    It also has the number of its deals that count in each contest.
    """

    why: str
    deals: Mapping[str, int]
    """By contest. The bot still plays contests that are missing from the mapping."""
    among: frozenset[str]
    """The bots at the time of the absence. It has no matches against later ones."""


class Note(NamedTuple):
    """A decision in force: its kind, its subject (a bot or a match), its reason."""

    kind: str
    about: str
    why: str


@dataclass(slots=True)
class Decisions:
    """All decisions in force."""

    paused: str | None = None
    """Why the night is paused; None if it is not."""
    out: dict[str, Absence] = field(default_factory=dict)
    """Absences by bot."""
    annulled: dict[str, Note] = field(default_factory=dict)
    """Notes by block (the deal of a match in all its rotations)."""
    attempts: dict[str, int] = field(default_factory=dict)
    """By a match's id in the schedule, the number of the replay that counts."""
    replayed: dict[str, Note] = field(default_factory=dict)
    most_attempts: dict[str, int] = field(default_factory=dict)
    """By a match's id in the schedule, the highest number of a replay ever decided."""
    added: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Added bots by name, as entries of a league file."""
    redeals: dict[str, int] = field(default_factory=dict)
    """By block, how often it was dealt anew."""
    voids: dict[str, list[str]] = field(default_factory=dict)
    """By bot, the reasons why matches were void on its account."""
    rounds: dict[str, dict[int, AdaptiveRound]] = field(default_factory=dict)
    """By contest, the plans of its adaptive rounds, by number from 0."""
    broken: dict[str, str] = field(default_factory=dict)
    """Bots of the league file that cannot be played, with the reason."""
    unfenced: set[str] = field(default_factory=set)
    """Bots that have played on trust, without a fence."""
    on_trust_alone: bool = False
    """Whether `unfenced` bots played where a stranger's bot would have been refused."""
    _numbers: Mapping[str, int] = field(default_factory=dict)
    """Deals' numbers by name; filled only if some bot is absent from deals."""

    def current(self, fixture: Fixture) -> Fixture:
        """The current deal of a match in the schedule, or its replay."""
        if self.redeals:
            fixture = redealt(fixture, self.redeals.get(fixture.block, 0))
        return attempt(fixture, self.attempts.get(fixture.match_id, 0))

    def counting(self) -> dict[str, str]:
        """By the id of every attempt at a replayed match, the id that counts now."""
        return {
            attempt_id(first, number): attempt_id(first, self.attempts[first])
            for first, most in self.most_attempts.items()
            for number in range(most + 1)
        }

    def drops(self, fixture: Fixture) -> bool:
        """Whether a match is neither played nor counted."""
        if not (self.annulled or self.out):
            return False
        return fixture.block in self.annulled or any(self._absent(bot, fixture) for bot in fixture.seating)

    def _absent(self, bot: str, fixture: Fixture) -> bool:
        out = self.out.get(bot)
        if out is None:
            return False
        counted = out.deals.get(fixture.contest.label)
        return counted is not None and (
            self._numbers[fixture.deal.name] >= counted or not out.among.issuperset(fixture.combination)
        )

    def out_of(self, contest: str) -> dict[str, Absence]:
        """The absences from a contest, by bot.

        A bot that is absent only from other contests still plays this one.
        """
        return {bot: absence for bot, absence in self.out.items() if contest in absence.deals}

    def never(self, bot: str, contest: str) -> bool:
        """Whether a bot has no part in a contest at all."""
        return bot in self.out and self.out[bot].deals.get(contest) == 0

    def notes(self) -> Iterator[Note]:
        """The notes that are printed under the standings."""
        if self.paused is not None:
            yield Note(PAUSE, "", self.paused)
        yield from (Note(ADD, bot, "") for bot in sorted(self.added))
        for bot, why in sorted(self.voids.items()):
            yield Note(REDEAL, bot, f"{len(why)} {'match was' if len(why) == 1 else 'matches were'} void ({why[-1]})")
        yield from (Note(WITHDRAW, bot, out.why) for bot, out in sorted(self.out.items()))
        yield from sorted(self.annulled.values())
        yield from sorted(self.replayed.values())
        yield from (Note(BROKEN, bot, why) for bot, why in sorted(self.broken.items()))


def attempt(fixture: Fixture, number: int) -> Fixture:
    """The nth replay of a match.

    Deal and seats are the same; id and processes are new.
    """
    if not number:
        return fixture
    return structs.replace(fixture, match_id=attempt_id(fixture.match_id, number), attempt=number)


def redealt(fixture: Fixture, number: int) -> Fixture:
    """A match of the schedule on the nth fresh deal of its block.

    Seats are the same; luck, id and processes are new.
    """
    if not number:
        return fixture
    match = sha256(canonical(["redeal", fixture.match_id, number])).hexdigest()[: 2 * ID_BYTES]
    return structs.replace(fixture, match_id=match, redeal=number)


def attempt_id(first: str, number: int) -> str:
    """The id of a match's nth replay; `first` is its id in the schedule."""
    return sha256(canonical(["replay", first, number])).hexdigest()[: 2 * ID_BYTES] if number else first


def decide(entries: Iterable[Entry], programme: Programme) -> Decisions:
    """The decisions that these log entries put in force, for this programme."""
    made = Decisions()
    prints = {entrant.name: dict(entrant.fingerprints) for entrant in programme.entrants}
    for entry in _checked(entries):
        said, why = entry.payload, entry.payload.get("reason", "")
        match entry.kind:
            case "pause" | "resume":
                made.paused = why if entry.kind == PAUSE else None
            case "add":
                made.added[said["bot"]["name"]] = said["bot"]
            case "withdraw":
                made.out[said["bot"]] = Absence(f"{BY_DIRECTOR}: {why}", said["deals"], frozenset(said["among"]))
            case "reinstate":
                made.out.pop(said["bot"], None)
            case "annul" | "restore":
                _annul(made, said, why, undone=entry.kind == RESTORE)
            case "replay":
                _replay(made, said["match"], said["attempt"], why)
            case "absent" if prints.get(said["bot"]) == said["fingerprints"]:  # a bot that was changed is another bot
                _leave_out(made, said, why)
            case "redeal":
                _redeal(made, said, why)
            case "round":
                made.rounds.setdefault(said["contest"], {}).setdefault(said["round"], logged_round(said))
            case "broken" | "unfenced":
                _note_bots(made, entry)
    if not made.out:
        return made
    return replace(made, _numbers={deal.name: number for number, deal in enumerate(programme.deals)})


def _checked(entries: Iterable[Entry]) -> Iterator[Entry]:
    """The entries, each checked before it is used."""
    if not (listed := list(entries)):
        return
    from pips_tourney.night.log.entries import check_entry  # most nights have none when they begin

    for entry in listed:
        check_entry(entry)
        yield entry


def _annul(made: Decisions, said: Mapping[str, Any], why: str, *, undone: bool) -> None:
    made.annulled.pop(said["block"], None)
    if not undone:
        made.annulled[said["block"]] = Note(ANNUL, said["match"], why)


def _leave_out(made: Decisions, said: Mapping[str, Any], why: str) -> None:
    before = made.out.get(said["bot"])
    deals = {**(before.deals if before else {}), **said["deals"]}
    made.out[said["bot"]] = Absence(f"left out: {why}", deals, frozenset(said["among"]))


def _redeal(made: Decisions, said: Mapping[str, Any], why: str) -> None:
    """Apply a void: several void matches of one deal lead to only one fresh deal."""
    dealt = made.redeals.get(said["block"], 0)
    made.redeals[said["block"]] = dealt + (said["deal"] == dealt)
    made.voids.setdefault(said["bot"], []).append(why)


def _note_bots(made: Decisions, entry: Entry) -> None:
    """Record bots that cannot be played, or play without a fence."""
    if entry.kind == BROKEN:
        made.broken = dict(entry.payload["bots"])
    else:
        made.unfenced.update(entry.payload["bots"])
        made.on_trust_alone = entry.payload["on_trust_alone"]


def _replay(made: Decisions, match: str, number: int, why: str) -> None:
    made.attempts[match] = number
    made.most_attempts[match] = max(number, made.most_attempts.get(match, 0))
    made.replayed.pop(match, None)
    if number:
        made.replayed[match] = Note(REPLAY, match, why)
