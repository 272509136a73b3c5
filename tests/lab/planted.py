"""Whether `pips-bot compare` tells planted changes right: lab `planted`.

Seven changes of a bot of Serpent, each of at most some 40 Elo, are compared again and
again. And of planted mistakes in every game, the first deal that is shown must part
where the mistake is made.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import perf_counter_ns
from typing import ClassVar, Final

from pips_referee.game import REGISTRY
from pips_referee.records.record import read_record
from pips_referee.records.replay import get_text
from pips_sample_bots.serpent.cautious_bot import CautiousBot
from pips_sample_bots.serpent.greedy_bot import GreedyBot
from pips_sdk import Bot
from pips_sdk.serpent import SerpentAction, SerpentView
from pips_tourney.night.plan.fixtures import Fixture
from pips_tourney.workshop.duels.compare import Comparison, Unit, compare
from pips_tourney.workshop.duels.compare_report import answer
from pips_tourney.workshop.duels.duel import Wanted
from pips_tourney.workshop.duels.paired import plan_paired
from pips_tourney.workshop.duels.play import Enough, play
from pips_tourney.workshop.reask import question_of
from tests.lab.compare import Made
from tests.pips_tourney.analysis.matches import GREEDY, PLANTED

DEALS: Final = 1500


class Old(GreedyBot):
    """It answers at random now and then: with a chance of `slips`."""

    slips = 0.20

    def slip(self, _: SerpentView) -> float:
        return self.slips

    def choose(self, view: SerpentView) -> SerpentAction:
        draw = self.rng.random()
        return view.random_action(self.rng) if draw < self.slip(view) else super().choose(view)


class Better(Old):
    """It slips less often."""

    slips = 0.07


class Worse(Old):
    """It slips more often."""

    slips = 0.32


class Alike(Old):
    """The same, written otherwise."""

    def choose(self, view: SerpentView) -> SerpentAction:
        if self.rng.random() >= self.slips:
            return GreedyBot.choose(self, view)
        return view.random_action(self.rng)


class Marked(CautiousBot):
    """An opponent that a bot could know by its ways."""

    meets: ClassVar[list[bool]] = [False]

    def on_start(self) -> None:
        self.meets[0] = True

    def on_finish(self, _: object) -> None:
        self.meets[0] = False


class Hunter(Old):
    """It does not slip against `Marked`."""

    def slip(self, view: SerpentView) -> float:
        return 0.0 if Marked.meets[0] else self.slips


class Fading(Old):
    """It is better early in a hand and worse late: worse, all in all."""

    def slip(self, view: SerpentView) -> float:
        return 0.15 if len(view.hand) > 4 else 0.45


class ByHeart(Old):
    """It does not slip on deals that it has seen before."""

    known: ClassVar[set[frozenset[object]]] = set()
    seen: ClassVar[set[frozenset[object]]] = set()
    is_known = False

    def slip(self, view: SerpentView) -> float:
        if view.kind in ("give", "lead", "answer") and view.hand_number == 1 and not any(view.my_row):
            cards = frozenset([view.kind, *view.hand, *view.other_face_up])
            self.seen.add(cards)
            self.is_known = cards in self.known
        return 0.0 if self.is_known else self.slips


class ByClock(Old):
    """It slips as often, by the clock."""

    def choose(self, view: SerpentView) -> SerpentAction:
        slips = perf_counter_ns() // 100 % 100 < 100 * self.slips
        return view.random_action(self.rng) if slips else GreedyBot.choose(self, view)


def compared(new: type[Bot], seed: str, deals: int = DEALS) -> Comparison:
    """A comparison with `Old`, against `Marked` and `GreedyBot`."""
    opponents = [Made("marked", Marked), Made("plain", GreedyBot)]
    duel = plan_paired(Made("new", new), Made("old", Old), Wanted(None, deals, seed=seed), opponents)
    comparison = Comparison(Unit.of(duel.game, "results", None, None), duel)
    compare(comparison, in_process=True)
    return comparison


def known_by_heart(seed: str) -> bool:
    """Whether it is better on the deals it knows, and not on fresh ones."""
    ByHeart.known.clear()
    ByHeart.seen.clear()
    compared(ByHeart, f"{seed} known", 400)
    ByHeart.known.update(ByHeart.seen)
    on_known, on_fresh = compared(ByHeart, f"{seed} known", 400), compared(ByHeart, f"{seed} fresh", 400)
    return answer(on_known).startswith("better") and not answer(on_fresh).startswith(("better", "not decided, prob"))


def only_against_one(seed: str) -> bool:
    """Whether the gain is seen against the one, and none against each other."""
    comparison = compared(Hunter, seed)
    _, _, low, _ = comparison.against("marked")
    differences = {deal.difference for deal in comparison.deals if deal.other == "old"}
    return low is not None and low > 0 and differences == {0.0}


CHANGES: Final[dict[str, Callable[[str], bool]]] = {
    "better": lambda seed: answer(compared(Better, seed)).startswith("better by"),
    "worse": lambda seed: answer(compared(Worse, seed)).startswith(("worse by", "not better")),
    "alike": lambda seed: answer(compared(Alike, seed)).startswith("alike: 0 Elo"),
    "better against one opponent only": only_against_one,
    "better early, worse late": lambda seed: answer(compared(Fading, seed)).startswith(("worse by", "not better")),
    "knows deals by heart": known_by_heart,
    "goes by the clock": lambda seed: any("by the clock" in said for said in compared(ByClock, seed, 60).unlike),
}
"""By change, whether a comparison of that seed tells it right."""


@dataclass(frozen=True, slots=True)
class FirstShown:
    """The first deal on which a planted mistake mattered."""

    situation: str
    """Where the two matches part."""
    planted: str


def first_shown(game: str, seed: str) -> FirstShown:
    """Compare a bot without the planted mistake with one that makes it."""
    duel = plan_paired(Made("new", GREEDY[game]), Made("old", PLANTED[game]), Wanted(None, 400, seed=seed), None)
    comparison = Comparison(Unit.of(duel.game, "results", None, None), duel)

    def note(fixture: Fixture, record: bytes) -> None:
        comparison.note(fixture, record)
        if comparison.changed:
            raise Enough

    play(duel, note, in_process=True)
    parting = comparison.changed[0].parting
    assert parting is not None
    first = parting.first()
    assert first is not None
    question = question_of(read_record(parting.records[0]), first[0].seat, first[0].number)
    return FirstShown(get_text(game).situation(question.view), PLANTED[game].planted)


def table(runs: int) -> Iterator[str]:
    """Lines of Markdown: how often each change is told right."""
    yield "| planted change | told right |"
    yield "| -- | -: |"
    for change, is_right in CHANGES.items():
        right = sum(is_right(f"{change} {number}") for number in range(runs))
        yield f"| {change} | {right} of {runs} |"
    yield "\n| game | the first deal shown parts where the change acts |"
    yield "| -- | -: |"
    for game in REGISTRY:
        shown = [first_shown(game, f"{number}") for number in range(50)]
        yield f"| {game} | {sum(each.situation == each.planted for each in shown)} of {len(shown)} |"


if __name__ == "__main__":
    for line in table(int(sys.argv[1]) if len(sys.argv) > 1 else 20):
        print(line, flush=True)
