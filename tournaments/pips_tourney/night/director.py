"""The director's acts on a night.

Every act is an entry in the night's log, even while a runner plays the night.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from pips_tourney.errors import TourneyError
from pips_tourney.league.entries import BotEntry
from pips_tourney.league.mistakes import mistake_of
from pips_tourney.league.submissions import roster
from pips_tourney.names import one_form
from pips_tourney.night.log.kinds import ADD, ANNUL, PAUSE, REINSTATE, REPLAY, RESTORE, RESUME, WITHDRAW
from pips_tourney.night.log.store import open_log, runner_of
from pips_tourney.night.night import Night, last_night
from pips_tourney.night.plan.adaptive_rounds import first_deals
from pips_tourney.night.plan.decisions import Decisions, attempt_id
from pips_tourney.night.plan.fixtures import Fixture
from pips_tourney.night.plan.programme import Contest


class DirectorError(TourneyError):
    """A decision that makes no sense for this night."""


@dataclass(frozen=True, slots=True)
class Office:
    """The director's office for one night.

    Every method stores a decision and returns a sentence on its effects.
    """

    night: Night

    @property
    def decisions(self) -> Decisions:
        return self.night.decisions()

    def pause(self, reason: str) -> str:
        if self.decisions.paused is not None:
            raise DirectorError("the night is paused already")
        self._keep(PAUSE, reason=reason)
        return "Paused: matches that are under way are played to their end, no new ones are begun."

    def resume(self) -> str:
        if self.decisions.paused is None:
            raise DirectorError("the night is not paused")
        self._keep(RESUME)
        return "Resumed."

    def add(self, entry: dict[str, Any], folder: Path) -> str:
        """Add a bot, given as a league file's entry; paths are relative to `folder`."""
        found = roster([entry], folder)
        if found.mistakes or len(found.entries) != 1:
            raise DirectorError("; ".join(what for _, what in found.mistakes) or "name one bot")
        try:
            bot = BotEntry.model_validate({**found.entries[0], "optional": True})
        except ValidationError as error:
            mistakes = map(mistake_of, error.errors())
            raise DirectorError("; ".join(f"{where}: {what}" for where, what in mistakes)) from None
        if bot.name in self.bots():
            again = f", or let it play again: withdraw {bot.name} --undo" if bot.name in self.decisions.out else ""
            raise DirectorError(f"there is a bot {bot.name} already; give this one another --name{again}")
        if bot.is_stranger and self.decisions.on_trust_alone:
            told = "the bots of this night play on trust, because nothing can fence them in"
            raise DirectorError(f"{told}: say --trusted if you vouch for {bot.name}")
        if bot.cwd is not None:
            bot = bot.model_copy(update={"cwd": str((folder / bot.cwd).resolve())})
        elif bot.command is not None:  # the bot's files are those it names, wherever the league file is
            words = [str((folder / word).resolve()) if os.path.isfile(folder / word) else word for word in bot.command]  # noqa: PTH113
            bot = bot.model_copy(update={"command": words})
        rounds = {label: len(planned) for label, planned in self.decisions.rounds.items()}
        self._keep(ADD, bot=bot.model_dump(exclude_defaults=True), **({"after": rounds} if rounds else {}))
        plays = _what_a_late_bot_plays(self.night.programme.contests)
        return f"{bot.name} is added. {plays} `withdraw` takes it out again."

    def follow(self, bot: str, place: Path) -> None:
        """Store the new path of an added bot's folder; it is still the same bot."""
        self._keep(ADD, bot={**self.decisions.added[bot], "cwd": str(place.resolve())})

    def withdraw(self, bot: str, reason: str, *, from_start: bool) -> str:
        bot = self._known(bot)
        out = self.decisions.out.get(bot)
        if out is not None and set(out.deals) == {contest.label for contest in self.night.programme.contests}:
            raise DirectorError(f"{bot} is out already: {out.why}")
        deals = self.night.complete_deals(bot) | (dict(out.deals) if out is not None else {})
        if from_start:
            deals = dict.fromkeys(deals, 0)
        among = sorted(entrant.name for entrant in self.night.programme.entrants)
        self._keep(WITHDRAW, bot=bot, reason=reason, deals=deals, among=among)
        if from_start:
            return f"{bot} is withdrawn; nothing that it played counts."
        kept = ", ".join(f"{count} in {contest}" for contest, count in deals.items())
        return f"{bot} is withdrawn. Its complete deals ({kept}) count if they are half of its deals or more."

    def reinstate(self, bot: str, reason: str) -> str:
        bot = self._known(bot)
        if bot not in self.decisions.out:
            raise DirectorError(f"{bot} is not out")
        self._keep(REINSTATE, bot=bot, reason=reason)
        return f"{bot} plays again, including what it has missed."

    def annul(self, match: str, reason: str) -> str:
        fixture = self._fixture(match)
        if fixture.block in self.decisions.annulled:
            raise DirectorError(f"the deal of match {fixture.match_id} is annulled already")
        self._keep(ANNUL, match=fixture.match_id, block=fixture.block, reason=reason)
        return (
            f"Match {fixture.match_id} is annulled, and with it its deal ({fixture.block}) in all seatings, "
            "so that all seats stay equal."
        )

    def restore(self, match: str, reason: str) -> str:
        fixture = self._fixture(match)
        if fixture.block not in self.decisions.annulled:
            raise DirectorError(f"match {fixture.match_id} is not annulled")
        self._keep(RESTORE, match=fixture.match_id, block=fixture.block, reason=reason)
        return f"Match {fixture.match_id} counts again, and all of its deal."

    def replay(self, match: str, reason: str) -> str:
        decisions, fixture = self.decisions, self._fixture(match)
        first = self._first_of(fixture)
        number = decisions.most_attempts.get(first, 0) + 1
        self._keep(REPLAY, match=first, attempt=number, reason=reason)
        return (
            f"Match {fixture.match_id} will be played again, by fresh processes, and count then; the old one is kept."
        )

    def undo_replay(self, match: str, reason: str) -> str:
        first = self._first_of(self._fixture(match))
        if not self.decisions.attempts.get(first):
            raise DirectorError(f"match {first} is not to be played again")
        self._keep(REPLAY, match=first, attempt=0, reason=reason)
        return f"The first result of match {first} counts again."

    def _keep(self, kind: str, **payload: object) -> None:
        self.night.store.append(kind, payload)

    def bots(self) -> set[str]:
        """The bots of the night, including those that were added to it."""
        return {entrant.name for entrant in self.night.programme.entrants} | self.decisions.added.keys()

    def _known(self, bot: str) -> str:
        """The bot's name in normal form, however it was typed."""
        if (name := one_form(bot)) not in self.bots():
            raise DirectorError(f"there is no bot {name}; there are {', '.join(sorted(self.bots()))}")
        return name

    def _fixture(self, match: str) -> Fixture:
        """The match whose id begins with `match`, or one of whose replays' ids does."""
        most, found = self.decisions.most_attempts, {}
        first_of = {attempt_id(first, number): first for first in most for number in range(most[first] + 1)}
        for fixture in self.night.fixtures():
            first = first_of.get(fixture.match_id, fixture.match_id)
            if any(attempt_id(first, n).startswith(match.lower()) for n in range(most.get(first, 0) + 1)):
                found[first] = fixture
        if len(found) != 1:
            what = (
                f"{len(found)} matches have ids that begin" if found else "no match of this night has an id that begins"
            )
            raise DirectorError(f"{what} with {match}")
        return next(iter(found.values()))

    def _first_of(self, fixture: Fixture) -> str:
        """The id of the match before any replay."""
        for first in self.decisions.attempts:
            if self._fixture(first).match_id == fixture.match_id:
                return first
        return fixture.match_id


def _what_a_late_bot_plays(contests: Sequence[Contest]) -> str:
    """What a bot plays if it is added now.

    A league has adaptive deals in all of its contests or in none.
    """
    said = []
    for contest in contests:
        if not contest.form.is_adaptive:
            return "It plays all deals from the first one."
        assert contest.form.stop is not None
        most = contest.form.stop.matches
        budget = "" if most is None else f" All this ends when {most} matches are played in {contest.label}."
        said.append(
            f"In {contest.label} deals are adaptive: it plays {first_deals(contest)} deals in each of its "
            "combinations when the current round is over. Then deals go to neighbours that are still open, "
            f"and what the others have played still counts.{budget}"
        )
    return " ".join(said)


@contextmanager
def office(database: Path) -> Iterator[Office]:
    """The director's office for the night in a database."""
    with open_log(database) as store:
        yield Office(last_night(store))


def who_acts(database: Path) -> str:
    """A sentence on who will carry out a decision."""
    runner = runner_of(database)
    if runner is None:
        return "Nobody is playing this night; it goes by it when somebody goes on."
    return f"The runner (process {runner}) goes by it within a second or two."
