"""Serpent as one seat may imagine it: the other's hidden cards and all decks to come.

Hands are drawn uniformly from those that agree with the cards dealt, shown and played,
and with each answer that shared neither suit nor rank with its lead (S4).
"""

from __future__ import annotations

from pips_referee.cards import CARDS, Card
from pips_referee.chance import Chance, Rng
from pips_referee.games.serpent.rules import SerpentState
from pips_referee.games.serpent.values import SerpentOptions, SerpentView


def imagine(view: SerpentView, chance: Chance, rng: Rng) -> SerpentState:
    """A state of one imagined world; `chance` is for the hands to come."""
    seat, other = view.seat, 1 - view.seat
    state = SerpentState(SerpentOptions(), chance)
    state.hands, state.max_hands = view.hands, view.max_hands
    state.hand_number, state.director = view.hand_number, view.director
    state.to_ask, state.kind = seat, view.kind
    state.lead, state.playable = view.lead, view.playable
    possible = possible_cards(view)
    rng.shuffle(possible)
    state.hidden, state.face_up, state.rows = [[], []], [[], []], [[], []]
    state.hidden[seat], state.hidden[other] = [*view.hidden], sorted(possible[: view.other_hidden_count])
    state.face_up[seat], state.face_up[other] = [*view.face_up], [*view.other_face_up]
    state.rows[seat], state.rows[other] = _laid(view.my_row), _laid(view.other_row)
    state.totals[seat], state.totals[other] = view.my_points, view.other_points
    state.column = len(state.rows[seat])
    return state


def redeal(state: SerpentState, chance: Chance, rng: Rng) -> SerpentState:  # noqa: ARG001 - as in every game
    """The state with other hands to come; the current one is fully dealt (S1)."""
    twin = state.copy()
    twin.chance = chance
    return twin


def possible_cards(view: SerpentView) -> list[Card]:
    """The cards that the other seat may hold: unseen, and not ruled out by S4."""
    seen = {*view.hand, *view.other_face_up, *view.my_row, *view.other_row}
    missed = []
    for column, (lead, answer) in enumerate(zip(view.my_row, view.other_row, strict=True)):
        i_led = (column % 2 == 0) == view.is_director  # S3: the seats take turns to lead, the director first
        if i_led and lead is not None and answer is not None and not _fits(answer, lead):
            missed.append(lead)
    return [card for card in CARDS if card not in seen and not any(_fits(card, lead) for lead in missed)]


def _fits(card: Card, lead: Card) -> bool:
    return card.suit is lead.suit or card.rank == lead.rank


def _laid(row: tuple[Card | None, ...]) -> list[Card]:
    return [card for card in row if card is not None]
