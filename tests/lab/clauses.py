"""How often each clause of a rulebook decides something, and planted mistakes.

    python -m tests.lab.clauses [MATCHES]

The rules and their plain twins play matches of random answers, in all rule sets and
windows. Some callers call all pairs, and some hands are rich in kings and queens, at
once or at the end. Then mistakes are planted in the rules, one at a time: each must be
noticed by such matches.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any, Final, NamedTuple, TypeVar
from unittest.mock import patch

from pips_referee.cards import KING, QUEEN, Card
from pips_referee.chance import Chance
from pips_referee.games.pippip.values import PippipOptions
from pips_referee.games.serpent.values import SerpentOptions
from tests.pips_referee.games.pippip import test_twin as pippip
from tests.pips_referee.games.pippip import twin as pippip_twin
from tests.pips_referee.games.serpent import twin as serpent_twin

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
}  # fmt: skip


class RichChance(Chance):
    """Luck that brings kings and queens into the first hands, or the last."""

    late = False

    def shuffled(self, name: str, items: Sequence[T], first: int | None = None) -> list[T]:
        whole = super().shuffled(name, items)
        if not name.startswith("deck/"):
            return whole[:first]
        court = [card for card in whole if isinstance(card, Card) and card.rank in (QUEEN, KING)]
        others = [card for card in whole if card not in court]
        rich = super().shuffled(f"rich {name}", [*court, *others[: len(court)]])
        rest = others[len(court) :]
        return [*rest, *rich][:first] if self.late else [*rich, *rest][:first]


def with_mistake(game: str, mistake: Mistake | None) -> ModuleType:
    """A game's rules as they are, or with a mistake in one of its modules."""
    names = ("rules",) if mistake is None or mistake.module == "rules" else (mistake.module, "rules")
    module = ModuleType(game)
    with patch.dict(sys.modules):
        for name in names:
            whole = f"pips_referee.games.{game}.{name}"
            spec = find_spec(whole)
            assert spec is not None and spec.origin is not None
            source = Path(spec.origin).read_text(encoding="utf-8")
            if mistake is not None and name == mistake.module:
                assert source.count(mistake.right) == 1, mistake
                source = source.replace(mistake.right, mistake.wrong)
            sys.modules[whole] = module = ModuleType(whole)
            exec(compile(source, spec.origin, "exec"), module.__dict__)
    return module


def serpent(game: Any, number: int) -> Counter[str]:
    """A match of Serpent beside its twin; AssertionError where they differ."""
    chance, rng = Chance(number.to_bytes(32, "big")), Random(number)
    hands, ties = ((8, 10), (2, 0), (2, 1), (2, 5))[number % 4]
    state, _ = game.start(SerpentOptions(ties, hands=hands), 2, chance)
    twin = serpent_twin.Twin(hands, ties, chance)
    turns: Any = twin.play()
    legal: set[Any] = next(turns)
    while state.to_ask is not None:
        assert state.to_ask == twin.asked
        assert {serpent_twin.plain(action) for action in state.legal_actions()} == legal
        assert [{*cards} for cards in state.face_up] == [{*cards} for cards in twin.open]
        action = state.sample_action(rng)
        state.apply(action)
        legal = pippip.next_legal(turns, action)
        assert list(state.outcome().scores) == twin.totals
    assert legal == set()
    return twin.decided


def pip(game: Any, number: int) -> Counter[str]:
    """A match of Pip-Pip!, likewise; two of three with rich hands."""
    rng = Random(number)
    rules, windows = rng.choice(("fosdick", "hervey")), rng.choice(("house", "fosdick", "hervey"))
    seats, eager, rich = rng.choice((3, 4, 5)), rng.random() < 0.3, rng.choice(("", "first", "last"))
    chance = RichChance(number.to_bytes(32, "big")) if rich else Chance(number.to_bytes(32, "big"))
    if isinstance(chance, RichChance):
        chance.late = rich == "last"
    state, _ = game.start(PippipOptions(rules, windows=windows, hands=2), seats, chance)
    twin = pippip_twin.Twin(rules, 2, seats, chance, windows)
    turns = twin.play()
    legal = next(turns)
    while state.to_ask is not None:
        pippip.compare(state, twin)
        assert {*state.legal_actions()} == legal
        action = pippip.all_pairs(state, rng) if eager and state.kind == "call" else state.sample_action(rng)
        state.apply(action)
        legal = pippip.next_legal(turns, action)
    pippip.compare(state, twin)
    return twin.decided


PLAY: Final[dict[str, Callable[[Any, int], Counter[str]]]] = {"serpent": serpent, "pippip": pip}


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
