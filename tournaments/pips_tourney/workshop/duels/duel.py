"""A duel of two bots: the game, the other bots, the deals, and the results."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain

from pips.v1 import record_pb2, referee_pb2
from pips_referee.errors import GameProblem, OptionsError, UnknownGame
from pips_referee.game import REGISTRY, AnyGame, Options, get_game
from pips_referee.installed import family_of
from pips_referee.match import FaultKind
from pips_referee.records.record import read_record
from pips_sdk import Bot
from pips_sdk.samples import usual_sample
from pips_tourney.bots.executable import Executable
from pips_tourney.bots.found import BotProblem, FoundBot, Sample
from pips_tourney.bots.process_name import ProcessName
from pips_tourney.league.suites import drawn_deals
from pips_tourney.night.plan.fixtures import Fixture, fixtures
from pips_tourney.night.plan.programme import Contest, Entrant, Programme
from pips_tourney.night.plan.results import in_scales
from pips_tourney.ratings.duel import rate_duel
from pips_tourney.ratings.result import Result
from pips_tourney.ratings.table import Difference
from pips_tourney.secret import Secret
from pips_tourney.workshop.duels.human import deal_of
from pips_tourney.workshop.problems import Problem, fault_problems

MOST_FAULTS = 10
"""The fewest faults for which a bot is stopped.

It must also have lost more than half of its matches by faults.
"""


@dataclass(frozen=True, slots=True)
class Wanted:
    """The options of a duel. Pips chooses any that are None."""

    matches: int | None = 200
    """Rounded up to complete deals. None for as many matches as `deals` have."""
    deals: int = 1
    game: str | None = None
    seats: int | None = None
    options: Mapping[str, object] = field(default_factory=dict)
    seed: str | None = None
    answer_ms: int = 1000


@dataclass(frozen=True)
class Duel:
    """A programme of two bots, with everything needed to play it.

    Sample bots fill further seats.
    """

    programme: Programme
    bots: Mapping[str, FoundBot]
    """By the name in results. The two bots come first."""
    seed: str

    @cached_property
    def secret(self) -> Secret:
        return Secret(deal_of(self.seed))

    @property
    def contest(self) -> Contest:
        return self.programme.contests[0]

    @property
    def game(self) -> AnyGame:
        return get_game(self.contest.game)

    @property
    def names(self) -> tuple[str, str]:
        first, second, *_ = self.bots
        return first, second

    @property
    def fillers(self) -> int:
        return len(self.bots) - 2

    @property
    def matches(self) -> int:
        return len(self.programme.deals) * self.contest.seats

    def fixtures(self) -> Iterator[Fixture]:
        """Every deal in all rotations of the seats."""
        return fixtures(self.programme)

    def order(self, fixture: Fixture) -> referee_pb2.MatchOrder:
        return fixture.order(self.secret, self.programme.clock)

    def program_of(self, process: str) -> Executable:
        """How to start a process, by its name."""
        name = ProcessName.parse(process)
        return self.bots[name.bot].program(name.contest)

    def bot_classes(self) -> dict[str, type[Bot]]:
        """The classes for a duel in this process. `BotProblem` if a bot has none."""
        return {name: bot.bot_class(self.contest.game) for name, bot in self.bots.items()}


def plan_duel(
    one: FoundBot, other: FoundBot, wanted: Wanted, filler: str = "", marks: tuple[str, str] = ("", " (2)")
) -> Duel:
    """Choose what was left open.

    Further seats get the sample bot `filler`, by default the usual one. `marks`
    distinguish two bots of the same name.

    Raises `BotProblem` if something cannot be played, or has to be chosen.
    """
    game = _game_of(one, other, wanted.game)
    options = options_of(game, wanted.options)
    seats = seats_of(game, options, wanted.seats)
    bots = _named(one, other, seats, filler or usual_sample(game.name), marks)
    deals = drawn_deals(wanted.deals if wanted.matches is None else -(-wanted.matches // seats))
    contest = Contest(game.name, game.name, game.rules_version, seats, options.named(), len(deals))
    clock = {"answer_ms": wanted.answer_ms, "bank_ms": 0, "increment_ms": 0}
    entrants = tuple(
        Entrant(name, {game.name: ""}, rated=place < 2)  # no fingerprints, so that a changed bot meets the same deals
        for place, name in enumerate(bots)
    )
    programme = Programme("pips-bot", (contest,), entrants, deals, clock)
    return Duel(programme, bots, wanted.seed if wanted.seed is not None else secrets.token_hex(4))


def game_named(name: str) -> AnyGame:
    """The game; `BotProblem` lists the games that exist."""
    try:
        return get_game(name if family_of(name) else name.lower())
    except (GameProblem, UnknownGame) as error:
        raise BotProblem(str(error)) from None


def options_of(game: AnyGame, values: Mapping[str, object]) -> Options:
    """The game's options. `BotProblem` lists the possible ones."""
    try:
        return game.options(values)
    except (OptionsError, TypeError) as error:
        raise BotProblem(str(error)) from None


def seats_of(game: AnyGame, options: Options, seats: int | None) -> int:
    """The wanted number of seats, or the fewest. `BotProblem` for a wrong number."""
    try:
        fewest = game.seats(options)[0]
        game.check_seats(options, fewest if seats is None else seats)
    except OptionsError as error:
        raise BotProblem(str(error)) from None
    return fewest if seats is None else seats


def _game_of(one: FoundBot, other: FoundBot, wanted: str | None) -> AnyGame:
    known = {bot.name: games for bot in (one, other) if (games := bot.games())}
    if wanted is not None:
        game = game_named(wanted)
        for name, games in known.items():
            if game.name not in games:
                raise BotProblem(f"{name} does not play {game.name}; it plays {', '.join(games)}")
        return game
    of_families = filter(family_of, chain(*known.values()))
    both = [name for name in dict.fromkeys([*REGISTRY, *of_families]) if all(name in games for games in known.values())]
    if len(both) == 1:
        return game_named(both[0])
    if not both:
        told = " and ".join(f"{name} plays {', '.join(games)}" for name, games in known.items())
        raise BotProblem(f"these two have no game in common: {told}")
    raise BotProblem(f"which game? Say it with --game; there are {', '.join(both)}")


def _named(one: FoundBot, other: FoundBot, seats: int, filler: str, marks: tuple[str, str]) -> dict[str, FoundBot]:
    """The bots, by names that differ."""
    first, second = marks if one.name == other.name else ("", "")
    bots = {f"{one.name}{first}": one, f"{other.name}{second}": other}
    for number in range(1, seats - 1):
        bots[f"house {filler}{f' {number}' if number > 1 else ''}"] = Sample(filler, None)
    return bots


@dataclass(eq=False)
class Scoresheet:
    """The results of a duel so far."""

    duel: Duel
    results: dict[int, list[Result]] = field(default_factory=dict)
    """By deal. A deal counts once it has been played in every rotation."""
    faults: Counter[tuple[str, str]] = field(default_factory=Counter)
    """The number of faults by bot and kind."""
    problems: dict[str, Problem] = field(default_factory=dict)
    """By bot, its first fault; the record is in `evidence`."""
    evidence: dict[str, bytes] = field(default_factory=dict)
    outputs: dict[str, Mapping[str, str]] = field(default_factory=dict)
    """By match that is not added yet, and by bot at fault in it.

    The text is the end of the output of the bot's process.
    """
    slowest_us: Counter[str] = field(default_factory=Counter)
    played: int = 0
    was_interrupted: bool = False

    def note_output(self, fixture: Fixture, outputs: Mapping[str, str]) -> None:
        """Note the output shown with a match's faults, before the match is added."""
        self.outputs[fixture.match_id] = outputs

    def add(self, fixture: Fixture, data: bytes) -> None:
        """Note a match and its faults."""
        message = record_pb2.MatchRecord.FromString(data)
        bots, deal = tuple(message.header.seats), self._deal_number[fixture.deal.name]
        self.played += 1
        at_fault = {fault.seat for fault in message.outcome.faults}
        scores = in_scales(self.duel.game.name, message.outcome.scores, at_fault)
        result = Result(f"deal {deal}", bots, tuple(message.outcome.places), scores)
        self.results.setdefault(deal, []).append(result)
        for answer in message.answers:
            bot = bots[answer.seat]
            self.slowest_us[bot] = max(self.slowest_us[bot], answer.used_us)
        if message.outcome.faults:
            self._note_faults(data, self.outputs.pop(fixture.match_id, {}))

    def stuck(self, problem: Problem) -> None:
        """The first bot, it seems, never answered, which ended the duel."""
        bot = self.duel.names[0]
        self.played += 1
        self.faults[bot, FaultKind.TIMEOUT.value] += 1
        self.problems.setdefault(bot, problem)

    def has_to_stop(self) -> str:
        """The bot that does little else but fault; "" if there is none."""
        for bot in self.duel.names:
            faults = sum(count for (name, _), count in self.faults.items() if name == bot)
            if faults >= MOST_FAULTS and 2 * faults > self.played:
                return bot
        return ""

    @cached_property
    def _deal_number(self) -> dict[str, int]:
        return {deal.name: number for number, deal in enumerate(self.duel.programme.deals, 1)}

    def _note_faults(self, data: bytes, outputs: Mapping[str, str]) -> None:
        record = read_record(data)
        for fault in record.outcome.faults:
            self.faults[record.header.names[fault.seat], fault.kind.value] += 1
        for seat, problem in fault_problems(record, outputs):
            bot = record.header.names[seat]
            if bot not in self.problems:
                self.problems[bot], self.evidence[bot] = problem, data

    def deal(self, number: int) -> Sequence[Result] | None:
        """The results of a deal, counted from 1.

        None until it has been played in every rotation.
        """
        results = self.results.get(number, [])
        return results if len(results) == self.duel.contest.seats else None

    def complete(self) -> list[Result]:
        """The results of the deals played in every rotation."""
        return [result for number in sorted(self.results) for result in self.deal(number) or ()]

    def difference(self) -> Difference | None:
        """The first bot less the second. None before the first complete deal."""
        one, other = self.duel.names
        deals = [self.deal(number) for number in sorted(self.results)]
        scores = [[score_of(result, one, other) for result in results] for results in deals if results is not None]
        return rate_duel(one, other, scores) if scores else None

    def direct(self) -> tuple[int, int, int]:
        """How often the first bot was placed above, level with, and below the second.

        Only complete deals count.
        """
        one, other = self.duel.names
        scores = Counter(score_of(result, one, other) for result in self.complete())
        return scores[1.0], scores[0.5], scores[0.0]


def lead_of(result: Result, one: str, other: str, cap: float) -> float:
    """The lead of `one` over `other`, in units of the game's scale, cut at the cap."""
    assert result.scores is not None
    scores = dict(zip(result.bots, result.scores, strict=True))
    return max(-cap, min(cap, scores[one] - scores[other]))


def score_of(result: Result, one: str, other: str) -> float:
    """1 if `one` was placed above `other`, 0.5 if level, else 0."""
    places = dict(zip(result.bots, result.places, strict=True))
    return (1 + int(places[one] < places[other]) - int(places[one] > places[other])) / 2
