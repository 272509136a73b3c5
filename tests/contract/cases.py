"""The cases of every game, and the few insides of it that a test must know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pips_referee.cards import CARDS, Card
from pips_referee.chance import Chance
from pips_referee.game import REGISTRY, Action, AnyState, Event
from pips_referee.games.dominion.rules import DominionState
from pips_referee.games.pippip import values as pippip
from pips_referee.games.pippip.rules import PippipState
from pips_referee.games.serpent.rules import SerpentState
from pips_referee.games.serpent.values import DEALT_TO_DEFENDER, DEALT_TO_DIRECTOR, Dealt
from pips_referee.games.wichita.rules import WichitaState
from pips_referee.games.wichita.values import Drew, Lay
from pips_referee.laws import Case, chance

Cards = tuple[Card, ...]


def _wichita_same(action: Action) -> Hashable:
    """Neither suits nor the order of stacks and cards tell layouts apart."""
    if not isinstance(action, Lay):
        return action
    return tuple(sorted(tuple(sorted(card.rank for card in stack)) for stack in action.stacks))


CASES: Final = (
    Case("serpent", "usual", 2),
    Case("serpent", "no-tiebreaks", 2, {"max_tiebreaks": 0}),
    Case("serpent", "two-hands", 2, {"hands": 2, "max_tiebreaks": 1000}),
    Case("wichita", "least", 2, same=_wichita_same),
    Case("wichita", "usual", 4, same=_wichita_same),
    Case("wichita", "most", 12, same=_wichita_same),
    Case("wichita", "one-deck", 5, {"decks": 1}, same=_wichita_same),
    Case("wichita", "twelve-decks", 2, {"decks": 12}, same=_wichita_same),
    Case("pippip", "least", 3),
    Case("pippip", "usual", 4),
    Case("pippip", "most", 12),
    Case("pippip", "hervey-least", 2, {"rules": "hervey"}),
    Case("pippip", "hervey-most", 12, {"rules": "hervey"}),
    Case("pippip", "two-rounds", 3, {"rounds": 2}),
    Case("pippip", "five-hands", 3, {"hands": 5}),
    Case("pippip", "fosdick-windows", 4, {"windows": "fosdick"}),
    Case("pippip", "fosdick-windows-most", 12, {"windows": "fosdick", "hands": 2}),
    Case("pippip", "hervey-windows", 3, {"rules": "hervey", "windows": "hervey"}),
    Case("dominion", "least", 2),
    Case("dominion", "small", 2, {"size": 3}),
    Case("dominion", "usual", 4),
    Case("dominion", "most", 8, {"max_rounds": 20}),
    Case("dominion", "small-most", 8, {"size": 3, "max_rounds": 30}),
    Case("dominion", "optional-army", 3, {"size": 3, "optional_army": True, "resigning": False}),
    Case("dominion", "no-limit", 2, {"size": 3, "max_rounds": 10_000}),
)


@dataclass(frozen=True)
class Inside:
    """How the contract looks inside a game's state and events."""

    holdings: Callable[[Any], Counter[Hashable]]
    """All cards, wherever they lie; their ranks where the game forgets suits."""
    whole: Callable[[Any], Counter[Hashable]]
    """What that must be."""
    private: Callable[[Any], Mapping[int, Cards]] = lambda event: {}
    """The cards of an event that only one seat may see, by that seat."""


def inside(game_name: str) -> Inside:
    return INSIDES[game_name]


def _serpent_holdings(state: SerpentState) -> Counter[Hashable]:
    return Counter([card for cards in (*state.hidden, *state.face_up, *state.rows) for card in cards])


def _serpent_whole(state: SerpentState) -> Counter[Hashable]:
    pack = state.chance.shuffled(f"deck/{state.hand_number}", CARDS)
    return Counter(pack[: DEALT_TO_DEFENDER + DEALT_TO_DIRECTOR])


def _serpent_private(event: Event) -> Mapping[int, Cards]:
    return {seat: hand or () for seat, hand in enumerate(event.hands)} if isinstance(event, Dealt) else {}


def _wichita_holdings(state: WichitaState) -> Counter[Hashable]:
    stock = state.stock[len(state.stock) - state.stock_size :]
    laid = Counter[Hashable]({rank: count for rank, count in enumerate(state.laid, 1) if count})
    return laid + Counter([card.rank for cards in (stock, *state.hands) for card in cards])


def _wichita_whole(state: WichitaState) -> Counter[Hashable]:
    return Counter(dict.fromkeys(range(1, 14), 4 * state.decks))


def _wichita_private(event: Event) -> Mapping[int, Cards]:
    return {event.seat: event.cards or ()} if isinstance(event, Drew) else {}


def _pippip_holdings(state: PippipState) -> Counter[Hashable]:
    played = Counter[Hashable]({CARDS[byte]: count for byte, count in enumerate(state.played) if count})
    stock = (*state.deck[state.drawn :], *state.rest)
    return played + Counter([card for cards in (stock, *state.hidden, *state.face_up) for card in cards])


def _pippip_private(event: Event) -> Mapping[int, Cards]:
    match event:
        case pippip.Dealt():
            return {seat: hand or () for seat, hand in enumerate(event.hands)}
        case pippip.Drew():
            return {event.seat: () if event.card is None else (event.card,)}
        case _:
            return {}


def _dominion_holdings(state: DominionState) -> Counter[Hashable]:
    return Counter(state.stock) + Counter(state.playfield)


def _dominion_whole(state: DominionState) -> Counter[Hashable]:
    playfield = state.chance.shuffled("playfield", [card for card in CARDS if card.rank < 12])
    return Counter(CARDS) + Counter(playfield[: len(state.playfield)])


INSIDES: Final[Mapping[str, Inside]] = {
    "serpent": Inside(_serpent_holdings, _serpent_whole, _serpent_private),
    "wichita": Inside(_wichita_holdings, _wichita_whole, _wichita_private),
    "pippip": Inside(_pippip_holdings, lambda state: Counter(CARDS * 2), _pippip_private),
    "dominion": Inside(_dominion_holdings, _dominion_whole),
}


def dump(state: AnyState) -> dict[str, str]:
    """Everything a state holds, by slot, as text."""
    slots: list[str] = sorted(type(state).__slots__)
    return {slot: _text(getattr(state, slot)) for slot in slots}


def _text(value: object) -> str:
    return f"Chance({value.seed.hex()})" if isinstance(value, Chance) else repr(value)


def cards_in(value: object) -> Counter[Card]:
    """All cards anywhere in an event or a view."""
    if isinstance(value, Card):
        return Counter([value])
    parts: list[Any] = []
    if isinstance(value, (tuple, list)):
        parts = list(value)
    else:
        parts = [getattr(value, name) for name in getattr(type(value), "__match_args__", ())]
    return sum(map(cards_in, parts), Counter())


__all__ = ["CASES", "REGISTRY", "Case", "Inside", "cards_in", "chance", "dump", "inside"]
