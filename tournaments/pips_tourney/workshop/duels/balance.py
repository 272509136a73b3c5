"""Is a game fair, and do its questions matter? For game designers.

Equal bots play each deal once for every seat, so differences between seats come from
the game. Then a strong bot plays against them. Points are a player's share of the
points against every other seat, with a half for a shared place.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, islice
from typing import Final

import numpy as np

from pips_referee.game import Action, View, get_game
from pips_referee.match import MatchOutcome
from pips_referee.printable import plain
from pips_referee.records.record import read_record
from pips_referee.worth import FULL, results_of
from pips_sdk.samples import sample_files
from pips_tourney.bots.found import Sample
from pips_tourney.errors import TourneyError
from pips_tourney.night.plan.fixtures import Fixture
from pips_tourney.ratings.spread import FEWEST, Estimate, deal_share, mean_of, share_of
from pips_tourney.ratings.table import Difference
from pips_tourney.reports.feedback import Feedback, FeedbackPart
from pips_tourney.workshop.duels.duel import Duel, Wanted, plan_duel
from pips_tourney.workshop.duels.play import play
from pips_tourney.workshop.duels.play_report import count_of, difference_text, fault_lines, options_text

MOST_ANSWERS: Final = 200
"""The most answers of a question; a kind with more is left out of `never`."""
TELLING: Final = 3.0
"""`random` has a chance of 5 % never to give an answer expected this often."""
LISTED: Final = 20
HALF: Final = 0.5
MISTAKE: Final = 0.05
STRONGEST: Final = ("search", "greedy", "mcts")
"""The candidates for the strong bot, strongest first."""


class NoBalance(TourneyError):
    """A game that cannot be judged; the text says why."""


@dataclass(eq=False)
class KindOfQuestion:
    """One kind of question, with its possible answers."""

    asked: int = 0
    alone: int = 0
    """Questions with only one legal answer, which decide nothing."""
    answers: int = 0
    """The legal answers of all questions, each counted up to `MOST_ANSWERS`."""
    too_many: bool = False
    """Whether some question had more than `MOST_ANSWERS`."""


@dataclass(eq=False)
class GameBalance:
    """The results of equal bots and of a strong one in a game."""

    game: str
    seats: int
    options: Mapping[str, object]
    seed: str
    deals: int
    equal: str
    strong: str
    """The sample bot that played against the equal ones; "" if the game has none."""
    results: list[Estimate]
    """The points of each seat; the intervals hold simultaneously."""
    scores: list[Estimate]
    luck: Estimate | None
    """The deal's share of the differences between matches of equal bots."""
    level: Estimate
    """The share of pairs of seats that tie."""
    questions: Estimate
    shortest: int
    longest: int
    promised: int
    """The most questions, as promised by the game."""
    kinds: dict[str, KindOfQuestion]
    unlisted: list[str]
    """Kinds of questions with too many answers for `never`."""
    never: list[tuple[str, float]]
    """Answers that the strong bot never gave, and how often `random` would have."""
    difference: Difference | None
    """The strong bot's Elo less that of an equal bot."""


@dataclass(eq=False)
class _Answered:
    """The results of a duel's matches, as they come in."""

    looked_at: Collection[str]
    """The bots whose answers are counted."""
    outcomes: dict[str, list[MatchOutcome]] = field(default_factory=dict)
    """By deal, the outcomes of its matches."""
    kinds: dict[str, KindOfQuestion] = field(default_factory=dict)
    expected: dict[tuple[str, Action], float] = field(default_factory=dict)
    """How often each answer would come if all legal ones were equally likely."""
    given: set[tuple[str, Action]] = field(default_factory=set)

    def add(self, fixture: Fixture, data: bytes) -> None:
        record = read_record(data)
        if record.outcome.faults:
            return
        header = record.header
        self.outcomes.setdefault(fixture.deal.name, []).append(record.outcome)
        state = header.new_match().state
        for answer in record.answers:
            action = header.wire.read_action(answer.action)
            if header.names[answer.seat] in self.looked_at:
                self._decided(state.view(answer.seat), action)
            state.apply(action)

    def _decided(self, view: View, action: Action) -> None:
        legal = [*islice(view.legal_actions(), MOST_ANSWERS + 1)]
        kind = self.kinds.setdefault(view.kind, KindOfQuestion())
        kind.asked += 1
        kind.alone += len(legal) == 1
        kind.answers += min(len(legal), MOST_ANSWERS)
        kind.too_many = kind.too_many or len(legal) > MOST_ANSWERS
        if not kind.too_many:
            for each in legal:
                at = view.kind, each
                self.expected[at] = self.expected.get(at, 0.0) + 1 / len(legal)
            self.given.add((view.kind, action))

    def never(self) -> list[tuple[str, float]]:
        """Answers that were never given; the most often possible first."""
        left = [
            (action.text, round(count, 1))
            for (kind, action), count in self.expected.items()
            if count >= TELLING and (kind, action) not in self.given and not self.kinds[kind].too_many
        ]
        return sorted(left, key=lambda each: -each[1])


@dataclass(frozen=True, slots=True)
class Trial:
    """A duel of equal bots, and one with a strong bot if the game has any."""

    even: Duel
    uneven: Duel | None

    @property
    def matches(self) -> int:
        """The number of matches of the trial."""
        return self.even.matches + (self.uneven.matches if self.uneven else 0)


def plan_trial(wanted: Wanted, equal: str, strong: str) -> Trial:
    """Choose the bots; "" is the strongest sample bot. Raises `BotProblem`."""
    even = plan_duel(Sample(equal, None), Sample(equal, None), wanted, equal)
    there = sample_files(even.game.name)
    strong = strong or next((name for name in STRONGEST if name in there and name != equal), "")
    for name in filter(None, (equal, strong)):
        Sample(name, None).bot_class(even.game.name)
    again = replace(wanted, seed=even.seed)
    return Trial(even, plan_duel(Sample(strong, None), Sample(equal, None), again, equal) if strong else None)


def judge(trial: Trial, on_match: Callable[[], object], *, in_process: bool) -> GameBalance:
    """Play the trial and judge it. Raises `NoBalance`, and the errors of `play`."""
    duel, game, seats = trial.even, trial.even.game, trial.even.contest.seats
    seen, _ = _play(duel, duel.bots.keys(), on_match, in_process)
    strong, answers, difference = "", seen, None
    if trial.uneven is not None:
        strong = trial.uneven.names[0]
        answers, difference = _play(trial.uneven, {strong}, on_match, in_process)
    deals = [outcomes for outcomes in seen.outcomes.values() if len(outcomes) == seats]
    if len(deals) < 2:
        raise NoBalance(f"a balance takes 2 deals or more that were played from every seat, not {len(deals)}")
    results = np.array([[results_of(outcome.places) for outcome in outcomes] for outcomes in deals]) / FULL
    scores = np.array([[outcome.scores for outcome in outcomes] for outcomes in deals])
    questions = np.array([[outcome.questions for outcome in outcomes] for outcomes in deals])
    level = np.array([[_level(outcome.places) for outcome in outcomes] for outcomes in deals])
    return GameBalance(
        game.name, seats, dict(duel.contest.options), duel.seed, len(deals), duel.names[0], strong,
        [share_of(column, MISTAKE / seats) for column in results.mean(axis=1).T.tolist()],
        [mean_of(column, MISTAKE / seats) for column in scores.mean(axis=1).T.tolist()],
        deal_share(results), share_of(level.mean(axis=1).tolist()), mean_of(questions.mean(axis=1).tolist()),
        int(questions.min()), int(questions.max()), game.longest(game.options(duel.contest.options), seats),
        seen.kinds, [name for name, kind in answers.kinds.items() if kind.too_many], answers.never(), difference,
    )  # fmt: skip


def _play(
    duel: Duel, looked_at: Collection[str], on_match: Callable[[], object], in_process: bool
) -> tuple[_Answered, Difference | None]:
    seen = _Answered(looked_at)

    def on_record(fixture: Fixture, record: bytes) -> None:
        seen.add(fixture, record)
        on_match()

    sheet = play(duel, on_record, in_process=in_process)
    if sheet.faults:
        raise NoBalance("\n".join(["there is a mistake in the game or a sample bot:", *fault_lines(sheet)]))
    return seen, sheet.difference()


def _level(places: Sequence[int]) -> float:
    """The share of pairs of seats that tie."""
    pairs = [a == b for a, b in combinations(places, 2)]
    return sum(pairs) / len(pairs)


def page(of: GameBalance) -> Feedback:
    """The balance in words."""
    return Feedback("Balance", get_game(of.game).title, tuple(_sections(of)))


def _sections(of: GameBalance) -> Iterator[FeedbackPart]:
    options = options_text(get_game(of.game), of.options)
    yield FeedbackPart(
        "What was played",
        (
            f"{of.seats} seats{options}. {of.deals} deals, each {of.seats} times, with {of.equal} in all seats.",
            f"The same again: --seed {of.seed}. Intervals are of 95 %, over deals.",
        ),
    )
    yield FeedbackPart("What a seat is worth", tuple(_seats(of)))
    luck = "Every match ends alike: nothing is decided."
    if of.luck is not None:
        luck = (
            f"The deal decides {_percent(of.luck)} of what differs between matches. "
            f"The rest is how {of.equal} answers, which is luck too if it is random."
        )
    yield FeedbackPart("Luck", (luck, f"{_percent(of.level)} of all pairs of seats end level."))
    length = f"{_number(of.questions)} questions a match, from {of.shortest} to {of.longest}"
    yield FeedbackPart("Length", (f"{length}. The game promises {of.promised} at most.",))
    yield FeedbackPart("What is asked", tuple(_kinds(of)))
    if (strong := of.strong or of.equal) != "random":
        yield FeedbackPart(f"Answers that {strong} never gave", *_never(of))
    yield FeedbackPart("A strong bot", (_strength(of),))


def _seats(of: GameBalance) -> Iterator[str]:
    for seat, (result, score) in enumerate(zip(of.results, of.scores, strict=True)):
        yield f"Seat {seat}: {_percent(result)} of the points against the others, score {_number(score)}."
    unequal = [
        f"seat {seat} {'more' if each.value > HALF else 'less'}"
        for seat, each in enumerate(of.results)
        if each.low is not None and each.high is not None and not each.low <= HALF <= each.high
    ]
    if of.deals < FEWEST:
        yield f"{of.deals} deals say nothing sure: play {FEWEST} or more."
    elif unequal:
        yield f"The seats are not equal: {', '.join(unequal)} than half. All intervals hold at once."
    else:
        yield "No seat is shown to be better than another. All intervals hold at once."


def _kinds(of: GameBalance) -> Iterator[str]:
    for name, kind in sorted(of.kinds.items()):
        more = f", counted to {MOST_ANSWERS}" if kind.too_many else ""
        alone = f"{kind.alone} with one legal answer, which decides nothing" if kind.alone else "always a choice"
        asked, answers = count_of(kind.asked, "question"), kind.answers / kind.asked
        yield f"{name}: {asked}, {answers:.1f} answers each{more}; {alone}."
    if without := [name for name in get_game(of.game).kinds if name not in of.kinds]:
        yield f"Never asked: {', '.join(without)}."


def _never(of: GameBalance) -> tuple[tuple[str, ...], tuple[str, ...]]:
    told = (f"Not looked at, for the number of answers: {', '.join(of.unlisted)}.",) if of.unlisted else ()
    if not of.never:
        return (*told, "None that random would have given three times or more."), ()
    more = (f"and {len(of.never) - LISTED} more",) if len(of.never) > LISTED else ()
    return told, (*(f"{plain(text)} (random: about {count:.0f} times)" for text, count in of.never[:LISTED]), *more)


def _strength(of: GameBalance) -> str:
    if of.difference is None:
        return (
            f"{get_game(of.game).title} has no sample bot {' or '.join(STRONGEST)}, so nobody plays against {of.equal}."
        )
    return f"{difference_text(of.difference)}."


def _percent(each: Estimate) -> str:
    sure = "" if each.low is None or each.high is None else f" ({each.low:.1%} to {each.high:.1%})"
    return f"{each.value:.1%}{sure}"


def _number(each: Estimate) -> str:
    sure = "" if each.low is None or each.high is None else f" ({each.low:.2f} to {each.high:.2f})"
    return f"{each.value:.2f}{sure}"
