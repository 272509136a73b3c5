"""Wichita's positions."""

from __future__ import annotations

from pips_referee.cards import Card
from pips_referee.game import get_game
from pips_referee.games.wichita.values import BY_RANK, MAX_DECKS, SUITS, WichitaOptions, WichitaView
from pips_sdk.positions.notation import Notes, ensure, ensure_choice, ensure_no_more, written


def position(text: str) -> WichitaView:
    """A view of Wichita from a short text.

    For example `"dice: 3 5 | hand: 8C 5D 3H KS | others: 4 | stock: 20"`.

    - `ask`: draw or lay, by default lay.
    - `dice`: the roll.
    - `hand`: your cards.
    - `others`: the sizes of the other hands, from your left on; by default one empty
      hand.
    - `stock`: how many cards are left, by default none.
    - `laid`: how many cards of each rank are laid, from the ace on; by default all
      other cards, as evenly by rank as possible.
    - `points`: by seat.
    - `decks`: how many packs there are.

    `PositionError` says what is impossible.
    """
    notes = Notes(text, ["ask", "dice", "hand", "others", "stock", "laid", "points", "decks"])
    kind = notes.word("ask", ("draw", "lay"), "lay")
    dice = notes.numbers("dice", (), 2)
    ensure(len(dice) == 2 and all(1 <= die <= 6 for die in dice), "`dice` are two numbers from 1 to 6")
    hand = tuple(sorted(notes.cards("hand"), key=BY_RANK.__getitem__))
    sizes = (len(hand), *notes.numbers("others", (0,)))
    decks = _decks(notes, len(sizes))
    ensure_no_more(hand, decks)
    stock, laid = _stock_and_laid(notes, hand, sum(sizes[1:]), decks)
    points = notes.numbers("points", (0,) * len(sizes), len(sizes))
    view = WichitaView(
        seat=0, kind=kind, player=0, dice=(dice[0], dice[1]), hand=hand, hand_sizes=sizes, points=points,
        stock_size=stock, laid=laid, decks=decks,
    )  # fmt: skip
    ensure(
        kind == "lay" or (stock > 0 and dice[0] != dice[1]),
        "who is asked to draw has two dice that differ, and a stock",
    )
    ensure_choice(view)
    return view


def _decks(notes: Notes, seats: int) -> int:
    """How many packs that many hands are played with."""
    packs = notes.number("decks", 0)
    ensure(packs <= MAX_DECKS, f"decks: {packs}; there are at most {MAX_DECKS}")
    options = WichitaOptions(packs)
    allowed = get_game("wichita").seats(options)
    ensure(seats in allowed, f"others: with yours {seats} hands; {allowed[0]} to {allowed[-1]} can play")
    return options.decks_for(seats)


def _stock_and_laid(notes: Notes, hand: tuple[Card, ...], others: int, decks: int) -> tuple[int, tuple[int, ...]]:
    """How many cards are left to draw, and how many of each rank are laid.

    `others` is the number of cards in the other hands.
    """
    unseen = [SUITS * decks] * 13
    for card in hand:
        unseen[card.rank - 1] -= 1
    hidden = sum(unseen) - others
    stock = notes.number("stock", hidden)
    ensure(0 <= stock <= hidden, f"stock: {stock} cards; at most {hidden} are left")
    laid = [*notes.numbers("laid", [0] * 13, 13)]
    for _ in range(0 if "laid" in notes else hidden - stock):
        most = max(range(13), key=lambda rank: (unseen[rank] - laid[rank], rank))
        laid[most] += 1
    is_right = sum(laid) == hidden - stock and all(count <= most for count, most in zip(laid, unseen, strict=True))
    ensure(is_right, f"laid: {hidden - stock} cards are neither in a hand nor in the stock")
    return stock, tuple(laid)


def text(view: WichitaView) -> str:
    """The text of a similar position, as far as the notation can describe the view."""
    turned = [*view.hand_sizes[view.seat :], *view.hand_sizes[: view.seat]]
    return written(
        ("ask", view.kind),
        ("dice", view.dice),
        ("hand", view.hand),
        ("others", turned[1:]),
        ("stock", view.stock_size),
        ("laid", view.laid),
        ("points", [*view.points[view.seat :], *view.points[: view.seat]]),
        ("decks", view.decks),
    )
