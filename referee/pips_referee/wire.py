"""The games' values as protobuf messages: the only place that knows rules and protobuf.

A game's `wire.py` holds a `GameWire` named `WIRE`. Writers fill a message in place.
Readers build the value, and raise `MalformedMessage` where the game cannot read the
message. The rules say what is *legal*.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cache
from importlib import import_module
from operator import itemgetter
from typing import Any, Final, Generic, TypeVar

from pips.v1 import game_pb2
from pips_referee.cards import CARDS, Card
from pips_referee.errors import MalformedMessage, UnknownGame
from pips_referee.game import REGISTRY, Action, Event, Options, View

ONE_CARD: Final = tuple(bytes((card,)) for card in CARDS)
"""The byte of a card, by the card."""
OptionsT = TypeVar("OptionsT", bound=Options)
ViewT = TypeVar("ViewT", bound=View)
ActionT = TypeVar("ActionT", bound=Action)
EventT = TypeVar("EventT", bound=Event)


class GameWire(ABC, Generic[OptionsT, ViewT, ActionT, EventT]):
    """One game's values to and from the messages of `game.proto`."""

    @abstractmethod
    def write_options(self, options: OptionsT, message: game_pb2.GameOptions) -> None: ...

    @abstractmethod
    def read_options(self, message: game_pb2.GameOptions) -> OptionsT: ...

    @abstractmethod
    def write_view(self, view: ViewT, message: game_pb2.GameView) -> None: ...

    @abstractmethod
    def read_view(self, message: game_pb2.GameView) -> ViewT: ...

    @abstractmethod
    def write_action(self, action: ActionT, message: game_pb2.GameAction) -> None: ...

    @abstractmethod
    def read_action(self, message: game_pb2.GameAction) -> ActionT: ...

    @abstractmethod
    def write_event(self, event: EventT, message: game_pb2.GameEvent) -> None: ...

    @abstractmethod
    def read_event(self, message: game_pb2.GameEvent) -> EventT: ...


AnyWire = GameWire[Any, Any, Any, Any]


@cache
def get_wire(name: str) -> AnyWire:
    """The wire of that game; `UnknownGame` when there is none."""
    if name not in REGISTRY:
        raise UnknownGame(f"there is no game {name!r}; the games are {', '.join(REGISTRY)}")
    wire: AnyWire = import_module(f"pips_referee.games.{name}.wire").WIRE
    return wire


def read_cards(data: bytes, what: str) -> tuple[Card, ...]:
    """Cards from their bytes; `MalformedMessage` names the field."""
    try:
        if len(data) > 1:
            cards: tuple[Card, ...] = itemgetter(*data)(CARDS)  # a quarter quicker than one by one
            return cards
        return (CARDS[data[0]],) if data else ()
    except IndexError:
        byte = next(byte for byte in data if byte >= len(CARDS))
        raise MalformedMessage(f"{what}: {byte} is no card: a card is a byte from 0 to {len(CARDS) - 1}") from None


def read_card(data: bytes, what: str) -> Card:
    """Exactly one card."""
    if len(data) != 1:
        raise MalformedMessage(f"{what}: one card is one byte, not {len(data)}")
    return CARDS[data[0]] if data[0] < len(CARDS) else read_cards(data, what)[0]
