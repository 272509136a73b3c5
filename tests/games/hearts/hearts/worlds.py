"""Hearts as one seat may imagine it: hands that agree with every suit not followed."""

from hearts import HeartsState, HeartsView
from pips_referee.cards import CARDS, Card
from pips_referee.chance import Chance, Rng


def imagine(view: HeartsView, chance: Chance, rng: Rng) -> HeartsState:
    """A state that agrees with the view; `chance` is the luck of the hands to come."""
    state = HeartsState(view.hands, view.passing, chance)
    state.number, state.to_ask, state.kind = view.number, view.seat, view.kind
    state.leaders, state.played = [*view.leaders], [*view.played]
    state.taken, state.points = [*view.taken], [*view.points]
    state.passed[view.seat], state.received[view.seat] = view.passed, view.received
    if view.received:
        state.passed[view.seat - view.to] = view.received
    while (hold := _hands(view, rng)) is None:
        pass
    state.hold = hold
    for seat in range(view.seat if view.kind == "give" else 0):  # they have chosen before
        rng.shuffle(hold[seat])
        state.passed[seat] = tuple(sorted(hold[seat][:3]))
        hold[seat].sort()
    return state


def _hands(view: HeartsView, rng: Rng) -> list[list[Card]] | None:
    """Hands at random; None where the last cards would fit nobody."""
    room, void = [13] * 4, [set[int]() for _ in range(4)]
    for place, card in enumerate(view.played):
        seat = (view.leaders[place // 4] + place) % 4
        room[seat] -= 1
        if card.suit != view.played[place // 4 * 4].suit:
            void[seat].add(view.played[place // 4 * 4].suit)
    hold: list[list[Card]] = [[], [], [], []]
    hold[view.seat] = [*view.hand]
    unseen = {*CARDS} - {*view.hand} - {*view.played}
    if view.received:
        hold[(view.seat + view.to) % 4] = [card for card in view.passed if card in unseen]
    cards = [card for card in CARDS if card in unseen and not any(card in hand for hand in hold)]
    rng.shuffle(cards)
    cards.sort(key=lambda card: sum(card.suit not in suits for suits in void))  # what fits few seats first
    for card in cards:
        places = [seat for seat in range(4) if card.suit not in void[seat] for _ in range(room[seat] - len(hold[seat]))]
        if not places:
            return None
        hold[rng.choice(places)].append(card)
    return [sorted(hand) for hand in hold]


def redeal(state: HeartsState, chance: Chance, rng: Rng) -> HeartsState:
    """The same hand, and others to come."""
    twin = state.copy()
    twin.chance = chance
    return twin
