"""Matches to analyse: of sample bots, and of bots with one planted mistake."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

import pytest

from pips_referee.game import get_game
from pips_referee.records.record import Header, Record, read_record, write_record
from pips_sample_bots.dominion import greedy_bot as dominion
from pips_sample_bots.pippip import greedy_bot as pippip
from pips_sample_bots.serpent import greedy_bot as serpent
from pips_sample_bots.wichita import greedy_bot as wichita
from pips_sdk import Bot, play_match
from pips_sdk.dominion import Deploy, DominionView
from pips_sdk.pippip import Card as PippipCard
from pips_sdk.pippip import PippipView
from pips_sdk.serpent import Card, SerpentView
from pips_sdk.wichita import Stack, WichitaView

EVERY_GAME = [
    "serpent",
    "wichita",
    pytest.param("pippip", marks=pytest.mark.long),
    pytest.param("dominion", marks=pytest.mark.long),
]
OPTIONS: dict[str, dict[str, object]] = {
    "serpent": {"hands": 2},
    "wichita": {},
    "pippip": {"rules": "hervey", "hands": 1},
    "dominion": {"size": 3},
}


class BlindDirector(serpent.GreedyBot):
    """As director it answers with its worst card in the middle columns."""

    planted = "answer, director, middle columns"

    def answer(self, view: SerpentView) -> Card:
        filled = sum(card is not None for card in view.my_row)
        return min(view.playable) if view.is_director and 2 <= filled < 4 else super().answer(view)


class Hoarder(wichita.GreedyBot):
    """It lays nothing while the end is near and its hand is large."""

    planted = "lay, late, large hand"

    def lay(self, view: WichitaView) -> tuple[Stack, ...]:
        late = view.stock_size / len(view.points) <= 6 and len(view.hand) > 6
        return () if late else super().lay(view)


class Spendthrift(pippip.GreedyBot):
    """It leads its dearest card while cards are drawn."""

    planted = "lead, while cards are drawn"

    def play(self, view: PippipView) -> PippipCard:
        if view.trick or not view.drawing:
            return super().play(view)
        return max(view.playable, key=lambda card: (card.rank in {11, 12, 13}, -card.rank))


class Scatterer(dominion.GreedyBot):
    """It deploys as few armies as it can while nobody leads."""

    planted = "deploy, level"

    def deploy(self, view: DominionView) -> Deploy:
        mine = view.owners.count(view.seat)
        others = max(view.owners.count(seat) for seat in range(len(view.resigned)) if seat != view.seat)
        most = super().deploy(view)
        return Deploy(min(view.deployments, key=lambda each: each.count).cell, 1) if mine == others else most


GREEDY: dict[str, type[Bot]] = {
    "serpent": serpent.GreedyBot,
    "wichita": wichita.GreedyBot,
    "pippip": pippip.GreedyBot,
    "dominion": dominion.GreedyBot,
}
PLANTED: dict[str, type[BlindDirector | Hoarder | Spendthrift | Scatterer]] = {
    "serpent": BlindDirector,
    "wichita": Hoarder,
    "pippip": Spendthrift,
    "dominion": Scatterer,
}


def records(game: str, bots: Sequence[type[Bot]], matches: int, seed: str = "") -> Iterator[Record]:
    """That many matches; the bots are called ada, bo and so on, by seat."""
    options = get_game(game).options(OPTIONS[game])
    names = ("ada", "bo", "cy", "dee")[: len(bots)]
    for number in range(matches):
        deal = Random(f"{seed}/{game}/{number}").randbytes(32)
        header = Header(f"{number:064x}", get_game(game), options, names, deal)
        yield read_record(write_record(header, play_match(bots, deal, options)))
