"""Serpent, as RULES.md numbers it: two rows of six cards, scored for the director."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Final

from pips_referee.cards import CARDS, Card
from pips_referee.chance import Chance, Rng
from pips_referee.errors import IllegalAction
from pips_referee.game import Game, MarginScale, Options, Outcome, State, places_of
from pips_referee.games import parts_of
from pips_referee.games.serpent.scoring import COLUMNS, score_hand
from pips_referee.games.serpent.values import (
    ANSWER,
    DEALT_TO_DEFENDER,
    DEALT_TO_DIRECTOR,
    EMPTY_CELLS,
    GIVE,
    LEAD,
    REVEAL,
    SHOWN,
    Answer,
    Dealt,
    Give,
    Given,
    HandScored,
    Lead,
    Played,
    Reason,
    Reveal,
    Revealed,
    SerpentAction,
    SerpentEvent,
    SerpentOptions,
    SerpentView,
    answers,
    random_answer,
)


class SerpentState(State[SerpentView, SerpentAction, SerpentEvent], lists="totals", nested="hidden face_up rows"):
    """A match of Serpent. Lists have one entry for each of the two seats."""

    __slots__ = (
        "chance", "column", "director", "face_up", "hand_number", "hands", "hidden", "kind", "lead", "max_hands",
        "playable", "rows", "to_ask", "totals",
    )  # fmt: skip
    face_up: list[list[Card]]
    rows: list[list[Card]]
    column: int
    playable: tuple[Card, ...]
    """The cards that may be given, turned face up, led or answered with now."""

    def __init__(self, options: SerpentOptions, chance: Chance) -> None:
        """The match before its first `deal`, which sets the other fields."""
        self.chance = chance
        self.hands = options.hands
        self.max_hands = options.max_hands
        self.hand_number = 0
        self.director = 1
        self.totals = [0, 0]
        self.hidden: list[list[Card]] = [[], []]
        self.lead: Card | None = None

    def apply(self, action: SerpentAction) -> list[SerpentEvent]:
        self._check(action)
        seat = self.to_ask
        assert seat is not None
        if isinstance(action, (Lead, Answer)):
            events: list[SerpentEvent] = [self._play(seat, action.card)]
            self._settle(events)
            return events
        if isinstance(action, Give):  # S2
            self._lay_open(seat, 1 - seat, action.cards)
            self.playable = tuple(self.hidden[seat])
            self.kind = REVEAL
            return [Given(action.cards)]
        self._lay_open(seat, seat, action.cards)  # S2
        self.playable = (*self.hidden[seat], *self.face_up[seat])
        self.kind = LEAD
        return [Revealed(action.cards)]

    def legal_actions(self) -> Iterator[SerpentAction]:
        return answers(self.kind, self.playable)

    def sample_action(self, rng: Rng) -> SerpentAction:
        return random_answer(self.kind, self.playable, rng)

    def view(self, seat: int) -> SerpentView:
        other = 1 - seat
        asked = seat == self.to_ask
        mine, theirs = self.rows[seat], self.rows[other]
        return SerpentView(  # by position: keyword arguments take a tenth longer
            seat,
            self.kind if asked else "",
            self.hand_number,
            self.director,
            tuple(self.hidden[seat]),
            tuple(self.face_up[seat]),
            tuple(self.face_up[other]),
            len(self.hidden[other]),
            tuple(mine) + EMPTY_CELLS[len(mine)],
            tuple(theirs) + EMPTY_CELLS[len(theirs)],
            self.lead if asked else None,
            self.playable if asked else (),
            self.totals[seat],
            self.totals[other],
            self.hands,
            self.max_hands,
        )

    def outcome(self) -> Outcome:
        return Outcome(places_of(self.totals), tuple(self.totals))

    def _check(self, action: SerpentAction) -> None:
        """Raise `IllegalAction` with the first reason found, before anything changes.

        A plain number is not a card of the hand, even if it is equal to one.
        """
        if action.__class__ is not _ACTION_OF.get(self.kind):
            raise IllegalAction(
                Reason.WRONG_KIND, action, f"{action!r} does not answer a question to {self.kind or 'nobody'}"
            )
        playable = self.playable
        if isinstance(action, (Lead, Answer)):
            if action.card.__class__ is not Card or action.card not in playable:
                raise self._unplayable(action, action.card)
            return
        if len(action.cards) != SHOWN:
            raise IllegalAction(Reason.WRONG_COUNT, action, f"{self.kind} takes {SHOWN} cards, not {len(action.cards)}")
        if len(set(action.cards)) != SHOWN:
            raise IllegalAction(Reason.SAME_CARD_TWICE, action, f"{self.kind} takes {SHOWN} different cards")
        for card in action.cards:
            if card.__class__ is not Card or card not in playable:
                raise self._unplayable(action, card)

    def _unplayable(self, action: SerpentAction, card: Card) -> IllegalAction:
        assert self.to_ask is not None
        hand = self.hidden[self.to_ask] + self.face_up[self.to_ask]
        if card.__class__ is Card and card in hand:
            fitting = " ".join(map(str, self.playable))
            return IllegalAction(
                Reason.MUST_FOLLOW,
                action,
                f"{card} shares neither suit nor rank with {self.lead}: play one of {fitting}",
            )
        return IllegalAction(Reason.NOT_IN_HAND, action, f"{card} is not in the hand")

    def _lay_open(self, giver: int, taker: int, cards: tuple[Card, ...]) -> None:
        for card in cards:
            self.hidden[giver].remove(card)
        self.face_up[taker] = sorted(cards)

    def _play(self, seat: int, card: Card) -> Played:
        hand = self.hidden[seat] if card in self.hidden[seat] else self.face_up[seat]
        hand.remove(card)
        self.rows[seat].append(card)
        if self.lead is None:
            self.lead = card
            self.to_ask, self.kind = 1 - seat, ANSWER
            return _played(seat, self.column, card, True)
        self.lead = None  # S3: the seat that answered leads the next column
        self.column += 1
        self.kind = LEAD
        return _played(seat, self.column - 1, card, False)

    def _settle(self, events: list[SerpentEvent]) -> None:
        """Play cards that leave no choice, score a full board, deal the next hand."""
        while self.column < COLUMNS:
            seat = self.to_ask
            assert seat is not None
            hand = self.hidden[seat] + self.face_up[seat]
            self.playable = playable = tuple(hand) if self.lead is None else _following(hand, self.lead)
            if len(playable) > 1:
                return
            events.append(self._play(seat, playable[0]))
        director = self.director
        board = tuple(self.rows[director] + self.rows[1 - director])
        score = score_hand([card.rank for card in board])
        self.totals[director] += score.points  # S7
        events.append(HandScored(self.hand_number, director, board, score, (self.totals[0], self.totals[1])))
        self.deal(events)

    def deal(self, events: list[SerpentEvent]) -> None:
        """Deal the next hand, or end the match (S8)."""
        played = self.hand_number
        tied = self.totals[0] == self.totals[1]
        if played == self.max_hands or (played >= self.hands and played % 2 == 0 and not tied):
            self.to_ask, self.kind, self.playable = None, "", ()
            return
        self.hand_number += 1
        director = self.director = 1 - self.director  # S1
        pack = self.chance.shuffled(f"deck/{self.hand_number}", CARDS, DEALT_TO_DEFENDER + DEALT_TO_DIRECTOR)
        self.hidden[1 - director] = sorted(pack[:DEALT_TO_DEFENDER])
        self.hidden[director] = nine = sorted(pack[DEALT_TO_DEFENDER:])
        self.face_up = [[], []]
        self.rows = [[], []]
        self.column = 0
        self.to_ask, self.kind, self.playable = director, GIVE, tuple(nine)
        events.append(Dealt(self.hand_number, director, (tuple(self.hidden[0]), tuple(self.hidden[1]))))


class Serpent(Game[SerpentView, SerpentAction, SerpentEvent]):
    name = "serpent"
    title = "Serpent"
    rules_version = 1
    options_type = SerpentOptions
    kinds = (GIVE, REVEAL, LEAD, ANSWER)
    margin = MarginScale(20.0, 3.0)
    parts = parts_of(__package__)

    def seats(self, options: Options) -> range:
        return range(2, 3)

    def start(self, options: Options, seats: int, chance: Chance) -> tuple[SerpentState, list[SerpentEvent]]:
        assert isinstance(options, SerpentOptions)
        self.check_seats(options, seats)
        state = SerpentState(options, chance)
        events: list[SerpentEvent] = []
        state.deal(events)
        return state, events

    def longest(self, options: Options, seats: int) -> int:
        assert isinstance(options, SerpentOptions)
        return options.max_hands * 12


GAME: Final = Serpent()
_FITS: Final = tuple([bytes([lead.suit is card.suit or lead.rank == card.rank for card in CARDS]) for lead in CARDS])
"""By lead and card, whether they share suit or rank (S4)."""
_played: Final = cache(Played)
"""One event for each play: there are 1,248."""
_ACTION_OF: Final[dict[str, type[SerpentAction]]] = {GIVE: Give, REVEAL: Reveal, LEAD: Lead, ANSWER: Answer}


def _following(hand: list[Card], lead: Card) -> tuple[Card, ...]:
    """The cards that may answer the lead (S4)."""
    fits = _FITS[lead]
    return tuple([card for card in hand if fits[card]] or hand)
