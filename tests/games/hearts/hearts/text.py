"""Hearts in words."""

from hearts import HeartsEvent, HeartsView, Pass, Play
from pips_referee import words
from pips_referee.cards import Suit

HINTS = {
    "give": "Pass three cards: high spades, or a whole short suit.",
    "play": "Play a card: follow the suit if you can.",
}


def action_text(action: Pass | Play) -> str:
    """`pass A♠ K♠ Q♠`, `play 2♣`."""
    return words.action_text(action)


def event_text(event: HeartsEvent) -> str:
    """What happened."""
    return words.event_text(event)


def view_text(view: HeartsView) -> str:
    """The position, and what is asked."""
    trick = view.played[len(view.played) // 4 * 4 :]
    to = ("nobody", "the next seat", "the seat across", "the seat before")[view.to]
    lines = [
        f"Hand {view.number + 1} of {view.hands}; cards are passed to {to}.",
        *[f"Your {suit.name.lower()}: {_list(card for card in view.hand if card.suit == suit)}" for suit in Suit],
        f"You passed {_list(view.passed)} and received {_list(view.received)}.",
        f"On the table, led by seat {view.leaders[-1]}: {_list(trick)}" if trick else "Nothing lies on the table.",
        f"Played before: {_list(view.played[: len(view.played) - len(trick)])}",
        f"Points of this hand, by seat: {_list(view.taken)}; of those before: {_list(view.points)}",
    ]
    return "\n".join([*lines, HINTS.get(view.kind, "You are not asked.")])


def situation(view: HeartsView) -> str:
    """Which trick it is, and how one comes to play."""
    place = len(view.played) % 4
    return (
        "passing"
        if view.kind == "give"
        else f"trick {len(view.played) // 4 + 1}, {'leads' if not place else 'follows'}"
    )


def _list(parts: object) -> str:
    return " ".join(map(str, parts)) or "nothing"  # type: ignore[call-overload]
