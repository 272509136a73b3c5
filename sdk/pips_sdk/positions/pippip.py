"""Pip-Pip!'s positions."""

from __future__ import annotations

from collections.abc import Sequence

from pips_referee.cards import CARDS, Card, Suit
from pips_referee.game import get_game
from pips_referee.games.pippip.tricks import following, pairs
from pips_referee.games.pippip.values import FOSDICK, HAND_CARDS, HERVEY, HOUSE, PippipOptions, PippipView
from pips_sdk.positions.notation import Notes, ensure, ensure_choice, ensure_no_more, written

SUIT_NAMES = ("clubs", "diamonds", "hearts", "spades")


def position(text: str) -> PippipView:
    """A view of Pip-Pip! from a short text.

    For example `"trumps: spades | trick: 2H 5H | hand: AH KS 3C QD 4D 9C 10H"`.

    - `ask`: play or call, by default play.
    - `trumps`: the suit by its name.
    - `hand`: your hidden cards; `open`: those face up.
    - `trick`: the cards played so far, from the leader's on, with yours if you may
      call.
    - `seats`: by default 3.
    - `stock`: how many cards are left to draw. Missing cards were played, evenly; by
      default none was. Without seven cards in hand, before you play, no cards are drawn
      any more.
    - `points`: by seat.
    - `rules`: fosdick or hervey.

    `PositionError` says what is impossible.
    """
    notes = Notes(text, ["ask", "trumps", "hand", "open", "trick", "seats", "stock", "points", "rules"])
    kind = notes.word("ask", ("play", "call"), "play")
    trumps = Suit(SUIT_NAMES.index(notes.word("trumps", SUIT_NAMES, "")))
    rules = notes.word("rules", (FOSDICK, HERVEY), FOSDICK)
    seats = notes.seats(3, get_game("pippip").seats(PippipOptions(rules)), f"by the rules of {rules} ")
    hidden, face_up, trick = (notes.cards(name) for name in ("hand", "open", "trick"))
    ensure_no_more((*hidden, *face_up, *trick), 2)
    leader, counts, drawing = _places(notes, kind, seats, len(trick), len(hidden) + len(face_up))
    limits = _limits(trick, leader, seats, drawing=drawing)
    hand = [*sorted(hidden), *face_up]
    stock, played = _stock_and_played(notes, trick, hand, list(zip(counts, limits, strict=True))[1:], drawing=drawing)
    view = PippipView(
        seat=0, kind=kind, hand_number=1, hands=seats, dealer=seats - 1, trumps=trumps, next_trumps=None, rest=(),
        leader=leader, trick=trick, hidden=tuple(sorted(hidden)), face_up=(face_up, *[()] * (seats - 1)),
        hand_counts=tuple(counts), stock_count=stock, played=tuple(played), suit_limits=tuple(b"".join(limits)),
        tricks=(0,) * seats, points=notes.numbers("points", (0,) * seats, seats), windows=HOUSE, windows_left=0,
        callable=pairs(hidden, trumps) if kind == "call" else (), drawing=drawing, last_call_rules=rules == FOSDICK,
        playable=tuple(dict.fromkeys((trick and following(hand, trick[0].suit)) or hand)) if kind == "play" else (),
    )  # fmt: skip
    ensure_choice(view)
    return view


def _places(notes: Notes, kind: str, seats: int, trick: int, held: int) -> tuple[int, list[int], bool]:
    """The seat that led, the cards in hand by seat, and whether cards are still drawn.

    `trick` cards have been played to the trick.
    """
    mine_is_played = kind == "call" and trick > 0
    ensure(trick < seats + mine_is_played, f"a trick of {seats} seats has no {trick} cards before you play")
    drawing = held == HAND_CARDS and (mine_is_played or notes.number("stock", 1) > 0)
    leader = (mine_is_played - trick) % seats
    played_now = {(leader + place) % seats for place in range(trick)}
    before = held + (mine_is_played and not drawing)
    ensure(before <= HAND_CARDS, f"you have {held} cards; a hand has at most {HAND_CARDS}")
    return leader, [held, *[before - (seat in played_now and not drawing) for seat in range(1, seats)]], drawing


def _limits(trick: Sequence[Card], leader: int, seats: int, *, drawing: bool) -> list[bytes]:
    """By seat, the most hidden cards of each suit, as the trick reveals (P5)."""
    limits = [bytearray([HAND_CARDS] * len(Suit)) for _ in range(seats)]
    for place, card in enumerate(trick):
        limit = limits[(leader + place) % seats]
        if card.suit is not trick[0].suit:
            limit[trick[0].suit] = 0
        limit[card.suit] -= 1
        if drawing:
            limit[:] = [min(HAND_CARDS, most + 1) for most in limit]
    return [bytes(limit) for limit in limits]


def _stock_and_played(
    notes: Notes, trick: Sequence[Card], hand: Sequence[Card], others: Sequence[tuple[int, bytes]], *, drawing: bool
) -> tuple[int, list[int]]:
    """How many cards are left to draw, and how often each card was played.

    `others` are the other hands: their sizes, and the most cards of each suit.
    """
    played = [trick.count(card) for card in CARDS]
    left = [2 - count - hand.count(card) for count, card in zip(played, CARDS, strict=True)]
    most = sum(left) - sum(count for count, _ in others)
    stock = notes.number("stock", most if drawing else 0)
    ensure(0 <= stock <= most, f"stock: {stock} cards; at most {most} are left")
    ensure(drawing or not stock, f"while there is a stock, hands have {HAND_CARDS} cards")
    due = len(others) + 1 - len(trick)
    ensure(
        not drawing or stock >= due, f"stock: {stock} cards; in a trick in which cards are drawn {due} are still due"
    )
    led = [card for card in CARDS if trick and card.suit is trick[0].suit]
    room = stock + sum(min(count, limit[trick[0].suit]) for count, limit in others if trick)
    for _ in range(most - stock):
        must = led if sum(left[card] for card in led) > room else CARDS
        card = max(must, key=lambda card: (left[card], -(card * 31 % 52)))  # any cards, spread over suits and ranks
        left[card] -= 1
        played[card] += 1
    return stock, played


def text(view: PippipView) -> str:
    """The text of a similar position, as far as the notation can describe the view."""
    return written(
        ("ask", view.kind),
        ("trumps", SUIT_NAMES[view.trumps]),
        ("hand", view.hidden),
        ("open", view.face_up[view.seat]),
        ("trick", view.trick),
        ("seats", len(view.points)),
        ("stock", view.stock_count),
        ("points", [*view.points[view.seat :], *view.points[: view.seat]]),
        ("rules", FOSDICK if view.last_call_rules else HERVEY),
    )
