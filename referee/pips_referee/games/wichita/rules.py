"""Wichita, as RULES.md numbers it: roll, draw, and lay stacks of the dice's sum."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterator
from typing import Final

from pips_referee.cards import CARDS, KING, Card
from pips_referee.chance import Chance, Rng
from pips_referee.errors import IllegalAction
from pips_referee.game import Game, MarginScale, Options, Outcome, State, places_of
from pips_referee.games import parts_of
from pips_referee.games.wichita.stacks import Reason, flaw, has_stack, stack_worth
from pips_referee.games.wichita.values import (
    DRAW,
    LAY,
    PACK,
    Dice,
    DrawOn,
    Drew,
    Laid,
    Lay,
    Rolled,
    RolledForFirst,
    Stack,
    TurnedUp,
    WichitaAction,
    WichitaEvent,
    WichitaOptions,
    WichitaView,
    answers,
    by_rank,
    random_answer,
)


class WichitaState(State[WichitaView, WichitaAction, WichitaEvent], lists="points rolls laid", nested="hands"):
    """A match of Wichita. Lists are by seat; hands are sorted by rank."""

    __slots__ = (
        "chance", "decks", "dice", "hands", "kind", "laid", "player", "points", "rolls", "stock", "stock_size",
        "to_ask",
    )  # fmt: skip

    def __init__(self, options: WichitaOptions, seats: int, chance: Chance) -> None:
        self.chance = chance
        self.decks = options.decks_for(seats)
        self.stock = chance.shuffled("deck", CARDS * self.decks)
        """The shuffled packs, never changed. The last `stock_size` are the stock."""
        self.stock_size = len(self.stock)
        self.hands: list[list[Card]] = [[] for _ in range(seats)]
        self.points = [0] * seats
        self.rolls = [0] * seats
        self.laid = [0] * KING
        self.dice: Dice
        self.player: int
        """The seat whose turn it is, or that had the last turn."""

    def apply(self, action: WichitaAction) -> list[WichitaEvent]:
        if action.__class__ is not _ACTION_OF.get(self.kind):
            sentence = f"{action!r} does not answer a question to {self.kind or 'nobody'}"
            raise IllegalAction(Reason.WRONG_KIND, action, sentence)
        events: list[WichitaEvent] = []
        if isinstance(action, DrawOn):
            if action.more:
                self._draw(abs(self.dice[0] - self.dice[1]), events)
        else:
            left, worth = self._check(action)
            self._lay(action.stacks, left, worth, events)
        self._play_on(events, has_drawn=self.kind == DRAW)
        return events

    def legal_actions(self) -> Iterator[WichitaAction]:
        """The legal answers, lazily, ignoring suits and the order of what is laid."""
        return answers(self.kind, self.hands[self.player], self.dice)

    def sample_action(self, rng: Rng) -> WichitaAction:
        return random_answer(self.kind, self.hands[self.player], self.dice, rng)

    def view(self, seat: int) -> WichitaView:
        return WichitaView(  # by position: keyword arguments take a tenth longer
            seat,
            self.kind if seat == self.to_ask else "",
            self.player,
            self.dice,
            tuple(self.hands[seat]),
            tuple(map(len, self.hands)),
            tuple(self.points),
            self.stock_size,
            tuple(self.laid),
            self.decks,
        )

    def outcome(self) -> Outcome:
        scores = [points - len(hand) for points, hand in zip(self.points, self.hands, strict=True)]  # W8
        return Outcome(places_of(scores), tuple(scores))

    def begin(self, events: list[WichitaEvent]) -> None:
        """Roll for the first turn (W2), then play on to the first question."""
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
        """Go on to the next choice, or to the end.

        `has_drawn`: the player has drawn all cards of this turn; otherwise the turn
        begins.
        """
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
        """Begin a turn: two dice, and as many cards as the lower one shows (W3)."""
        player = self.player
        self.rolls[player] += 1
        dice = self.dice = self._dice(f"dice/{player}/{self.rolls[player]}")
        events.append(Rolled(player, dice))
        self._draw(min(dice), events)

    def _dice(self, name: str) -> Dice:
        first, second = self.chance.dice(name)
        return first, second

    def _draw(self, count: int, events: list[WichitaEvent]) -> None:
        """Draw that many cards, or as many as the stock has (W3)."""
        top = len(self.stock) - self.stock_size
        drawn = self.stock[top : top + count]
        self.stock_size -= len(drawn)
        hand = self.hands[self.player]
        for card in drawn:
            insort(hand, card, key=by_rank)
        events.append(Drew(self.player, len(drawn), tuple(drawn)))

    def _check(self, action: Lay) -> tuple[list[Card], int]:
        """Return the cards left over and the points; raise `IllegalAction` if illegal.

        A plain number is not a card of the hand, even if it is equal to one.
        """
        left = self.hands[self.player][:]
        points = 0
        for number, stack in enumerate(action.stacks, 1):
            for card in stack:
                if card.__class__ is not Card or card not in left:
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
        """Lay the stacks and end the turn: bonus card (W6), end (W7), next player."""
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
    margin = MarginScale(6.0, 3.0)
    parts = parts_of(__package__)

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
        """Two questions a card of the stock, but one for the last: no more to draw."""
        assert isinstance(options, WichitaOptions)
        return 2 * PACK * options.decks_for(seats) - 1


GAME: Final = Wichita()
_ACTION_OF: Final[dict[str, type[WichitaAction]]] = {DRAW: DrawOn, LAY: Lay}


def _text(stack: Stack) -> str:
    return " ".join(map(str, stack))
