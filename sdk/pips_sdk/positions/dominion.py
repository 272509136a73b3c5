"""Dominion's positions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import isqrt

from pips_referee.cards import KING, Card, parse_card
from pips_referee.game import get_game
from pips_referee.games.dominion.battle import FULL, SIZES, neighbours, reach
from pips_referee.games.dominion.choices import advances, attacks, deployments, kings_cells, rooms_for
from pips_referee.games.dominion.values import MOST_ROUNDS, Conquest, DominionOptions
from pips_referee.games.dominion.view import DominionView
from pips_sdk.positions.notation import Notes, PositionError, ensure, ensure_choice, ensure_no_more, written

KINDS = ("resign", "declare", "reinforce", "remove", "attack", "conquer", "advance", "deploy")
STAGES = {"reinforce": "attack", "remove": "attack", "conquer": "attack"}
TURNED = {"attack": (1,), "conquer": (1,), "reinforce": (1,), "remove": (1,), "advance": (0, 1), "deploy": (0, 1)}
"""By question, how many cards may be turned for the attacks; else none (D4)."""
CELL = re.compile(r"(\w+?)(?:([+-])(\d+)(?:@(\d+))?)?")


def position(text: str) -> DominionView:
    """A view of Dominion from a short text.

    For example `"ask: deploy | dice: 3 4 | field: 7H+3 5C 2D-4 AS 9H 3C+1 4S 8D JC-1"`.

    - `ask`: the kind of question.
    - `field`: the cards of the playfield row by row. `7H+3` has three armies of yours,
      `7H-3` three of seat 1, `7H-3@2` three of seat 2.
    - `seats`: by default 2.
    - `turned`: the card turned for the attacks.
    - `dice`: your roll, if you are to deploy.
    - `conquest`: the cell that won and the one it emptied. If the emptied one had
      attacked, it is the turn of seat 1.
    - `fought`: 1 if you have attacked in this turn.
    - `round`, `rounds`: the current one and the last. From the second round on, every
      seat has had armies.

    `PositionError` says what is impossible.
    """
    notes = Notes(text, ["ask", "field", "seats", "turned", "dice", "conquest", "fought", "round", "rounds"])
    kind = notes.word("ask", KINDS, "")
    seats = notes.seats(2, get_game("dominion").seats(DominionOptions()))
    size, cards, owners, armies = _field(notes, kind, seats)
    capacity = [FULL - card.rank for card in cards]
    turned, dice = _turned(notes, kind), _dice(notes, kind)
    conquest = _conquest(notes, size, owners, capacity, armies) if kind == "conquer" else None
    round_, rounds = _rounds(notes, kind, size, armies, seats)
    view = DominionView(
        seat=0, kind=kind, size=size, round=round_, max_rounds=rounds, stage=STAGES.get(kind, kind),
        turn=0 if conquest is None or conquest.target in reach(conquest.source, size) else 1, resigned=(False,) * seats,
        playfield=cards, owners=owners, armies=armies, turned=turned[0] if turned else None, discards=turned,
        attacks=attacks(owners, 0, size) if kind in ("declare", "attack") else (), resigning=True, optional_army=False,
        had_armies=(round_ > 1,) * seats, must_attack=notes.number("fought", 0) == 0 and kind == "attack",
        cells=tuple(kings_cells(owners, armies, capacity, 0, turned[0])) if kind in ("reinforce", "remove") else (),
        conquest=conquest, advances=advances(owners, armies, capacity, 0, size) if kind == "advance" else (),
        dice=dice, deployments=deployments(rooms_for(owners, armies, capacity, 0), cards, dice) if dice else (),
    )  # fmt: skip
    ensure(kind not in ("declare", "advance", "deploy", "attack") or bool(view.choices), f"there is nothing to {kind}")
    ensure_choice(view)
    return view


def _field(
    notes: Notes, kind: str, seats: int
) -> tuple[int, tuple[Card, ...], tuple[int | None, ...], tuple[int, ...]]:
    """The playfield's size, and the cards, owners and armies of its cells."""
    cells = [_cell(word, seats) for word in notes.parts.get("field", "").split()]
    size = isqrt(len(cells))
    ensure(size in SIZES and size * size == len(cells), f"field: it has 9, 16 or 25 cards, not {len(cells)}")
    cards, owners, armies = zip(*cells, strict=True)
    ensure_no_more(cards, 1)
    ensure(kind != "resign" or 0 not in owners, "resign: who has armies is not asked")
    ensure(owners[0] is None or len(set(owners)) > 1, f"field: seat {owners[0]} has won: it occupies every territory")
    return size, cards, owners, armies


def _cell(word: str, seats: int) -> tuple[Card, int | None, int]:
    """A cell's card, owner and armies."""
    match = CELL.fullmatch(word)
    try:
        card = parse_card(match[1] if match else word)
    except ValueError as error:
        raise PositionError(f"field: {word!r} is no cell such as 7H, 7H+3 or 7H-3@2: {error}") from None
    assert match is not None
    ensure(card.rank < 12, f"field: {word}: no queen or king is in the playfield")
    if not match[2]:
        return card, None, 0
    owner, count = 0 if match[2] == "+" else int(match[4] or 1), int(match[3])
    ensure(
        owner < seats and (owner > 0) == (match[2] == "-"),
        f"field: {word}: with {seats} seats, + is yours, - seats 1 on",
    )
    ensure(1 <= count <= 14 - card.rank, f"field: {word}: 1 to {14 - card.rank} armies can be there")
    return card, owner, count


def _turned(notes: Notes, kind: str) -> tuple[Card, ...]:
    """The card turned for the attacks, or none."""
    turned, counts = notes.cards("turned"), TURNED.get(kind, (0,))
    ensure(
        len(turned) in counts, f"turned: when {kind} is asked there is {'no' if counts == (0,) else 'one'} such card"
    )
    if kind in ("reinforce", "remove"):
        (card,), is_red = turned, kind == "reinforce"
        colour = "red" if is_red else "black"
        ensure(card.rank == KING and card.is_red is is_red, f"turned: who is to {kind} has turned a {colour} king")
    return turned


def _dice(notes: Notes, kind: str) -> tuple[int, int] | None:
    dice = notes.numbers("dice", (), 2)
    ensure(bool(dice) == (kind == "deploy"), "there are `dice` when you deploy, and only then")
    ensure(all(1 <= die <= 6 for die in dice), "`dice` are two numbers from 1 to 6")
    return (dice[0], dice[1]) if dice else None


def _rounds(notes: Notes, kind: str, size: int, armies: Sequence[int], seats: int) -> tuple[int, int]:
    """The current and the last round."""
    rounds = notes.number("rounds", DominionOptions(size).rounds_for(seats))
    ensure(1 <= rounds <= MOST_ROUNDS, f"rounds: {rounds}; there are 1 to {MOST_ROUNDS}")
    round_ = notes.number("round", min(2, rounds))
    ensure(1 <= round_ <= rounds, f"round: {round_}; there are {rounds} rounds")
    is_first_answer = kind == "deploy" and not any(armies)
    ensure(round_ > 1 or is_first_answer, "round: in the first you are asked to deploy, on an empty field")
    return round_, rounds


def _conquest(
    notes: Notes, size: int, owners: Sequence[int | None], capacity: Sequence[int], armies: Sequence[int]
) -> Conquest:
    source, target = notes.numbers("conquest", (0, 0), 2)
    ensure(source != target and max(source, target) < len(owners), "conquest: two different cells of the field")
    ensure(owners[source] == 0 and owners[target] is None, "conquest: the first cell has your armies, the second none")
    ensure(target in neighbours(source, size), f"conquest: cells {source} and {target} do not lie side by side")
    return Conquest(source, target, min(armies[source], capacity[target]))


def text(view: DominionView) -> str:
    """The text of a similar position, as far as the notation can describe the view."""
    seats = len(view.resigned)

    def cell(place: int) -> str:
        owner = view.owners[place]
        if owner is None:
            return view.playfield[place].code
        who = (owner - view.seat) % seats
        return f"{view.playfield[place].code}{'-' if who else '+'}{view.armies[place]}{f'@{who}' if who else ''}"

    return written(
        ("ask", view.kind),
        ("field", [cell(place) for place in range(len(view.playfield))]),
        ("seats", seats),
        ("turned", [view.turned] if view.turned is not None else []),
        ("dice", view.dice or ()),
        ("conquest", (view.conquest.source, view.conquest.target) if view.conquest is not None else ()),
        ("fought", int(view.kind == "attack" and not view.must_attack)),
        ("round", view.round),
        ("rounds", view.max_rounds),
    )
