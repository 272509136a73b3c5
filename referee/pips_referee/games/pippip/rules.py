"""Pip-Pip!, as RULES.md numbers it: tricks, and calls that change the trumps."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterator
from itertools import chain
from operator import add
from typing import Final

from pips_referee.cards import CARDS, Card, Suit
from pips_referee.chance import Chance, Rng
from pips_referee.game import Game, MarginScale, Options, Outcome, State, places_of
from pips_referee.games import parts_of
from pips_referee.games.pippip.legality import check
from pips_referee.games.pippip.tricks import (
    HEIGHT,
    PAIR_CARDS,
    following,
    following_sorted,
    pairs,
    trick_points,
    winner,
)
from pips_referee.games.pippip.values import (
    CALL,
    CALL_POINTS,
    DRAWS,
    FOSDICK,
    HAND_CARDS,
    HERVEY,
    MAX_SEATS,
    PACK,
    PLAY,
    PLAYED_HIDDEN,
    SUITS,
    Called,
    Cut,
    Dealt,
    DrawnForDeal,
    HandEnded,
    PippipAction,
    PippipEvent,
    PippipOptions,
    PippipView,
    Play,
    Played,
    StockTurned,
    TrickWon,
    TrumpsChanged,
    answers,
    random_answer,
)


class PippipState(
    State[PippipView, PippipAction, PippipEvent], lists="face_up played points trick tricks", nested="hidden limits"
):
    """A match of Pip-Pip!. Lists are by seat; `turn` plays or calls next."""

    __slots__ = (
        "after_card", "after_draw", "callable", "chance", "dealer", "deck", "drawing", "drawn", "face_up",
        "hand_number", "hands", "hidden", "kind", "last_call_rules", "leader", "limits", "next_trumps", "playable",
        "played", "points", "rest", "seats", "to_ask", "trick", "tricks", "trumps", "turn", "windows", "windows_left",
    )  # fmt: skip

    # What a deal sets:
    dealer: int
    trumps: Suit
    next_trumps: Suit | None
    deck: list[Card]
    """The stock is `deck[drawn:]`. The deck never changes, so copies share it."""
    drawn: int
    drawing: bool
    rest: tuple[Card, ...]
    hidden: list[list[Card]]
    face_up: list[tuple[Card, ...]]
    leader: int
    turn: int
    windows_left: int
    """How many seats may still call before the next card, `turn` first (P7)."""
    trick: list[Card]
    played: bytearray
    limits: list[bytearray]
    """By seat and suit, the most hidden cards of the suit, as far as all can know."""
    tricks: list[int]
    # What a question sets:
    callable: tuple[Suit, ...]
    playable: tuple[Card, ...]

    def __init__(self, options: PippipOptions, seats: int, chance: Chance) -> None:
        self.chance = chance
        self.seats = seats
        self.last_call_rules = options.rules == FOSDICK
        self.set_windows(options.windows)
        self.hands = options.hands_for(seats)
        self.hand_number = 0
        self.points = [0] * seats

    def set_windows(self, windows: str) -> None:
        """Set how many seats may call after a card, with and without a draw (P13)."""
        self.windows = windows
        self.after_draw = self.seats if windows == FOSDICK else 1
        self.after_card = 0 if windows == HERVEY else self.after_draw

    def apply(self, action: PippipAction) -> list[PippipEvent]:
        check(self, action)
        events: list[PippipEvent] = []
        if isinstance(action, Play):
            self._play(action.card, action.face_up, events)
        else:
            self._call(action.suits, events)
            self._pass_on(events)
        self.settle(events)
        return events

    def legal_actions(self) -> Iterator[PippipAction]:
        seat = self.turn
        return answers(self.kind, self.callable, self.playable, self.hidden[seat], self.face_up[seat])

    def sample_action(self, rng: Rng) -> PippipAction:
        seat = self.turn
        return random_answer(self.kind, self.callable, self.playable, self.hidden[seat], self.face_up[seat], rng)

    def view(self, seat: int) -> PippipView:
        asked = seat == self.to_ask
        return PippipView(  # by position: keyword arguments take a tenth longer
            seat,
            self.kind if asked else "",
            self.hand_number,
            self.hands,
            self.dealer,
            self.trumps,
            self.next_trumps,
            self.leader,
            tuple(self.trick),
            tuple(self.hidden[seat]),
            tuple(self.face_up),
            tuple(map(add, map(len, self.hidden), map(len, self.face_up))),
            self.drawing,
            len(self.deck) - self.drawn,
            self.rest,
            tuple(self.played),
            tuple(self.tricks),
            tuple(self.points),
            self.callable if asked else (),
            self.playable if asked else (),
            tuple(chain.from_iterable(self.limits)),
            self.last_call_rules,
            self.windows,
            self.windows_left if asked and self.windows == FOSDICK else 0,
        )

    def outcome(self) -> Outcome:
        return Outcome(places_of(self.points), tuple(self.points))  # P11

    def _call(self, suits: tuple[Suit, ...], events: list[PippipEvent]) -> None:
        """Make the calls (P8, P9). A window without a call leaves no trace."""
        if not suits:
            return
        seat = self.turn
        for suit in suits:
            if self.last_call_rules or self.next_trumps is None:  # P9
                self.next_trumps = suit
            for card in PAIR_CARDS[suit]:
                self.hidden[seat].remove(card)
                self.face_up[seat] = (*self.face_up[seat], card)
            self.limits[seat][suit] -= len(PAIR_CARDS[suit])
        self.points[seat] += CALL_POINTS * len(suits)
        events.append(Called(seat, suits))
        if self.windows == FOSDICK:
            self.windows_left = self.seats  # P13: all others get another chance

    def _play(self, card: Card, face_up: bool, events: list[PippipEvent]) -> None:
        """Add a card to the trick, draw one, then open the windows (P5, P6, P12)."""
        seat, trick, hidden = self.turn, self.trick, self.hidden[self.turn]
        limits, suit = self.limits[seat], card.suit
        if trick and suit is not trick[0].suit:
            limits[trick[0].suit] = 0
        if face_up:
            lying = list(self.face_up[seat])
            lying.remove(card)
            self.face_up[seat] = tuple(lying)
            events.append(Played(seat, card, face_up))
        else:
            hidden.remove(card)
            limits[suit] -= 1
            events.append(PLAYED_HIDDEN[seat][card])
        trick.append(card)
        self.played[card] += 1
        if self.drawing:
            drawn = self.deck[self.drawn]
            self.drawn += 1
            insort(hidden, drawn)
            self.limits[seat] = limits.translate(_ONE_MORE)
            events.append(DRAWS[seat][drawn])
            self.windows_left = self.after_draw  # P7
        elif self.after_card:
            self.windows_left = self.after_card
        else:
            self._go_on(events)

    def settle(self, events: list[PippipEvent]) -> None:
        """Play cards that leave no choice, up to the next question or the end."""
        while True:
            seat = self.turn
            if self.windows_left:
                if suits := pairs(self.hidden[seat], self.trumps):
                    self._ask(seat, CALL, suits)
                    return
                self._pass_on(events)
            elif self.hidden[seat] or self.face_up[seat]:
                playable = self._playable(seat)
                card, lying = playable[0], self.face_up[seat]
                if len(playable) > 1 or (card in lying and card in self.hidden[seat]):  # P12
                    self._ask(seat, PLAY, (), playable)
                    return
                self._play(card, card in lying, events)
            elif self.hand_number < self.hands:
                self.deal(events)
            else:
                self._ask(None, "")
                return

    def _ask(self, seat: int | None, kind: str, suits: tuple[Suit, ...] = (), playable: tuple[Card, ...] = ()) -> None:
        self.to_ask, self.kind, self.callable, self.playable = seat, kind, suits, playable

    def _playable(self, seat: int) -> tuple[Card, ...]:
        """The cards that may be played, each once (P5)."""
        hidden, lying = self.hidden[seat], self.face_up[seat]
        hand = [*hidden, *lying] if lying else hidden
        if self.trick:
            led = self.trick[0].suit
            hand = (following(hand, led) if lying else following_sorted(hidden, led)) or hand
        # Nearly always all are different: this check takes half the time.
        return tuple(hand) if len({*hand}) == len(hand) else tuple(dict.fromkeys(hand))

    def _pass_on(self, events: list[PippipEvent]) -> None:
        """Pass the chance to call to the next seat, or go on after the last (P7)."""
        self.windows_left -= 1
        if self.windows_left:
            self.turn = (self.turn + 1) % self.seats
        else:
            self._go_on(events)

    def _go_on(self, events: list[PippipEvent]) -> None:
        """After all windows: begin the hand, ask for the next card, or end a trick."""
        laid = len(self.trick)
        if laid == self.seats:
            self._end_trick(events)
        else:
            self.turn = (self.leader + laid) % self.seats
            if not laid:
                self._start_trick(events)

    def _start_trick(self, events: list[PippipEvent]) -> None:
        if self.next_trumps is not None:  # P9
            self.trumps, self.next_trumps = self.next_trumps, None
            events.append(TrumpsChanged(self.trumps))
        stock = len(self.deck) - self.drawn
        self.drawing = stock >= self.seats  # P6
        if stock and not self.drawing:
            self.rest = tuple(self.deck[self.drawn :])
            self.drawn = len(self.deck)
            events.append(StockTurned(self.rest))

    def _end_trick(self, events: list[PippipEvent]) -> None:
        seat = self.leader = self.turn = (self.leader + winner(self.trick, self.trumps)) % self.seats  # P4, P5
        points = trick_points(self.trick)
        self.points[seat] += points
        self.tricks[seat] += 1
        self.trick = []
        events.append(TrickWon(seat, points))
        if self.hidden[seat] or self.face_up[seat]:
            self._start_trick(events)
        else:
            events.append(HandEnded(self.hand_number, tuple(self.points)))

    def deal(self, events: list[PippipEvent]) -> None:
        """Deal the next hand, and open its first window."""
        self.hand_number += 1
        seats = self.seats
        if self.hand_number == 1:
            self._draw_for_deal(events)
        else:
            self.dealer = (self.dealer + 1) % seats  # P3
            card = PACK[self.chance.index(f"cut/{self.hand_number}", len(PACK))]
            self.trumps = card.suit
            events.append(Cut((self.dealer - 1) % seats, card))
        self.next_trumps = None
        self.leader = self.turn = (self.dealer + 1) % seats  # P4
        self.deck = self.chance.shuffled(f"deck/{self.hand_number}", PACK)
        begins = [(seat - self.leader) % seats * HAND_CARDS for seat in range(seats)]
        self.hidden = [sorted(self.deck[begin : begin + HAND_CARDS]) for begin in begins]
        self.face_up = [()] * seats
        self.drawn = seats * HAND_CARDS
        self.drawing, self.rest = True, ()
        self.trick = []
        self.played = bytearray(len(CARDS))
        self.limits = [bytearray([HAND_CARDS] * SUITS) for _ in range(seats)]
        self.tricks = [0] * seats
        self.windows_left = seats  # P7
        events.append(Dealt(self.hand_number, self.dealer, self.trumps, tuple(map(tuple, self.hidden))))

    def _draw_for_deal(self, events: list[PippipEvent]) -> None:
        """P3: the highest card deals and its suit is trumps; tied seats draw again."""
        pack = iter(self.chance.shuffled("dealer", PACK))
        seats = tuple(range(self.seats))
        while len(seats) > 1:
            cards = tuple([next(pack) for _ in seats])
            events.append(DrawnForDeal(seats, cards))
            best = max(cards, key=HEIGHT.__getitem__)
            self.trumps = best.suit
            seats = tuple([seats[place] for place, card in enumerate(cards) if card.rank == best.rank])
        (self.dealer,) = seats


class Pippip(Game[PippipView, PippipAction, PippipEvent]):
    name = "pippip"
    title = "Pip-Pip!"
    rules_version = 1
    options_type = PippipOptions
    kinds = (CALL, PLAY)
    margin = MarginScale(140.0, 3.0)
    parts = parts_of(__package__)

    def seats(self, options: Options) -> range:
        assert isinstance(options, PippipOptions)
        return range(3 if options.rules == FOSDICK else 2, MAX_SEATS + 1)  # P1

    def start(self, options: Options, seats: int, chance: Chance) -> tuple[PippipState, list[PippipEvent]]:
        assert isinstance(options, PippipOptions)
        self.check_seats(options, seats)
        state = PippipState(options, seats, chance)
        events: list[PippipEvent] = []
        state.deal(events)
        state.settle(events)
        return state, events

    def longest(self, options: Options, seats: int) -> int:
        """One question for each card, and one for each window.

        The opening has a window for each seat; so has each card or call under
        "fosdick". Nobody is asked in the windows after the last round of cards.
        """
        assert isinstance(options, PippipOptions)
        tricks = (len(PACK) - seats * HAND_CARDS) // seats + HAND_CARDS
        cards = tricks * seats
        asked = 2 * cards
        if options.windows == FOSDICK:
            asked = cards + seats * (cards + PAIRS)  # P13
        return options.hands_for(seats) * asked


GAME: Final = Pippip()
PAIRS: Final = 2 * SUITS
"""The most calls of a hand: the kings and queens of two packs (P7)."""
_ONE_MORE: Final = bytes([min(count + 1, HAND_CARDS) for count in range(256)])
