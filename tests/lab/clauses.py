"""How often each clause of a rulebook decides something, and planted mistakes.

    python -m tests.lab.clauses [MATCHES]

The rules and their plain twins play matches of random answers, in all rule sets and
windows. What would be rare is made frequent: eager callers, full territories, best
stacks, hands rich in kings and queens, short stocks, level battles. Then mistakes are
planted in the rules, one at a time: each must be noticed by such matches.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any, Final, NamedTuple, TypeVar
from unittest.mock import patch

from pips_referee.cards import CARDS, KING, QUEEN
from pips_referee.chance import Chance
from pips_referee.errors import IllegalAction
from pips_referee.games.dominion.values import Attack, Declare, Deploy, DominionOptions, Resign
from pips_referee.games.pippip.values import PippipOptions
from pips_referee.games.serpent.values import SerpentOptions
from pips_referee.games.wichita.best import best_layout
from pips_referee.games.wichita.values import DRAWS, Lay, WichitaOptions, WichitaView, by_rank
from tests.pips_referee.games.dominion import twin as dominion_twin
from tests.pips_referee.games.pippip import test_twin as pippip
from tests.pips_referee.games.pippip import twin as pippip_twin
from tests.pips_referee.games.serpent import twin as serpent_twin
from tests.pips_referee.games.wichita import twin as wichita_twin

T = TypeVar("T")


class Mistake(NamedTuple):
    """A mistake in a module of a game: text, and what is put in its place."""

    module: str
    right: str
    wrong: str


MISTAKES: Final = {
    "serpent": (
        Mistake("rules", "self._lay_open(seat, 1 - seat,", "self._lay_open(seat, seat,"),
        Mistake("rules", "self.to_ask, self.kind = 1 - seat, ANSWER", "self.to_ask, self.kind = seat, ANSWER"),
        Mistake("rules", "self.totals[director] += score.points", "self.totals[1 - director] += score.points"),
        Mistake("rules", "played % 2 == 0 and not tied", "not tied"),
        Mistake("rules", "if played == self.max_hands or", "if played > self.max_hands or"),
        Mistake("rules", "lead.suit is card.suit or lead.rank == card.rank", "lead.suit is card.suit"),
        Mistake("scoring", "mask & other == mask != other", "mask & other == mask and (mask ^ other).bit_count() == 1"),
        Mistake("scoring", "missing = cells_of.index([], 1)", "missing = 0"),
        Mistake("scoring", "if size > 2:", "if size > 3:"),
        Mistake("scoring", "if cell < COLUMNS else []", "if cell < COLUMNS - 1 else []"),
    ),
    "pippip": (
        Mistake("rules", "self.windows_left = self.seats  # P13", "self.windows_left = self.seats + 1  # P13"),
        Mistake("rules", "if self.last_call_rules or self.next_trumps is None:", "if self.next_trumps is None:"),
        Mistake("rules", "self.drawing = stock >= self.seats", "self.drawing = stock > self.seats"),
        Mistake("rules", "self.after_card = 0 if windows == HERVEY", "self.after_card = 0 if windows != FOSDICK"),
        Mistake("rules", "CALL_POINTS * len(suits)", "CALL_POINTS"),
        Mistake("rules", "(card in lying and card in self.hidden[seat])", "False"),
        Mistake("tricks", "strength.rindex(max(strength))", "strength.index(max(strength))"),
        Mistake("tricks", " and king.suit is not trumps", ""),
        Mistake("tricks", "min(hidden.count(king), hidden.count(queen))", "1"),
        Mistake("tricks", "JACK: 3}", "JACK: 2}"),
    ),
    "wichita": (
        Mistake("rules", "while len(rolling) > 1:", "while len(rolling) == len(self.hands):"),
        Mistake("rules", "self._draw(min(dice), events)", "self._draw(max(dice), events)"),
        Mistake("rules", "if self.stock_size and self.dice[0] != self.dice[1]:", "if self.dice[0] != self.dice[1]:"),
        Mistake("rules", "abs(self.dice[0] - self.dice[1]), events", "max(self.dice), events"),
        Mistake("rules", "self.points[player] += 1", "self.points[player] += 1 + (card.rank > 9)"),
        Mistake("rules", "if not self.stock_size:  # W7", "if not self.stock_size and left:"),
        Mistake("stacks", "target << kings in (total, difference)", "target in (total >> kings, difference >> kings)"),
        Mistake("stacks", "difference = 2 * max(ranks) - total", "difference = abs(2 * max(ranks) - total)"),
        Mistake("stacks", "return 2 if len(ranks) == 2 and ranks[0] in dice", "return 2 if len(ranks) == 2"),
        Mistake("stacks", "found |= some << base & kinds", "found |= 0"),
    ),
    "dominion": (
        Mistake("rules", "TIES_A_TURN: Final = 100", "TIES_A_TURN: Final = 101"),
        Mistake("choices", "armies[cell] <= capacity[cell]", "armies[cell] < capacity[cell]"),
        Mistake("rules", "if len(left) == 1 and not self.fought:", "if len(left) == 1:"),
        Mistake("rules", "self.resigned.count(False) == 1", "self.resigned.count(False) == 0"),
        Mistake("rules", "if kind != REINFORCE:", "if True:"),
        Mistake("rules", "self.fought, self.ties,", "self.fought, _,"),
        Mistake("rules", "most = min(self.armies[source], self.capacity[target])", "most = self.armies[source]"),
        Mistake("choices", "playfield[cell].rank <= highest", "playfield[cell].rank < highest"),
        Mistake("battle", "-1 if out else", "0 if out else"),
        Mistake("battle", "return 2 if same_colour else -2", "return 2 if same_colour else -1"),
    ),
}  # fmt: skip

PARTS: Final = {"serpent": ["scoring"], "pippip": ["tricks"], "wichita": ["stacks"], "dominion": ["battle", "choices"]}
"""By game, the modules of its rules, in the order in which they are read."""


class RichChance(Chance):
    """Luck that brings kings and queens into the first hands, or the last."""

    late = False
    court = frozenset(card for card in CARDS if card.rank in {QUEEN, KING})

    @classmethod
    def of(cls, number: int, rich: str) -> Chance:
        """Plain luck, or rich `first` or `last`."""
        chance = (cls if rich else Chance)(number.to_bytes(32, "big"))
        if isinstance(chance, RichChance):
            chance.late = rich == "last"
        return chance

    def shuffled(self, name: str, items: Sequence[T], first: int | None = None) -> list[T]:
        whole = super().shuffled(name, items)
        if not name.startswith(("deck", "stock")):
            return whole[:first]
        court = [card for card in whole if card in self.court]
        others = [card for card in whole if card not in court]
        rich = super().shuffled(f"rich {name}", [*court, *others[: len(court)]])
        rest = others[len(court) :]
        return [*rest, *rich][:first] if self.late else [*rich, *rest][:first]


class ShortChance(Chance):
    """Luck that deals a few cards only, so that the end comes soon."""

    def shuffled(self, name: str, items: Sequence[T], first: int | None = None) -> list[T]:
        return super().shuffled(name, items, first)[:14]


class LevelChance(RichChance):
    """Luck that favours nobody in a battle, and turns red kings first."""

    court = frozenset(card for card in CARDS if card.rank == KING and card.is_red)

    def dice(self, name: str, count: int = 2) -> tuple[int, ...]:
        return (3,) * count if name.startswith("battle") else super().dice(name, count)


def with_mistake(game: str, mistake: Mistake | None) -> ModuleType:
    """A game's rules as they are, or with a mistake in one of its modules."""
    module = ModuleType(game)
    with patch.dict(sys.modules):
        for name in (*PARTS[game], "rules"):
            whole = f"pips_referee.games.{game}.{name}"
            spec = find_spec(whole)
            assert spec is not None and spec.origin is not None
            source = Path(spec.origin).read_text(encoding="utf-8")
            if mistake is not None and name == mistake.module:
                assert source.count(mistake.right) == 1, mistake
                source = source.replace(mistake.right, mistake.wrong)
            sys.modules[whole] = module = module_from_spec(spec)
            exec(compile(source, spec.origin, "exec"), module.__dict__)
    return module


def beside(state: Any, twin: Any, compare: Callable[[set[Any]], None], answer: Callable[[], Any]) -> Counter[str]:
    """What decided in a match beside its twin; AssertionError where they differ."""
    turns = twin.play()
    legal = next(turns)
    while state.to_ask is not None:
        assert state.to_ask == twin.asked
        compare(legal)
        action = answer()
        state.apply(action)
        legal = pippip.next_legal(turns, action)
    assert (legal, twin.asked) == (set(), None)
    compare(legal)
    decided: Counter[str] = twin.decided
    return decided


def serpent(game: Any, number: int) -> Counter[str]:
    """A match of Serpent of random answers."""
    chance, rng = Chance(number.to_bytes(32, "big")), Random(number)
    hands, ties = ((8, 10), (2, 0), (2, 1), (2, 5))[number % 4]
    state, _ = game.start(SerpentOptions(ties, hands=hands), 2, chance)
    twin = serpent_twin.Twin(hands, ties, chance)

    def compare(legal: set[Any]) -> None:
        assert {serpent_twin.plain(action) for action in state.legal_actions()} == legal
        assert [{*cards} for cards in state.face_up] == [{*cards} for cards in twin.open]
        assert list(state.outcome().scores) == twin.totals

    return beside(state, twin, compare, lambda: state.sample_action(rng))


def pip(game: Any, number: int) -> Counter[str]:
    """A match of Pip-Pip!, likewise; two of three with rich hands."""
    rng = Random(number)
    rules, windows = rng.choice(("fosdick", "hervey")), rng.choice(("house", "fosdick", "hervey"))
    seats, eager = rng.choice((3, 4, 5)), rng.random() < 0.3
    chance = RichChance.of(number, rng.choice(("", "first", "last")))
    state, _ = game.start(PippipOptions(rules, windows=windows, hands=2), seats, chance)
    twin = pippip_twin.Twin(rules, 2, seats, chance, windows)

    def compare(legal: set[Any]) -> None:
        pippip.compare(state, twin)
        assert {*state.legal_actions()} == legal

    def answer() -> Any:
        return pippip.all_pairs(state, rng) if eager and state.kind == "call" else state.sample_action(rng)

    return beside(state, twin, compare, answer)


def wichita(game: Any, number: int) -> Counter[str]:
    """A match of Wichita of best and random answers; three of four with few cards."""
    rng = Random(number)
    seats, decks, skill = rng.choice((2, 3, 4, 5)), rng.choice((0, 0, 1, 2)), rng.choice((0.6, 0.9, 1))
    short = ShortChance(number.to_bytes(32, "big"))
    chance = rng.choice((short, short, short, RichChance.of(number, rng.choice(("", "first", "last")))))
    state, _ = game.start(WichitaOptions(decks), seats, chance)
    twin = wichita_twin.Twin(decks, seats, chance)

    def compare(legal: set[Any]) -> None:
        views = [state.view(seat) for seat in twin.seats]
        assert [[*view.hand] for view in views] == [sorted(hand, key=by_rank) for hand in twin.hands]
        assert {view.stock_size for view in views} == {len(twin.stock)}
        assert list(state.points) == twin.points
        assert list(state.outcome().scores) == twin.scores()
        if state.to_ask is not None:
            here = state.view(state.to_ask)
            lay = here.kind == "lay"
            stacks = map(wichita_twin.ranks_of, here.legal_stacks()) if lay else (draw.more for draw in DRAWS)
            assert {*stacks} == legal
            if lay:
                refused(here)

    def refused(view: WichitaView) -> None:
        """Some cards of the hand are accepted just if the rulebook says so."""
        for _ in range(12):
            cards = tuple(rng.sample(view.hand, min(len(view.hand), rng.choice((1, 2, 3, 4, 5)))))
            try:
                state.copy().apply(Lay((cards,)))
            except IllegalAction:
                assert not wichita_twin.is_stack(wichita_twin.ranks_of(cards), view.target)
            else:
                assert wichita_twin.is_stack(wichita_twin.ranks_of(cards), view.target)

    def answer() -> Any:
        if state.kind == "lay" and rng.random() < skill:
            return Lay(best_layout(state.hands[state.player], state.dice).stacks)
        return state.sample_action(rng)

    return beside(state, twin, compare, answer)


def dominion(game: Any, number: int) -> Counter[str]:
    """A match of Dominion, at times with kings early or with level battles only."""
    rng = Random(number)
    heaps, level = rng.random() < 0.1, rng.random() < 0.1
    seats, size = (2, 3) if heaps else (rng.choice((2, 2, 3, 4)), rng.choice((3, 3, 3, 4, 5)))
    rounds = rng.choice((6, 25, 60))
    resigning, optional, keen = rng.random() < 0.7, rng.random() < 0.3, rng.random() < 0.6
    luck, rich = (LevelChance, "first") if heaps or level else (RichChance, rng.choice(("", "first")))
    chance = luck.of(number, rich)
    state, _ = game.start(DominionOptions(size, rounds, resigning, optional), seats, chance)
    twin = dominion_twin.Twin(size, rounds, resigning, optional, seats, chance)

    def compare(legal: set[Any]) -> None:
        assert {*state.legal_actions()} == legal
        assert [*zip(state.owners, state.armies, strict=True)] == [(land.owner, land.armies) for land in twin.lands]
        assert [*state.stock[: state.turned_count]] == twin.discards
        if state.to_ask is None:
            assert list(state.outcome().places) == twin.places()
            assert list(state.outcome().scores) == [len(twin.own(seat)) for seat in twin.seats]
        else:
            assert state.turned == twin.turned

    def answer() -> Any:
        legal = [*state.legal_actions()]
        if heaps and state.kind in {"declare", "advance", "deploy"}:
            return heaped(state, twin, legal)
        attacks = [action for action in legal if isinstance(action, (Attack, Declare))]
        if level:
            attacks = [a for a in attacks if isinstance(a, Declare) or not twin.lead(a)]
        if attacks and (keen or level):
            return max(attacks, key=lambda a: twin.lead(a) if isinstance(a, Attack) else 0)
        if legal[-1] == Resign() and rng.random() < 0.8:
            return legal[0]
        return legal[-1] if keen and rng.random() < 0.6 else state.sample_action(rng)

    return beside(state, twin, compare, answer)


def heaped(state: Any, twin: Any, legal: list[Any]) -> Any:
    """An answer that fills one territory beside another's, and then attacks."""
    own = [twin.lands[cell] for cell in twin.own(state.turn)]
    if state.kind == "declare":
        return legal[all(land.strength > 12 for land in own)]
    if state.kind == "advance":
        return legal[0]

    def fits(land: Any) -> bool:
        return land in own or (not own and any(other.armies and land.reaches(other) for other in twin.lands))

    on = (action for action in reversed(legal) if isinstance(action, Deploy) and fits(twin.lands[action.cell]))
    return next(on, legal[0 if own else -1])


PLAY: Final[dict[str, Callable[[Any, int], Counter[str]]]] = {
    "serpent": serpent, "pippip": pip, "wichita": wichita, "dominion": dominion,
}  # fmt: skip


def noticed(game: str, mistake: Mistake, matches: int) -> int | None:
    """How many matches it takes until the mistake is noticed."""
    rules = with_mistake(game, mistake).GAME
    for number in range(matches):
        try:
            PLAY[game](rules, number)
        except Exception:  # noqa: BLE001 - whatever a mistake leads to
            return number + 1
    return None


def main(matches: int) -> int:
    missed = 0
    for game, play in PLAY.items():
        rules, decided = with_mistake(game, None).GAME, Counter[str]()
        for number in range(matches):
            decided.update(play(rules, number))
        print(f"{game}, {matches} matches: " + ", ".join(f"{c} {n}" for c, n in sorted(decided.items())), flush=True)
        for mistake in MISTAKES[game]:
            after = noticed(game, mistake, matches)
            missed += after is None
            print(f"  {mistake.right} -> {mistake.wrong}: {'NOT noticed' if after is None else f'match {after}'}")
    return missed


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 500))
