"""Wichita, as RULES.md numbers it: roll, draw, and lay down stacks that make the sum of the dice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import ClassVar, Final, Self, assert_never

from pips_referee.cards import CARDS, KING, Card
from pips_referee.chance import Chance, Rng
from pips_referee.errors import IllegalAction
from pips_referee.game import Action, Event, Game, Options, Outcome, State, View, check_whole, places_of
from pips_referee.games.wichita.stacks import (
    Reason,
    flaw,
    has_stack,
    layouts,
    legal_stacks,
    random_layout,
    stack_worth,
)

MAX_DECKS: Final = 12
SUITS: Final = 4
PACK: Final = len(CARDS)

DRAW, LAY = "draw", "lay"

Dice = tuple[int, int]
Stack = tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class WichitaOptions(Options):
    """`decks`: how many packs are shuffled together, 1 to 12; 0 is one for every two seats (W1)."""

    decks: int = 0

    def __post_init__(self) -> None:
        check_whole(self, "decks", 0, MAX_DECKS)

    def decks_for(self, seats: int) -> int:
        """The packs that so many seats play with."""
        return self.decks or (seats + 1) // 2


@dataclass(frozen=True, slots=True)
class DrawOn(Action):
    """Whether the player draws on, up to the higher die (W3)."""

    more: bool


@dataclass(frozen=True, slots=True)
class Lay(Action):
    """The stacks a player lays down, maybe none (W4). The cards of a stack may stand in any order."""

    stacks: tuple[Stack, ...]


WichitaAction = DrawOn | Lay


@dataclass(frozen=True, slots=True)
class RolledForFirst(Event):
    """A seat rolled for the right to begin (W2)."""

    chance: ClassVar[bool] = True
    seat: int
    dice: Dice


@dataclass(frozen=True, slots=True)
class Rolled(Event):
    """A turn began with this roll (W3)."""

    chance: ClassVar[bool] = True
    seat: int
    dice: Dice


@dataclass(frozen=True, slots=True)
class Drew(Event):
    """So many cards were drawn (W3). `cards` is None where the seat that looks may not see them (W9)."""

    chance: ClassVar[bool] = True
    seat: int
    count: int
    cards: tuple[Card, ...] | None

    def seen_by(self, seat: int) -> Drew:
        return self if seat == self.seat else _drew_unseen(self.seat, self.count)


@dataclass(frozen=True, slots=True)
class Laid(Event):
    """The stacks laid down, maybe none, and their points (W4, W5)."""

    seat: int
    stacks: tuple[Stack, ...]
    points: int


@dataclass(frozen=True, slots=True)
class TurnedUp(Event):
    """The hand was empty, so the next card of the stock became one more stack (W6)."""

    chance: ClassVar[bool] = True
    seat: int
    card: Card


WichitaEvent = RolledForFirst | Rolled | Drew | Laid | TurnedUp


@dataclass(frozen=True, slots=True)
class WichitaView(View):
    """What one seat knows: its own hand, and of everything else what lies on the table (W9)."""

    seat: int
    kind: str
    player: int
    """The seat whose turn it is."""
    dice: Dice
    """The roll of this turn."""
    hand: tuple[Card, ...]
    """Your cards, by rank and then by suit."""
    hand_sizes: tuple[int, ...]
    """By seat."""
    points: tuple[int, ...]
    """By seat, of the stacks; the cards left in hand are taken off at the end (W8)."""
    stock_size: int
    laid: tuple[int, ...]
    """How many cards of each rank, ace to king, lie in the stacks of all seats."""
    decks: int
    """How many packs are in play."""

    @property
    def target(self) -> int:
        """What a stack has to make."""
        return self.dice[0] + self.dice[1]

    @property
    def more_cards(self) -> int:
        """How many cards drawing on would bring when you are asked to "draw"."""
        return min(abs(self.dice[0] - self.dice[1]), self.stock_size)

    @property
    def scores(self) -> tuple[int, ...]:
        """By seat, as if the match ended now (W8)."""
        return tuple([points - size for points, size in zip(self.points, self.hand_sizes, strict=True)])

    @property
    def unseen(self) -> tuple[int, ...]:
        """How many cards of each rank, ace to king, are in the stock or in other hands."""
        ranks = [card.rank for card in self.hand]
        return tuple([SUITS * self.decks - laid - ranks.count(rank) for rank, laid in enumerate(self.laid, 1)])

    def legal_stacks(self) -> Iterator[Stack]:
        """Every different stack your hand has for this roll, suits aside; lazy."""
        return legal_stacks(self.hand, self.target)

    def legal_actions(self) -> Iterator[WichitaAction]:
        """Lazy, and complete up to the suits and the order of what is laid."""
        return _actions(self.kind, self.hand, self.dice)

    def random_action(self, rng: Rng) -> WichitaAction:
        return _random_action(self.kind, self.hand, self.dice, rng)


class WichitaState(State[WichitaView, WichitaAction, WichitaEvent]):
    """A match of Wichita. Everything by seat is a list; hands are sorted by rank."""

    __slots__ = (
        "chance", "decks", "dice", "hands", "kind", "laid", "player", "points", "rolls", "stock", "stock_size",
        "to_ask",
    )  # fmt: skip

    def __init__(self, options: WichitaOptions, seats: int, chance: Chance) -> None:
        self.chance = chance
        self.decks = options.decks_for(seats)
        self.stock = chance.shuffled("deck", CARDS * self.decks)
        """The shuffled packs, the top card first; never changed. The last `stock_size` cards are still there."""
        self.stock_size = len(self.stock)
        self.hands: list[list[Card]] = [[] for _ in range(seats)]
        self.points = [0] * seats
        self.rolls = [0] * seats
        self.laid = [0] * KING
        self.dice: Dice
        self.player: int
        """The seat whose turn it is, or was the last."""

    def apply(self, action: WichitaAction) -> list[WichitaEvent]:
        if action.__class__ is not _ACTION_OF.get(self.kind):
            sentence = f"{action} does not answer a question to {self.kind or 'nobody'}"
            raise IllegalAction(Reason.WRONG_KIND, action, sentence)
        events: list[WichitaEvent] = []
        match action:
            case DrawOn(more):
                if more:
                    self._draw(abs(self.dice[0] - self.dice[1]), events)
                self._play_on(events, has_drawn=True)
            case Lay(stacks):
                left, worth = self._check(action)
                self._lay(stacks, left, worth, events)
                self._play_on(events)
            case _:
                assert_never(action)
        return events

    def legal_actions(self) -> Iterator[WichitaAction]:
        """Lazy, and complete up to the suits and the order of what is laid."""
        return _actions(self.kind, self.hands[self.player], self.dice)

    def sample_action(self, rng: Rng) -> WichitaAction:
        return _random_action(self.kind, self.hands[self.player], self.dice, rng)

    def view(self, seat: int) -> WichitaView:
        return WichitaView(
            seat,
            self.kind if seat == self.to_ask else "",
            self.player,
            self.dice,
            tuple(self.hands[seat]),
            tuple([len(hand) for hand in self.hands]),
            tuple(self.points),
            self.stock_size,
            tuple(self.laid),
            self.decks,
        )

    def outcome(self) -> Outcome:
        scores = [points - len(hand) for points, hand in zip(self.points, self.hands, strict=True)]  # W8
        return Outcome(places_of(scores), tuple(scores))

    def copy(self) -> Self:
        twin = object.__new__(type(self))
        twin.chance = self.chance
        twin.decks = self.decks
        twin.stock = self.stock
        twin.stock_size = self.stock_size
        twin.hands = [hand[:] for hand in self.hands]
        twin.points = self.points[:]
        twin.rolls = self.rolls[:]
        twin.laid = self.laid[:]
        twin.dice = self.dice
        twin.player = self.player
        twin.to_ask = self.to_ask
        twin.kind = self.kind
        return twin

    def begin(self, events: list[WichitaEvent]) -> None:
        """Roll for the right to begin (W2), then play on to the first question."""
        rolling = list(range(len(self.hands)))
        rolls = 0
        while len(rolling) > 1:
            rolls += 1
            thrown = {seat: self._dice(f"first/{seat}/{rolls}") for seat in rolling}
            events.extend([RolledForFirst(seat, dice) for seat, dice in thrown.items()])
            highest = max(map(sum, thrown.values()))
            rolling = [seat for seat, dice in thrown.items() if sum(dice) == highest]
        self.player = self.to_ask = rolling[0]
        self._play_on(events)

    def _play_on(self, events: list[WichitaEvent], has_drawn: bool = False) -> None:
        """Go on to the next choice, or to the end; the player has either drawn his cards, or yet to roll."""
        while self.to_ask is not None:
            if has_drawn:
                hand = self.hands[self.player]
                if has_stack(hand, self.dice[0] + self.dice[1]):
                    self.kind = LAY
                    return
                self._lay((), hand, 0, events)
            else:
                self._roll(events)
                if self.stock_size and self.dice[0] != self.dice[1]:
                    self.kind = DRAW
                    return
            has_drawn = not has_drawn

    def _roll(self, events: list[WichitaEvent]) -> None:
        """Begin a turn: both dice, and as many cards as the lower one shows (W3)."""
        player = self.player
        self.rolls[player] += 1
        self.dice = self._dice(f"dice/{player}/{self.rolls[player]}")
        events.append(Rolled(player, self.dice))
        self._draw(min(self.dice), events)

    def _dice(self, name: str) -> Dice:
        first, second = self.chance.dice(name)
        return first, second

    def _draw(self, count: int, events: list[WichitaEvent]) -> None:
        """Draw so many cards, or all there are (W3)."""
        top = len(self.stock) - self.stock_size
        drawn = self.stock[top : top + count]
        self.stock_size -= len(drawn)
        hand = self.hands[self.player]
        hand += drawn
        hand.sort(key=BY_RANK.__getitem__)
        events.append(Drew(self.player, len(drawn), tuple(drawn)))

    def _check(self, action: Lay) -> tuple[list[Card], int]:
        """The cards left over and the points of the stacks; every reason why they may be illegal."""
        left = self.hands[self.player][:]
        points = 0
        for number, stack in enumerate(action.stacks, 1):
            for card in stack:
                if card not in left:
                    sentence = f"{card} of stack {number} ({_text(stack)}) is not in the hand, or was laid before"
                    raise IllegalAction(Reason.NOT_IN_HAND, action, sentence)
                left.remove(card)
            worth = stack_worth(stack, self.dice)
            if not worth:
                reason, why = flaw(stack, self.dice[0] + self.dice[1])
                raise IllegalAction(reason, action, f"stack {number} ({_text(stack)}) {why}")
            points += worth
        return left, points

    def _lay(self, stacks: tuple[Stack, ...], left: list[Card], worth: int, events: list[WichitaEvent]) -> None:
        """Lay down the stacks and end the turn: the bonus card (W6), the end of the match (W7), or the next player."""
        player = self.player
        self.hands[player] = left
        self.points[player] += worth
        for stack in stacks:
            for card in stack:
                self.laid[card.rank - 1] += 1
        events.append(Laid(player, stacks, worth))
        if not left and self.stock_size:  # W6
            card = self.stock[-self.stock_size]
            self.stock_size -= 1
            self.points[player] += 1
            self.laid[card.rank - 1] += 1
            events.append(TurnedUp(player, card))
        else:
            self.player = (player + 1) % len(self.hands)
        self.to_ask = self.player
        if not self.stock_size:  # W7
            self.player, self.to_ask, self.kind = player, None, ""


class Wichita(Game[WichitaView, WichitaAction, WichitaEvent]):
    name = "wichita"
    title = "Wichita"
    rules_version = 1
    options_type = WichitaOptions
    kinds = (DRAW, LAY)

    def seats(self, options: Options) -> range:
        return range(2, 13)

    def start(self, options: Options, seats: int, chance: Chance) -> tuple[WichitaState, list[WichitaEvent]]:
        assert isinstance(options, WichitaOptions)
        self.check_seats(options, seats)
        state = WichitaState(options, seats, chance)
        events: list[WichitaEvent] = []
        state.begin(events)
        return state, events

    def longest(self, options: Options, seats: int) -> int:
        """Two questions for every card of the stock, but one for the last: after it nobody can draw on."""
        assert isinstance(options, WichitaOptions)
        return 2 * PACK * options.decks_for(seats) - 1


GAME: Final = Wichita()
_ACTION_OF: Final[dict[str, type[WichitaAction]]] = {DRAW: DrawOn, LAY: Lay}
BY_RANK: Final = tuple(SUITS * card.rank + card.suit for card in CARDS)


@cache
def _drew_unseen(seat: int, count: int) -> Drew:
    """One for all who look: a table has few of them, and everybody is told of every draw."""
    return Drew(seat, count, None)


def _text(stack: Stack) -> str:
    return " ".join(map(str, stack))


def _actions(kind: str, hand: Sequence[Card], dice: Dice) -> Iterator[WichitaAction]:
    match kind:
        case "draw":
            return iter((DrawOn(more=False), DrawOn(more=True)))
        case "lay":
            return map(Lay, layouts(hand, dice[0] + dice[1]))
        case _:
            return iter(())


def _random_action(kind: str, hand: Sequence[Card], dice: Dice, rng: Rng) -> WichitaAction:
    match kind:
        case "draw":
            return DrawOn(more=rng.randrange(2) == 1)
        case "lay":
            return Lay(random_layout(hand, dice[0] + dice[1], rng))
        case _:
            raise LookupError("nobody is asked, so there is no action")
