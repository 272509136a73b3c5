"""Golden playthroughs: the game's own text of a match, or of its beginning."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

from tests.contract.cases import Case, chance

FOLDER = Path(__file__).parent
SHOWN = 40
"""Questions shown with their answers; later ones are in the digest at the end."""
VIEW_EVERY = 10
"""The seat's view is shown at the first question of each kind, and at each tenth."""
SEED = 1


def path_of(case: Case) -> Path:
    return FOLDER / f"{case.id}.txt"


def playthrough(case: Case) -> str:
    """The golden text of a case."""
    return "\n".join(_lines(case)) + "\n"


def _lines(case: Case) -> Iterator[str]:
    text: Any = import_module(f"pips_referee.games.{case.game_name}.text")
    rng, rest, asked = Random(SEED), sha256(), 0
    kinds_shown: set[str] = set()
    state, events = case.start(chance(SEED))
    options = ", ".join(f"{name}={chosen!r}" for name, chosen in case.options.named().items())
    yield f"{case.game.title}, {case.seats} seats, {type(case.options).__name__}({options}), seed {SEED}"
    yield from map(text.event_text, events)
    while state.to_ask is not None:
        asked += 1
        view, action, kind = text.view_text(state.view(state.to_ask)), state.sample_action(rng), state.kind
        told = [f"\n--- question {asked}, to seat {state.to_ask}: {kind}"]
        if kind not in kinds_shown or asked % VIEW_EVERY == 0:
            kinds_shown.add(kind)
            told.append(view)
        told += [f">>> {text.action_text(action)}", *map(text.event_text, state.apply(action))]
        rest.update("\n".join([view, *told]).encode())
        if asked <= SHOWN:
            yield from told
    yield f"\nover after {asked} questions: {state.outcome()}"
    yield f"SHA-256 of everything, all views included: {rest.hexdigest()}"
