"""Two versions on the same deals, against each other and against the same opponents.

Each match has a partner with the two versions exchanged: the same cards, the same
seats, and the same luck for each seat. So a version against itself gains exactly 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from typing import Final

from msgspec import structs

from pips.v1 import record_pb2, referee_pb2
from pips_sdk.samples import RANDOM, sample_files
from pips_tourney.bots.found import Command, FoundBot, Sample
from pips_tourney.night.plan.fixtures import ID_BYTES, Fixture, fixtures_of
from pips_tourney.night.plan.programme import Entrant
from pips_tourney.schedule.tables import Pairing
from pips_tourney.workshop.duels.duel import Duel, Wanted, plan_duel

EVERY: Final = 4
"""Every fourth deal is played against an opponent, the others between the versions."""
OPPONENTS: Final[tuple[str, ...]] = ("greedy", "cautious")
"""The sample bots used as opponents; `random` if a game has neither."""
REPEATED: Final = 4
"""The first match of this many deals is repeated, to see if answers stay the same."""


@dataclass(frozen=True)
class PairedDuel(Duel):
    """A programme of two versions and their opponents."""

    opponents: tuple[str, ...] = ()
    only: int | None = None
    """The only deal that is played, counted from 1; None for all."""

    @property
    def fillers(self) -> int:
        return self.contest.seats - 2

    @cached_property
    def exchanged(self) -> Mapping[str, str]:
        """The old version's name by the new one's, and the reverse."""
        new, old = self.names
        return {new: old, old: new}

    @cached_property
    def repeated(self) -> int:
        """How many matches are repeated: none with programs, which may cost money."""
        has_program = any(isinstance(bot, Command) for bot in self.bots.values())
        return 0 if has_program or self.only is not None else REPEATED

    def other(self, number: int) -> str:
        """The new version's opponent on a deal: the old version, or another bot."""
        turn, is_between = divmod(number, EVERY)
        return self.names[1] if is_between or not self.opponents else self.opponents[(turn - 1) % len(self.opponents)]

    def seatings(self, number: int) -> list[tuple[str, ...]]:
        """The tables of a deal: all rotations, each with its partner."""
        new, _, *rest = self.bots
        base = (new, self.other(number), *rest[: self.fillers])
        turned = [base[-seat:] + base[:-seat] for seat in range(len(base))]
        return [*dict.fromkeys(table for seating in turned for table in (seating, self.partner(seating)))]

    def partner(self, seating: Sequence[str]) -> tuple[str, ...]:
        """The same table with the two versions exchanged."""
        return tuple(self.exchanged.get(name, name) for name in seating)

    def fixtures(self) -> Iterator[Fixture]:
        """The matches of every deal. Repeated matches have another id."""
        for number in range(1, len(self.programme.deals) + 1) if self.only is None else (self.only,):
            turns = 1 if self.other(number) in self.exchanged else 2  # a version never sees a deal twice in one process
            pairings = (
                Pairing(tuple(sorted(seating)), number - 1, place // turns, seating)
                for place, seating in enumerate(self.seatings(number))
            )
            tables = [structs.replace(each, players=()) for each in fixtures_of(self.programme, self.contest, pairings)]
            yield from tables
            if number <= self.repeated:
                yield again(tables[0])

    def order(self, fixture: Fixture) -> referee_pb2.MatchOrder:
        order = super().order(fixture)
        order.rng_seeds[:] = [self.secret.rng_seed(fixture.deal.name, seat) for seat in range(len(fixture.seating))]
        return order


def again(fixture: Fixture) -> Fixture:
    """The same match again, with an id of its own."""
    match_id = sha256(f"again {fixture.match_id}".encode()).hexdigest()[: 2 * ID_BYTES]
    return structs.replace(fixture, match_id=match_id, attempt=1)


def plan_paired(
    new: FoundBot, old: FoundBot, wanted: Wanted, opponents: Sequence[FoundBot] | None, only: int | None = None
) -> PairedDuel:
    """Choose what was left open; with None, the opponents are sample bots of the game.

    No opponent has the name of a version, because it is most likely a copy. Raises
    `BotProblem` if something cannot be played, or has to be chosen.
    """
    duel = plan_duel(new, old, wanted, marks=(" (new)", " (old)"))
    game = duel.game.name
    if opponents is None:
        samples = [name for name in OPPONENTS if name in sample_files(game)] or [RANDOM]
        opponents = [Sample(name, game) for name in samples]
    seated = {new.name, old.name, *duel.bots}
    playing = [bot for bot in opponents if game in (bot.games() or (game,)) and bot.name not in seated]
    against = {bot.name: bot for bot in playing}
    bots = {**duel.bots, **against}
    entrants = tuple(Entrant(name, {game: ""}) for name in bots)
    programme = replace(duel.programme, entrants=entrants)
    return PairedDuel(programme, bots, duel.seed, tuple(against), only)


def unlike(first: bytes, second: bytes) -> str:
    """Name the first bot with a different answer; "" if none, or for faults."""
    before, after = map(record_pb2.MatchRecord.FromString, (first, second))
    if before.outcome.faults or after.outcome.faults:
        return ""
    for one, other in zip(before.answers, after.answers, strict=False):
        if one.action != other.action:
            bot = before.header.seats[one.seat]
            return (
                f"{bot} did not answer as before when its first match was played again. Does it keep something "
                "from match to match, use luck other than `self.rng`, or go by the clock?"
            )
    return ""
