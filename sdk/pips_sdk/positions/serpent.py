"""Serpent's positions."""

from __future__ import annotations

from pips_referee.cards import Card
from pips_referee.games.serpent.scoring import COLUMNS
from pips_referee.games.serpent.values import EMPTY_CELLS, SerpentOptions, SerpentView
from pips_sdk.positions.notation import Notes, ensure, ensure_choice, ensure_no_more, written

KINDS = ("give", "reveal", "lead", "answer")
DEALT = {"give": 9}
TURNED_UP = {"give": 0, "reveal": 3}
"""How many of the other seat's cards are face up before any is played (S2)."""


def position(text: str) -> SerpentView:
    """A view of Serpent from a short text.

    For example `"hidden: 2C 3D | open: 7H | mine: 9S JH 8D | theirs: 9C 10H 3S"`.

    - `ask`: give, reveal, lead or answer; by default lead, or answer if there is a
      `lead`.
    - `hidden`, `open`: your cards.
    - `mine`, `theirs`: the rows, from the first column on. They show who directs.
    - `lead`: the card to answer.
    - `other`: the other's cards that lie face up.
    - `points`: yours and the other's.

    `PositionError` says what is impossible.
    """
    notes = Notes(text, ["ask", "hidden", "open", "mine", "theirs", "lead", "other", "points"])
    hidden, face_up, other, lead = (notes.cards(name) for name in ("hidden", "open", "other", "lead"))
    kind = notes.word("ask", KINDS, "answer" if "lead" in notes else "lead")
    ensure(len(lead) == (kind == "answer"), "there is one `lead` when you are to answer, else none")
    mine, theirs = notes.cards("mine"), notes.cards("theirs") + lead
    column = len(mine)
    ensure(column < COLUMNS, f"`mine` has {column} cards; with {COLUMNS} the hand is over")
    ensure(len(theirs) == column + len(lead), "`mine` and `theirs` have the same number of cards, without the lead")
    ensure_no_more((*hidden, *face_up, *mine, *theirs, *other), 1)
    hand = hidden + face_up
    hidden_count = _hidden_count(kind, len(hand), len(other), face_up, mine, theirs)
    follows = [card for card in hand if lead and (card.suit is lead[0].suit or card.rank == lead[0].rank)]
    directs = kind in ("give", "reveal") or (column % 2 == 0) == (kind == "lead")  # S3
    points = notes.numbers("points", (0, 0), 2)
    options = SerpentOptions()
    view = SerpentView(
        seat=0, kind=kind, hand_number=1 if directs else 2, director=0 if directs else 1,
        hidden=tuple(sorted(hidden)), face_up=tuple(sorted(face_up)),
        other_face_up=tuple(sorted(other)), other_hidden_count=hidden_count,
        my_row=mine + EMPTY_CELLS[column], other_row=theirs + EMPTY_CELLS[len(theirs)],
        lead=lead[0] if lead else None, playable=tuple(follows) or hand,
        my_points=points[0], other_points=points[1], hands=options.hands, max_hands=options.max_hands,
    )  # fmt: skip
    ensure_choice(view)
    return view


def _hidden_count(
    kind: str, held: int, other: int, face_up: tuple[Card, ...], mine: tuple[Card, ...], theirs: tuple[Card, ...]
) -> int:
    """How many hidden cards the other has; checks both hands.

    `held` and `other` are the numbers of your cards and of the other's face up.
    """
    if kind in TURNED_UP:
        ensure(
            not (face_up or mine or theirs), f"when {kind} is asked you have no card face up, and the rows are empty"
        )
        turned_up = TURNED_UP[kind]
        ensure(other == turned_up, f"when {kind} is asked the other has {turned_up} cards face up (`other`)")
    size = DEALT.get(kind, COLUMNS - len(mine))
    ensure(held == size, f"you have {held} cards in `hidden` and `open`, but must have {size}")
    hidden = 3 if kind == "give" else COLUMNS - len(theirs) - other
    ensure(hidden >= 0, f"the other has {other} cards face up and {len(theirs)} in its row")
    return hidden


def text(view: SerpentView) -> str:
    """The text of a similar position, as far as the notation can describe the view."""
    return written(
        ("ask", view.kind),
        ("hidden", view.hidden),
        ("open", view.face_up),
        ("mine", [card for card in view.my_row if card is not None]),
        ("theirs", [card for mine, card in zip(view.my_row, view.other_row, strict=True) if mine and card]),
        ("lead", [view.lead] if view.lead is not None else []),
        ("other", view.other_face_up),
        ("points", (view.my_points, view.other_points)),
    )
