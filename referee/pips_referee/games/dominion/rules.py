"""Dominion, as RULES.md numbers it: armies on a playfield of cards."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, cast

from pips_referee.cards import CARDS, KING, QUEEN, Card
from pips_referee.chance import Chance, Rng
from pips_referee.game import Game, MarginScale, Options, Outcome, State
from pips_referee.games import parts_of
from pips_referee.games.dominion.battle import FULL, losses, standing, strength
from pips_referee.games.dominion.choices import (
    Choices,
    actions,
    advances,
    attacks,
    deployments,
    kings_cells,
    random_action,
    rooms_for,
)
from pips_referee.games.dominion.legality import check
from pips_referee.games.dominion.values import (
    ADVANCE,
    AFTER,
    ATTACK,
    CONQUER,
    DECLARE,
    DEPLOY,
    END,
    OVER,
    REINFORCE,
    REMOVE,
    RESIGN,
    Advance,
    Advanced,
    Attack,
    CardTurned,
    Conquer,
    Conquered,
    Conquest,
    Declare,
    Deploy,
    Deployed,
    DeploymentRolled,
    DominionAction,
    DominionEvent,
    DominionOptions,
    Fought,
    Pass,
    PlayfieldDealt,
    Reinforce,
    Reinforced,
    Remove,
    Removed,
    Resign,
    Resigned,
    TurnBegan,
)
from pips_referee.games.dominion.view import DominionView

TIES_A_TURN: Final = 100
"""How many equal battles end the attacks of a turn (D8)."""
ARMIES_A_TURN: Final = 7
"""At most six armies are deployed (D10), and a red king adds one (D5)."""


class DominionState(
    State[DominionView, DominionAction, DominionEvent],
    lists="owners armies battle_rolls deployment_rolls had_armies resigned",
):
    """A match of Dominion. Lists are by cell or by seat."""

    __slots__ = (
        "armies", "battle_rolls", "capacity", "chance", "choices", "deployment_rolls", "dice", "fought", "had_armies",
        "kind", "max_rounds", "optional_army", "owners", "playfield", "resigned", "resigning", "round", "seats",
        "shuffles", "size", "stage", "stock", "ties", "to_ask", "turn", "turned", "turned_count",
    )  # fmt: skip

    def __init__(self, options: DominionOptions, seats: int, chance: Chance) -> None:
        self.chance = chance
        self.seats = seats
        self.size = options.size_for(seats)
        self.max_rounds = options.rounds_for(seats)
        self.resigning = options.resigning
        self.optional_army = options.optional_army
        cells = self.size**2
        self.playfield = tuple(chance.shuffled("playfield", PLAYFIELD_PACK)[:cells])  # D1
        self.capacity = tuple([FULL - card.rank for card in self.playfield])
        """By cell, how many armies the empty territory has room for (D2)."""
        self.owners: list[int | None] = [None] * cells
        self.armies = [0] * cells
        self.shuffles = 0
        self.stock = tuple(chance.shuffled("stock/0", CARDS))
        """The first `turned_count` cards are the discards."""
        self.turned_count = 0
        self.battle_rolls = [0] * seats
        self.deployment_rolls = [0] * seats
        self.had_armies = [False] * seats
        self.resigned = [False] * seats
        self.round = 1
        self.turn = 0
        self.stage = RESIGN
        self.turned: Card | None = None
        self.fought = False
        self.ties = 0
        self.dice: tuple[int, int] | None = None
        self.choices: Choices = ()
        self.to_ask: int | None = None
        self.kind = ""

    def apply(self, action: DominionAction) -> list[DominionEvent]:
        check(self, action)
        seat = self.to_ask
        assert seat is not None
        kind, choices = self.kind, self.choices
        self.to_ask, self.kind, self.choices = None, "", ()
        events: list[DominionEvent] = []
        if isinstance(action, Attack):
            self._fight(action.source, action.target, events)
        elif isinstance(action, Pass):
            if kind != REINFORCE:  # D5: after an army declined, the attacks still come
                self.stage = AFTER[self.stage]
        elif isinstance(action, Deploy):
            self._deploy(seat, action.cell, action.count, events)
        elif isinstance(action, Advance):
            self._move(seat, action.source, action.target, action.count)
            events.append(Advanced(seat, action.source, action.target, action.count))
            self.stage = DEPLOY
        elif isinstance(action, Conquer):
            self._conquer(seat, choices[0], action.count, events)
        elif isinstance(action, Declare):
            self.stage = ATTACK
            self._turn_card(seat, events)
        elif isinstance(action, (Reinforce, Remove)):
            self._obey(seat, action.cell, isinstance(action, Reinforce), events)
        else:
            _: Resign = action
            self._resign(seat, events)
        self.proceed(events)
        return events

    def proceed(self, events: list[DominionEvent]) -> None:
        """Play on to the next question or the end of the match."""
        while not self.kind:
            match self.stage:
                case "attack":
                    self._offer_attacks(events)
                case "advance":
                    self._ask_or_go_on(ADVANCE, advances(self.owners, self.armies, self.capacity, self.turn, self.size))
                case "deploy":
                    self._roll_deployment(events)
                case "end":
                    self._end_turn()
                case "resign":
                    self._begin_turn(events)
                case "declare":
                    self._ask_or_go_on(DECLARE, attacks(self.owners, self.turn, self.size))
                case _:
                    return

    def legal_actions(self) -> Iterator[DominionAction]:
        return actions(self.kind, self.choices, self.must_choose)

    def sample_action(self, rng: Rng) -> DominionAction:
        return random_action(self.kind, self.choices, self.must_choose, rng)

    def view(self, seat: int) -> DominionView:
        kind = self.kind if seat == self.to_ask else ""
        choices = self.choices
        return DominionView(  # by position: keyword arguments take a tenth longer
            seat, kind, self.size, self.round, self.max_rounds, self.turn, self.stage, self.playfield,
            tuple(self.owners), tuple(self.armies), self.turned, self.stock[: self.turned_count],
            tuple(self.resigned), tuple(self.had_armies),
            choices if kind in (DECLARE, ATTACK) else (),
            kind == ATTACK and not self.fought,
            choices if kind in (REINFORCE, REMOVE) else (),
            choices[0] if kind == CONQUER else None,
            choices if kind == ADVANCE else (),
            self.dice if kind == DEPLOY else None,
            choices if kind == DEPLOY else (),
            self.resigning, self.optional_army,
        )  # fmt: skip

    def outcome(self) -> Outcome:
        return standing(self.owners, self.armies, self.resigned)

    # The stages of a turn (D3).

    def _begin_turn(self, events: list[DominionEvent]) -> None:
        events.append(TurnBegan(self.round, self.turn))
        if self.resigning and self.had_armies[self.turn] and self.turn not in self.owners:  # D12
            self._ask(self.turn, RESIGN, ())
        else:
            self.stage = DECLARE

    def _resign(self, seat: int, events: list[DominionEvent]) -> None:
        self.resigned[seat] = True
        events.append(Resigned(seat))
        self.stage = OVER if self.resigned.count(False) == 1 else END

    def _turn_card(self, seat: int, events: list[DominionEvent]) -> None:
        """Turn a card for the attacks of this turn (D4) and obey a king (D5)."""
        reshuffled = self.turned_count == len(self.stock)
        if reshuffled:  # D4: all cards were turned, so the pack is shuffled
            self.shuffles += 1
            self.stock = tuple(self.chance.shuffled(f"stock/{self.shuffles}", CARDS))
            self.turned_count = 0
        card = self.turned = self.stock[self.turned_count]
        self.turned_count += 1
        events.append(CardTurned(seat, card, reshuffled))
        if card.rank != KING:
            return
        mine = kings_cells(self.owners, self.armies, self.capacity, seat, card)
        if len(mine) > 1 or (mine and card.is_red and self.optional_army):
            self._ask(seat, REINFORCE if card.is_red else REMOVE, tuple(mine))
        elif mine:
            self._obey(seat, mine[0], card.is_red, events)

    def _obey(self, seat: int, cell: int, is_red: bool, events: list[DominionEvent]) -> None:
        """A red king adds an army, a black king takes one (D5)."""
        if is_red:
            self.armies[cell] += 1
            events.append(Reinforced(seat, cell))
        else:
            self._lose(cell, 1)
            events.append(Removed(seat, cell))

    def _offer_attacks(self, events: list[DominionEvent]) -> None:
        left = attacks(self.owners, self.turn, self.size) if self.ties < TIES_A_TURN else ()  # D8
        if len(left) == 1 and not self.fought:  # D4: at least one attack is due, and only one is possible
            self._fight(left[0].source, left[0].target, events)
        else:
            self._ask_or_go_on(ATTACK, left)

    def _fight(self, source: int, target: int, events: list[DominionEvent]) -> None:
        """Fight a battle (D6); after a conquest, ask how many armies move in (D7)."""
        armies, cards, turned = self.armies, self.playfield, self.turned
        attacker, defender = self.owners[source], self.owners[target]
        assert attacker is not None
        assert defender is not None
        advantage = strength(cards[source], armies[source], turned) - strength(cards[target], armies[target], turned)
        mine, theirs = self._battle_roll(attacker), self._battle_roll(defender)
        lead = sum(mine) + advantage - sum(theirs)
        lost, taken = losses(lead, armies[source], armies[target])
        events.append(Fought(attacker, defender, source, target, advantage, mine, theirs, lost, taken))
        self.fought = True
        self.ties += lead == 0
        self._lose(source, lost)
        self._lose(target, taken)
        if not armies[target]:
            self._ask_conquest(attacker, source, target)
        elif not armies[source]:
            self._ask_conquest(defender, target, source)

    def _ask_conquest(self, seat: int, source: int, target: int) -> None:
        most = min(self.armies[source], self.capacity[target])
        self._ask(seat, CONQUER, (Conquest(source, target, most),))

    def _conquer(self, seat: int, conquest: Conquest, count: int, events: list[DominionEvent]) -> None:
        events.append(Conquered(seat, conquest.source, conquest.target, count))
        if count:
            self._move(seat, conquest.source, conquest.target, count)
            self._end_if_won(seat)

    def _roll_deployment(self, events: list[DominionEvent]) -> None:
        """Roll two dice if there is room anywhere; ask if there is a choice (D10)."""
        seat = self.turn
        open_cells = rooms_for(self.owners, self.armies, self.capacity, seat)
        if not open_cells:
            self.stage = END
            return
        dice = self.dice = self._roll(f"deploy/{seat}/{self.deployment_rolls[seat]}")
        self.deployment_rolls[seat] += 1
        events.append(DeploymentRolled(seat, dice))
        self._ask_or_go_on(DEPLOY, deployments(open_cells, self.playfield, dice))

    def _deploy(self, seat: int, cell: int, count: int, events: list[DominionEvent]) -> None:
        self.owners[cell] = seat
        self.armies[cell] += count
        self.had_armies[seat] = True
        events.append(Deployed(seat, cell, count))
        self.stage = END
        self._end_if_won(seat)

    def _end_turn(self) -> None:
        """Go to the next seat on the left that has not resigned, or end (D11)."""
        self.turned, self.fought, self.ties, self.dice = None, False, 0, None
        self.stage = RESIGN
        for turn in range(self.turn + 1, self.seats):
            if not self.resigned[turn]:
                self.turn = turn
                return
        if self.round == self.max_rounds:
            self.stage = OVER
        else:
            self.round += 1
            self.turn = self.resigned.index(False)

    def _end_if_won(self, seat: int) -> None:
        if self.owners.count(seat) == len(self.owners):  # D11
            self.stage = OVER

    # Choices and changes.

    @property
    def must_choose(self) -> bool:
        """Whether `Pass` is illegal now, for a kind of question that can be passed."""
        if self.kind == ATTACK:
            return not self.fought  # D4
        return self.kind == REINFORCE and not self.optional_army  # D5

    def _ask(self, seat: int, kind: str, choices: Choices) -> None:
        self.to_ask, self.kind, self.choices = seat, kind, choices

    def _ask_or_go_on(self, kind: str, choices: Choices) -> None:
        """Ask the seat whose turn it is, or go on if it has no choice."""
        if choices:
            self._ask(self.turn, kind, choices)
        else:
            self.stage = AFTER[kind]

    def _lose(self, cell: int, count: int) -> None:
        self.armies[cell] -= count
        if not self.armies[cell]:
            self.owners[cell] = None

    def _move(self, seat: int, source: int, target: int, count: int) -> None:
        self._lose(source, count)
        self.owners[target] = seat
        self.armies[target] += count

    def _battle_roll(self, seat: int) -> tuple[int, int]:
        dice = self._roll(f"battle/{seat}/{self.battle_rolls[seat]}")
        self.battle_rolls[seat] += 1
        return dice

    def _roll(self, name: str) -> tuple[int, int]:
        return cast(tuple[int, int], self.chance.dice(name))


class Dominion(Game[DominionView, DominionAction, DominionEvent]):
    name = "dominion"
    title = "Dominion"
    rules_version = 1
    options_type = DominionOptions
    kinds = (RESIGN, DECLARE, REINFORCE, REMOVE, ATTACK, CONQUER, ADVANCE, DEPLOY)
    margin = MarginScale(16.0, 3.0)
    parts = parts_of(__package__)

    def seats(self, options: Options) -> range:
        return range(2, 9)  # D1

    def start(self, options: Options, seats: int, chance: Chance) -> tuple[DominionState, list[DominionEvent]]:
        assert isinstance(options, DominionOptions)
        self.check_seats(options, seats)
        state = DominionState(options, seats, chance)
        events: list[DominionEvent] = [PlayfieldDealt(state.playfield)]
        state.proceed(events)
        return state, events

    def longest(self, options: Options, seats: int) -> int:
        """The most questions in a turn, times the number of turns.

        A turn asks five times: to resign or declare, for a king, to stop, advance and
        deploy. An equal battle (D8) asks once. Any other costs one of seven armies, and
        asks twice.
        """
        assert isinstance(options, DominionOptions)
        return options.rounds_for(seats) * seats * (5 + TIES_A_TURN + 2 * ARMIES_A_TURN)


GAME: Final = Dominion()
PLAYFIELD_PACK: Final = tuple([card for card in CARDS if card.rank < QUEEN])
