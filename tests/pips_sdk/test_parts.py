"""What may follow the cards of a stack of Wichita, against a list of all stacks."""

from __future__ import annotations

from random import Random

from pips_referee.cards import CARDS, KING
from pips_referee.games.wichita.bags import bag_of, ranks_of, stacks_in
from pips_sdk.spaces.wichita_parts import StackParts


def test_beginnings_are_those_of_the_listed_stacks() -> None:
    rng, kings, ended = Random("parts"), 0, 0
    for _ in range(600):
        hand = rng.sample(CARDS * 2, rng.randint(1, 13))
        hand += [card for card in CARDS if card.rank == KING][: rng.choice((0, 0, 1, 4))]
        target = rng.randint(2, 12)
        stacks = [tuple(ranks_of(stack)) for stack in stacks_in(bag_of(hand), target)]
        parts = StackParts(bag_of(hand), target)
        assert parts.first == sorted({stack[0] for stack in stacks})
        for begun in {stack[:count] for stack in stacks for count in range(1, len(stack) + 1)}:
            fitting = [stack for stack in stacks if stack[: len(begun)] == begun]
            following = sorted({stack[len(begun)] for stack in fitting if stack != begun})
            assert parts.after(begun) == (following, begun in stacks), (hand, target, begun)
            kings += begun[0] == KING
            ended += begun in stacks
    assert min(kings, ended) > 1000


def test_without_a_stack_nothing_begins() -> None:
    assert StackParts(0, 7).first == []
    assert StackParts(bag_of([card for card in CARDS if card.rank == KING]), 7).first == []
