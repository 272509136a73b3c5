"""Kuhn poker as one seat may imagine it: the other holds either of two cards."""

from kuhn import PACK, KuhnState, KuhnView
from pips_referee.chance import Chance, Rng


def imagine(view: KuhnView, chance: Chance, rng: Rng) -> KuhnState:
    """A state that agrees with the view; `chance` is the luck of the hands to come."""
    state = KuhnState(view.hands, chance)
    other = rng.choice([card for card in PACK if card != view.card])
    state.cards = [other, view.card] if view.seat else [view.card, other]
    state.hand, state.bets, state.chips = view.hand, [*view.bets], [*view.chips]
    state.to_ask, state.kind = view.seat, view.kind
    return state


def redeal(state: KuhnState, chance: Chance, rng: Rng) -> KuhnState:
    """The same hand, and others to come."""
    twin = state.copy()
    twin.chance = chance
    return twin
