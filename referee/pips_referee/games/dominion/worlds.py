"""Dominion as one seat may imagine it: the order of the stock, and all dice to come.

All orders of the stock are equally likely. A view does not count the equal battles of
this turn (D8), so an imagined turn counts them from 0.
"""

from __future__ import annotations

from pips_referee.cards import CARDS
from pips_referee.chance import Chance, Rng
from pips_referee.games.dominion.battle import FULL
from pips_referee.games.dominion.rules import DominionState
from pips_referee.games.dominion.values import ATTACK, CONQUER
from pips_referee.games.dominion.view import DominionView


def imagine(view: DominionView, chance: Chance, rng: Rng) -> DominionState:
    """A state of one imagined world; `chance` is for the dice and for later stocks."""
    state: DominionState = object.__new__(DominionState)  # set below, without a shuffle
    state.chance, state.seats, state.size, state.max_rounds = chance, view.seats, view.size, view.max_rounds
    state.resigning, state.optional_army = view.resigning, view.optional_army
    state.playfield = view.playfield
    state.capacity = tuple([FULL - card.rank for card in view.playfield])
    state.owners, state.armies, state.resigned = [*view.owners], [*view.armies], [*view.resigned]
    stock = list(set(CARDS).difference(view.discards))
    stock.sort()
    rng.shuffle(stock)
    state.stock, state.turned_count, state.shuffles = (*view.discards, *stock), len(view.discards), 0
    state.battle_rolls, state.deployment_rolls, state.ties = [0] * view.seats, [0] * view.seats, 0
    state.round, state.turn, state.stage = view.round, view.turn, view.stage
    state.had_armies = [*view.had_armies]
    state.turned, state.dice = view.turned, view.dice
    state.fought = view.kind == CONQUER or (view.kind == ATTACK and not view.must_attack)
    state.to_ask, state.kind, state.choices = view.seat, view.kind, view.choices
    return state


def redeal(state: DominionState, chance: Chance, rng: Rng) -> DominionState:
    """The state with its stock in another order; `chance` is for the dice to come."""
    twin = state.copy()
    twin.chance = chance
    stock = sorted(state.stock[state.turned_count :])
    rng.shuffle(stock)
    twin.stock = (*state.stock[: state.turned_count], *stock)
    return twin
